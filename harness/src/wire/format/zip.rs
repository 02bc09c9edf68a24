//! ZIP archives, with bounds: an archive may claim to hold more than any machine has.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use serde_json::Value;
use zip::{CompressionMethod, ZipArchive};

use super::places::Places;
use super::row;
use crate::base::file_position::FilePosition;
use crate::wire::exchange::BodyFault;
use crate::wire::ingest::Ingest;

/// The most that is unpacked of one archive.
const MAX_UNPACKED: u64 = 256 * 1024 * 1024;
/// The most entries that are read.
const MAX_ENTRIES: usize = 10_000;
/// The number of bytes unpacked at once.
const PIECE: usize = 64 * 1024;

/// The view `{entries: [{name, content}]}` of the files of an archive; `inner` reads one. Folders are left out. A file that cannot be
/// read has no content, and an empty one is an empty text: whatever a format looks like, that is none.
pub(super) fn read(
    source: &mut dyn BufRead,
    ingest: &mut Ingest<'_>,
    inner: impl Fn(&mut dyn BufRead, &mut Ingest<'_>) -> Result<(Value, Places), BodyFault>,
) -> Result<(Value, Places), BodyFault> {
    let mut archive = opened(source)?;
    let (mut entries, mut files, mut left) = (Vec::new(), Vec::new(), MAX_UNPACKED);
    for index in 0..archive.len() {
        is_unpacked(&mut archive, index)?;
        let entry = archive.by_index(index).map_err(|error| broken(&error))?;
        let name = entry.name().map_err(|error| broken(&error))?.into_owned();
        ingest.keep(name.len())?;
        if entry.is_dir() {
            continue;
        }
        let is_empty = entry.size() == 0;
        let (file, pointer) = (FilePosition::entry(&name), format!("/entries/{}/content", entries.len()));
        let unpacked = Unpacked { entry, left: &mut left };
        let content = ingest.inside(&file, &pointer, |ingest| content_of(unpacked, ingest, &inner));
        if left == 0 {
            return Err(BodyFault::new(file, format!("the archive unpacks to more than {MAX_UNPACKED} bytes; the rest was not read")));
        }
        let content = match content {
            Some((value, places)) => {
                files.push((pointer, file, places));
                value
            }
            None if is_empty => Value::String(String::new()),
            None => Value::Null,
        };
        entries.push(row::mapping([("name", name.into()), ("content", content)]));
    }
    Ok((row::mapping([("entries", Value::Array(entries))]), Places::Files(files)))
}

/// Opens an archive. Its directory is at the end, so the packed bytes must be complete.
fn opened(source: &mut dyn BufRead) -> Result<ZipArchive<Cursor<Vec<u8>>>, BodyFault> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| BodyFault::new(FilePosition::whole(), error.to_string()))?;
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    if archive.len() > MAX_ENTRIES {
        let message = format!("the archive has {} entries, more than {MAX_ENTRIES} are not read", archive.len());
        return Err(BodyFault::new(FilePosition::whole(), message));
    }
    Ok(archive)
}

