//! Changes files in responses: statements as such, in an envelope, or in an archive.

use std::io::{Cursor, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::{UTF_8, WINDOWS_1250};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{Message, ObservedRequest};

/// The files of an archive, each a name and its bytes.
pub type Archive = Vec<(String, Vec<u8>)>;

impl Message {
    /// Changes the statement that a response carries, every one if they are in an archive.
    pub fn file(&mut self, change: impl Fn(Vec<u8>) -> Vec<u8>) {
        if let Some(envelope) = ["csv", "abo"].into_iter().find(|field| self.has(field)) {
            let bytes = STANDARD.decode(self.get(envelope)).unwrap();
            self.set(envelope, STANDARD.encode(change(bytes)));
        } else if self.is_archive() {
            self.archive(|files| files.iter_mut().for_each(|(_, bytes)| *bytes = change(std::mem::take(bytes))));
        } else {
            let bytes = change(self.bytes());
            self.raw(bytes);
        }
    }

    /// Changes the files of an archive: their order, their names, how many there are.
    pub fn archive(&mut self, change: impl FnOnce(&mut Archive)) {
        if self.is_archive() {
            let mut files = unpack(&self.bytes());
            change(&mut files);
            self.raw(pack(&files));
        }
    }

    fn is_archive(&self) -> bool {
        self.raw.as_ref().is_some_and(|bytes| bytes.starts_with(b"PK"))
    }

    /// Changes the CSV statement in the response to a call.
    pub fn table(&mut self, asked: &ObservedRequest<'_>, change: impl Fn(&mut Table)) {
        if (asked.is("csv") || asked.is("csvDay")) && self.fulfils() {
            self.file(|bytes| {
                let mut table = Table::read(std::str::from_utf8(&bytes).unwrap());
                change(&mut table);
                table.write().into_bytes()
            });
        }
    }

    /// Changes the ABO statement in the response to a call.
    pub fn statement(&mut self, asked: &ObservedRequest<'_>, change: impl Fn(&mut Statement)) {
        if (asked.is("abo") || asked.is("aboDay")) && self.fulfils() {
            let encoding = if asked.query_parameter("encoding") == "win1250" { WINDOWS_1250 } else { UTF_8 };
            self.file(|bytes| {
                let mut statement = Statement::read(&encoding.decode(&bytes).0);
                change(&mut statement);
                encoding.encode(&statement.write()).0.into_owned()
            });
        }
    }
}

fn unpack(bytes: &[u8]) -> Archive {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = Archive::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        files.push((entry.name().unwrap().into_owned(), content));
    }
    files
}

fn pack(files: &Archive) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A CSV statement: a line of headings, rows, and a last row of sums.
pub struct Table {
    pub lines: Vec<Vec<String>>,
}

impl Table {
    /// Reads what the emulator writes: every value in quotation marks.
    pub fn read(text: &str) -> Self {
        let cells = |line: &str| line[1..line.len() - 1].split("\";\"").map(|cell| cell.replace("\"\"", "\"")).collect();
        Self { lines: text.lines().map(cells).collect() }
    }

    pub fn write(&self) -> String {
        self.written(";", true, "\r\n")
    }

    /// The statement in another spelling: separator, quotation marks only where required, line ends.
    pub fn written(&self, separator: &str, quoted: bool, end: &str) -> String {
        let cell = |cell: &String| match quoted || cell.contains(separator) || cell.contains(['"', '\r', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |line: &Vec<String>| line.iter().map(cell).collect::<Vec<_>>().join(separator) + end;
        self.lines.iter().map(line).collect()
    }

    /// The rows of payments: neither the headings nor the sums.
    pub fn payments(&mut self) -> &mut [Vec<String>] {
        let last = self.lines.len() - 1;
        &mut self.lines[1..last]
    }

    pub fn column(&self, heading: &str) -> usize {
        self.lines[0].iter().position(|name| name == heading).unwrap_or_else(|| panic!("no column `{heading}`"))
    }

    /// Puts a value into a column of every payment.
    pub fn set(&mut self, heading: &str, value: &str) {
        let column = self.column(heading);
        self.payments().iter_mut().for_each(|row| row[column] = value.to_owned());
    }
}

/// An ABO statement: records of 128 characters, first that of the account.
pub struct Statement {
    pub records: Vec<Vec<char>>,
}

impl Statement {
    pub fn read(text: &str) -> Self {
        Self { records: text.lines().map(|line| line.chars().collect()).collect() }
    }

    pub fn write(&self) -> String {
        self.records.iter().map(|record| record.iter().collect::<String>() + "\r\n").collect()
    }

    /// The items: payments and fees.
    pub fn items(&mut self) -> &mut [Vec<char>] {
        &mut self.records[1..]
    }

    /// Writes over a part of a record; positions count from 1, as in descriptions of the format.
    pub fn put(record: &mut [char], position: usize, text: &str) {
        record[position - 1..].iter_mut().zip(text.chars()).for_each(|(old, new)| *old = new);
    }

    /// The first payment.
    pub fn payment(&mut self) -> &mut Vec<char> {
        self.items().iter_mut().find(|item| item[60] == '2').unwrap()
    }
}