/// Reads an entry to its end: the checksum is compared there, however early the layout is given up.
fn content_of(
    unpacked: impl Read,
    ingest: &mut Ingest<'_>,
    inner: impl Fn(&mut dyn BufRead, &mut Ingest<'_>) -> Result<(Value, Places), BodyFault>,
) -> Result<(Value, Places), BodyFault> {
    let mut reader = BufReader::with_capacity(PIECE, unpacked);
    let content = inner(&mut reader, ingest);
    let rest = io::copy(&mut reader, &mut io::sink());
    rest.map_err(|error| BodyFault::new(FilePosition::whole(), error.to_string()).of_the_wrapping()).and(content)
}

/// Fails if an entry is compressed by a method that ZIP has and that is not unpacked here.
fn is_unpacked(archive: &mut ZipArchive<Cursor<Vec<u8>>>, index: usize) -> Result<(), BodyFault> {
    let entry = archive.by_index_raw(index).map_err(|error| broken(&error))?;
    let method = entry.compression();
    if matches!(method, CompressionMethod::Stored | CompressionMethod::Deflated) {
        return Ok(());
    }
    let name = entry.name().map_err(|error| broken(&error))?;
    let message = format!("it is compressed by another method than Deflate ({method}), which ZIP allows and paycheck does not unpack");
    Err(BodyFault::new(FilePosition::entry(&name), message).unread())
}

fn broken(error: &zip::result::ZipError) -> BodyFault {
    BodyFault::new(FilePosition::whole(), format!("not a ZIP archive: {error}"))
}

/// An entry while it is unpacked.
struct Unpacked<'l, R> {
    entry: R,
    /// How many bytes of the archive may still be unpacked.
    left: &'l mut u64,
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(out).map_err(|error| io::Error::other(format!("the entry can't be unpacked: {error}")))?;
        *self.left = self.left.saturating_sub(read as u64);
        if *self.left == 0 { Err(io::Error::other("the entry is too large")) } else { Ok(read) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::{FileFormat, View};
    use super::*;
    use crate::wire::exchange::Request;
    use serde_json::json;
    use zip::write::SimpleFileOptions;

    fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn decoded(bytes: &[u8]) -> Result<View, BodyFault> {
        FileFormat::parse(&json!({"zip": {"csv": {}}})).unwrap().decode(bytes, &Request::default())
    }

    #[test]
    fn every_entry_is_read() {
        let view = decoded(&archive(&[("a.csv", b"x\n1\n"), ("b.csv", b"x\n2\n")])).unwrap();
        assert_eq!(view.value["entries"][1], json!({"name": "b.csv", "content": {"header": ["x"], "rows": [{"x": "2"}]}}));
        assert_eq!(view.places.position("/entries/1/content/rows/0/x").to_string(), "entry `b.csv`, line 2, column 1 (`x`)");
    }

    #[test]
    fn a_folder_is_no_file() {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_directory("statements/", SimpleFileOptions::default()).unwrap();
        writer.start_file("statements/a.csv", SimpleFileOptions::default()).unwrap();
        writer.write_all(b"x\n1\n").unwrap();
        let view = decoded(&writer.finish().unwrap().into_inner()).unwrap();
        assert_eq!(view.faults, []);
        assert_eq!(view.value["entries"][0]["name"], "statements/a.csv");
        assert_eq!(view.places.position("/entries/0/content/rows/0/x").to_string(), "entry `statements/a.csv`, line 2, column 1 (`x`)");
    }

    #[test]
    fn faults_of_an_entry_are_reported_with_its_name() {
        let view = decoded(&archive(&[("a.csv", b"x\n1\n"), ("b.csv", b"x;y\n2\n"), ("c.csv", b"")])).unwrap();
        let found: Vec<_> = view.faults.iter().map(|fault| format!("{} {}", fault.position, fault.pointer)).collect();
        assert_eq!(found, ["entry `b.csv`, line 2 /entries/1/content/rows/0", "entry `c.csv`, line 1 /entries/2/content"]);
        assert_eq!(view.value["entries"][2], json!({"name": "c.csv", "content": ""}));
    }

    #[test]
    fn a_wrong_checksum_is_a_fault_of_the_archive() {
        let mut bytes = archive(&[("a.csv", b"x\n1\n"), ("b.csv", b"x\n2\n")]);
        let directory = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        for checksum in [14, directory + 16] {
            bytes[checksum] ^= 1;
        }
        let view = decoded(&bytes).unwrap();
        let found: Vec<_> = view.faults.iter().map(|fault| (fault.pointer.as_str(), fault.of_the_wrapping)).collect();
        assert_eq!(found, [("/entries/0/content", true)]);
    }

    /// The archive with another compression method in the header of its only entry and in the directory.
    fn compressed_by(method: u8) -> Vec<u8> {
        let mut bytes = archive(&[("a.csv", b"x\n1\n")]);
        let directory = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        (bytes[8], bytes[directory + 10]) = (method, method);
        bytes
    }

    #[test]
    fn an_entry_that_is_compressed_otherwise_is_not_read_and_no_fault_of_the_archive() {
        for method in [9, 12, 14, 93, 97] {
            let fault = decoded(&compressed_by(method)).unwrap_err();
            assert!(fault.unread && fault.message.contains("ZIP allows"), "{method}: {}", fault.message);
            assert_eq!(fault.position.to_string(), "entry `a.csv`");
            assert!(!fault.message.contains("panic"), "{}", fault.message);
        }
        assert!(!decoded(b"x\n1\n").unwrap_err().unread, "what is no archive is a fault");
    }

    #[test]
    fn a_file_that_is_no_archive_is_reported() {
        assert!(decoded(b"x\n1\n").unwrap_err().message.starts_with("not a ZIP archive"));
        let mut cut = archive(&[("a.csv", b"x\n1\n")]);
        cut.truncate(cut.len() / 2);
        assert!(decoded(&cut).is_err());
    }

    #[test]
    fn an_archive_that_unpacks_without_end_is_not_unpacked() {
        let line = b"1\n".repeat(512 * 1024);
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file("a.csv", SimpleFileOptions::default()).unwrap();
        (0..257).for_each(|_| writer.write_all(&line).unwrap());
        let bomb = writer.finish().unwrap().into_inner();
        assert!(bomb.len() < 4 * 1024 * 1024);
        let fault = read(&mut bomb.as_slice(), &mut Ingest::keep_all(), |entry, _| {
            let copied = io::copy(entry, &mut io::sink());
            copied.map(|_| (Value::Null, Places::Unknown)).map_err(|error| BodyFault::new(FilePosition::whole(), error.to_string()))
        });
        assert!(fault.unwrap_err().message.contains("unpacks to more than"));
    }
}
