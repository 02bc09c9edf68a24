//! CSV as RFC 4180 writes it, with any separator: a line of headings, or none, then rows.
//!
//! The reader is our own because it must be strict and name the position: the established libraries accept broken quotes
//! silently.

use std::collections::HashSet;

use serde_json::Value;

use super::amounts::Amounts;
use super::columns::Columns;
use super::lines::Lines;
use super::places::{self, Places};
use super::row;
use crate::base::file_position::FilePosition;
use crate::base::pointer;
use crate::base::text::counted;
use crate::wire::exchange::{BodyFault, MAX_BODY_BYTES, MOST_FIELDS};
use crate::wire::ingest::Ingest;

/// How a table is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The separator of fields.
    pub(super) separator: u8,
    /// The names of its columns.
    pub(super) columns: Columns,
    /// How its amounts are written.
    pub(super) amounts: Amounts,
}

/// The view `{header: [names], rows: [{name: text}]}` of a table.
pub(super) fn read(lines: Lines<'_>, table: &Table, ingest: &mut Ingest<'_>) -> Result<(Value, Places), BodyFault> {
    let Table { separator, columns, amounts } = table;
    let (separator, fields, faults) = (*separator, Vec::new(), Vec::new());
    let mut reader = Reader { lines, text: String::new(), at: 0, separator, line: 1, fields, bytes: 0, faults };
    let any = reader.row()?;
    if !any && columns.are_headed() {
        return Err(BodyFault::new(FilePosition::line(1), "the file has no line of headings"));
    }
    let missing = if any { columns.missing(&reader.fields) } else { Vec::new() };
    let header = columns.names(&reader.fields);
    let mut begins = any.then_some(1);
    if columns.are_headed() {
        ingest.keep(reader.bytes)?;
        reader.faults.drain(..).chain(missing).chain(doubled(&header)).for_each(|fault| ingest.fault(fault));
        begins = reader.row_of(header.len(), 0)?;
    } else {
        missing.into_iter().for_each(|fault| ingest.fault(fault));
    }
    // Each row that is kept has the headings, too.
    let headings: usize = header.iter().map(String::len).sum();
    let (mut rows, mut lines) = (ingest.list("/rows"), Vec::new());
    while let Some(line) = begins {
        if reader.fields.len() != header.len() {
            let message = format!("this row has {}, {}", counted(reader.fields.len(), "field"), columns.expected(header.len()));
            reader.faults.push(BodyFault::new(FilePosition::line(line), message).about(format!("/rows/{}", rows.len())));
        }
        for (index, (name, text)) in header.iter().zip(&mut reader.fields).enumerate() {
            if let Err(message) = amounts.normalise(name, text) {
                let place = pointer::field(&format!("/rows/{}", rows.len()), name);
                reader.faults.push(BodyFault::new(FilePosition::line(line).column(index + 1), message).about(place));
            }
        }
        lines.push(places::line_number(line));
        row::write(rows.next(), header.iter().map(String::as_str).zip(reader.fields.drain(..).map(Value::String)));
        rows.push(ingest, reader.bytes + headings, std::mem::take(&mut reader.faults))?;
        begins = reader.row_of(header.len(), rows.len())?;
    }
    let value = row::mapping([("header", header.clone().into()), ("rows", rows.end(ingest))]);
    Ok((value, Places::Table { rows: lines, columns: header }))
}

fn doubled(header: &[String]) -> Vec<BodyFault> {
    let mut known = HashSet::new();
    let again = header.iter().enumerate().filter(|(_, name)| !known.insert(name.as_str()));
    again
        .map(|(index, name)| BodyFault::new(FilePosition::line(1).column(index + 1), format!("the heading `{name}` is there twice")))
        .collect()
}

struct Reader<'s> {
    lines: Lines<'s>,
    /// The unread part of the file, and how much of it was consumed.
    text: String,
    at: usize,
    separator: u8,
    /// The line that `at` is in, from 1.
    line: usize,
    /// The fields of the last row, its length in bytes, and its faults: a few for each field, of which there are at most [`MOST_FIELDS`].
    fields: Vec<String>,
    bytes: usize,
    faults: Vec<BodyFault>,
}

impl Reader<'_> {
    /// Reads the next row; `false` at the end of the file. The last line may or may not end with a line break.
    fn row(&mut self) -> Result<bool, BodyFault> {
        self.fields.clear();
        self.bytes = 0;
        if self.peek().is_none() && !self.more()? {
            return Ok(false);
        }
        loop {
            if self.fields.len() == MOST_FIELDS {
                return Err(BodyFault::new(FilePosition::line(self.line), format!("not read: more than {MOST_FIELDS} fields")));
            }
            let field = if self.take_if(b'"') { self.quoted()? } else { self.plain() };
            self.bytes += field.len() + 1;
            self.fields.push(field);
            if self.end_of_line() {
                return Ok(true);
            }
        }
    }

    /// Reads the next row, which has this index, and returns the line that it begins in; `None` at the end of the file. Behind the
    /// last row there may be empty lines; in a table of one column they are rows.
    fn row_of(&mut self, columns: usize, index: usize) -> Result<Option<usize>, BodyFault> {
        let (mut line, mut empty) = (self.line, None);
        while self.row()? {
            if columns == 1 || !self.is_empty_line() {
                let fault =
                    |empty| BodyFault::new(FilePosition::line(empty), "an empty line between two rows").about(format!("/rows/{index}"));
                self.faults.extend(empty.map(fault));
                return Ok(Some(line));
            }
            empty = empty.or(Some(line));
            line = self.line;
        }
        Ok(None)
    }

    /// Whether the last row is a line without any field.
    fn is_empty_line(&self) -> bool {
        matches!(self.fields.as_slice(), [only] if only.is_empty()) && self.faults.is_empty()
    }

    /// Reads the next line of the file, replacing what was consumed.
    fn more(&mut self) -> Result<bool, BodyFault> {
        self.text.clear();
        self.at = 0;
        self.lines.append(&mut self.text)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take_if(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    /// Whether a line ends here; consumes the line break, or the separator.
    fn end_of_line(&mut self) -> bool {
        let ends = match self.peek() {
            None => return true,
            Some(b'\r') => {
                self.at += 1;
                self.take_if(b'\n');
                true
            }
            Some(byte) => {
                self.at += 1;
                byte == b'\n'
            }
        };
        self.line += usize::from(ends);
        ends
    }

    /// The text up to the next separator or end of a line.
    fn plain(&mut self) -> String {
        let separator = self.separator;
        let rest = self.rest();
        let end = rest.bytes().position(|byte| byte == separator || matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default().to_owned();
        self.at += end;
        if text.contains('"') {
            self.fault(self.line, "a quote inside a field that is not quoted");
        }
        text
    }

    fn quoted(&mut self) -> Result<String, BodyFault> {
        let begun = self.line;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let Some(end) = rest.bytes().position(|byte| byte == b'"') else {
                text.push_str(rest);
                let breaks = usize::from(rest.ends_with('\n'));
                self.line += breaks;
                if text.len() > MAX_BODY_BYTES {
                    return Err(BodyFault::new(
                        FilePosition::line(begun),
                        format!("a field of more than {MAX_BODY_BYTES} bytes is not read"),
                    ));
                }
                if !self.more()? {
                    self.fault(begun, "this field's quote is never closed");
                    return Ok(text);
                }
                continue;
            };
            text.push_str(rest.get(..end).unwrap_or_default());
            self.at += end + 1;
            if !self.take_if(b'"') {
                break;
            }
            text.push('"');
        }
        if self.peek().is_some_and(|byte| byte != self.separator && !matches!(byte, b'\r' | b'\n')) {
            self.fault(self.line, "the closing quote is followed by more text");
            text.push_str(&self.plain());
        }
        Ok(text)
    }

    fn fault(&mut self, line: usize, message: &str) {
        let position = FilePosition::line(line).column(self.fields.len() + 1);
        if self.faults.last().is_none_or(|last| last.position != position) {
            self.faults.push(BodyFault::new(position, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileFormat, View};
    use super::*;
    use crate::wire::exchange::Request;
    use proptest::prelude::*;
    use serde_json::json;

    fn decode(text: &str) -> Result<View, BodyFault> {
        FileFormat::parse(&json!({"csv": {"separator": ";"}})).unwrap().decode(text.as_bytes(), &Request::default())
    }

    fn faults(text: &str) -> Vec<(String, String)> {
        decode(text).unwrap().faults.into_iter().map(|fault| (fault.position.to_string(), fault.message)).collect()
    }

    #[test]
    fn rows_are_read_under_their_headings() {
        let view = decode("a;\"b;c\"\r\n1;\"x \"\"y\"\"\r\nz\"\r\n").unwrap();
        assert_eq!(view.value, json!({"header": ["a", "b;c"], "rows": [{"a": "1", "b;c": "x \"y\"\r\nz"}]}));
        assert_eq!(view.faults, []);
    }

    #[test]
    fn a_file_may_end_with_empty_lines_and_has_none_between_its_rows() {
        let view = decode("a;b\r\n1;2\r\n\r\n\r\n").unwrap();
        assert_eq!(view.value, json!({"header": ["a", "b"], "rows": [{"a": "1", "b": "2"}]}));
        assert_eq!(view.faults, []);
        assert_eq!(faults("a;b\n1;2\n\n3;4\n"), [("line 3".into(), "an empty line between two rows".into())]);
        assert_eq!(decode("a\n\n1\n").unwrap().value["rows"], json!([{"a": ""}, {"a": "1"}]));
    }

    #[test]
    fn a_place_is_a_line_and_a_column() {
        let view = decode("a;b\n1;\"two\nlines\"\n3;4\n").unwrap();
        assert_eq!(view.places.position("/rows/1/b").to_string(), "line 4, column 2 (`b`)");
        assert_eq!(view.places.position("/rows/0").to_string(), "line 2");
    }

    #[test]
    fn columns_have_the_names_that_the_layout_gives_them() {
        let format = json!({"csv": {"separator": ",", "columns": {"a": "First", "b": "Second"}}});
        let format = FileFormat::parse(&format).unwrap();
        let view = format.decode(b"Second,More,First\n2,3,1\n", &Request::default()).unwrap();
        assert_eq!(view.value, json!({"header": ["b", "More", "a"], "rows": [{"b": "2", "More": "3", "a": "1"}]}));
        let lacking = format.decode(b"First\n1\n", &Request::default()).unwrap();
        assert_eq!(lacking.faults[0].message, "the heading `Second` of the stated layout is missing");
    }

    #[test]
    fn columns_without_headings_are_named_by_their_places() {
        let format = json!({"csv": {"separator": ",", "headings": false, "columns": {"a": 3, "b": 1}}});
        let format = FileFormat::parse(&format).unwrap();
        let view = format.decode(b"2,3,1\n5,6,4\n", &Request::default()).unwrap();
        let rows = json!([{"b": "2", "2": "3", "a": "1"}, {"b": "5", "2": "6", "a": "4"}]);
        assert_eq!((view.value, view.faults), (json!({"header": ["b", "2", "a"], "rows": rows}), vec![]));
        assert_eq!(view.places.position("/rows/1/a").to_string(), "line 2, column 3 (`a`)");
        let faults = |file: &[u8]| -> Vec<_> {
            let view = format.decode(file, &Request::default()).unwrap();
            view.faults.into_iter().map(|fault| (fault.position.to_string(), fault.message)).collect()
        };
        assert_eq!(faults(b""), []);
        assert_eq!(faults(b"1,2\n"), [("line 1".into(), "the stated layout has a column 3 (`a`), this row has 2 fields".into())]);
        assert_eq!(faults(b"1,2,3\n1,2\n"), [("line 2".into(), "this row has 2 fields, the first has 3".into())]);
    }

    #[test]
    fn amounts_are_read_as_the_layout_writes_them() {
        let format = json!({"csv": {"separator": ";", "amounts": {"decimal": ".", "thousands": ",", "columns": ["a"]}}});
        let format = FileFormat::parse(&format).unwrap();
        let view = format.decode("a;b\n1,234.50;1.5\n;x\n".as_bytes(), &Request::default()).unwrap();
        assert_eq!((&view.value["rows"], view.faults), (&json!([{"a": "1234,50", "b": "1.5"}, {"a": "", "b": "x"}]), vec![]));
        let view = format.decode(b"a\n12,50\n", &Request::default()).unwrap();
        let fault = &view.faults[0];
        assert_eq!(
            (fault.position.to_string().as_str(), fault.message.as_str()),
            ("line 2, column 1", "this amount is not written as the stated layout writes amounts, like 1,234.50")
        );
    }

    #[test]
    fn faults_of_the_table_are_reported_with_their_place() {
        assert_eq!(faults("a;b\n1\n")[0].0, "line 2");
        assert_eq!(faults("a;b\n1;2;3\n")[0].1, "this row has 3 fields, the headings are 2");
        assert_eq!(faults("a;a\n1;2\n")[0].0, "line 1, column 2");
        assert_eq!(faults("a;b\n1;\"2\n")[0], ("line 2, column 2".into(), "this field's quote is never closed".into()));
        assert_eq!(faults("a;b\n\"1\"x;2\n")[0].1, "the closing quote is followed by more text");
        assert_eq!(faults("a;b\n1\"x;2\n")[0].1, "a quote inside a field that is not quoted");
        assert_eq!(
            faults("a;b\n1;\"2\n\n\"x\n3\n"),
            [
                ("line 4, column 2".into(), "the closing quote is followed by more text".into()),
                ("line 5".into(), "this row has 1 field, the headings are 2".into()),
            ]
        );
        assert!(decode("").is_err());
    }

    #[test]
    fn the_number_of_columns_and_what_is_kept_of_their_headings_are_bounded() {
        let wide = |columns: usize| vec!["a"; columns].join(";");
        assert_eq!(decode(&wide(MOST_FIELDS + 1)).unwrap_err().message, "not read: more than 10000 fields");
        assert!(decode(&wide(MOST_FIELDS)).is_ok());
        let heading = "h".repeat(MAX_BODY_BYTES / 4);
        assert!(decode(&format!("{heading}\n1\n2\n")).is_ok());
        let kept = decode(&format!("{heading}\n1\n2\n3\n4\n")).unwrap_err();
        assert!(kept.message.contains("would have to be kept"), "each row has the heading: {}", kept.message);
    }

    proptest! {
        #[test]
        fn every_table_is_read_back(rows in proptest::collection::vec(proptest::collection::vec("[a-ž;\"\r\n ]{0,8}", 3), 1..5)) {
            let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let lines: Vec<String> = rows.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(";")).collect();
            let view = decode(&format!("x;y;z\r\n{}\r\n", lines.join("\r\n"))).unwrap();
            let read: Vec<Vec<String>> = view.value["rows"].as_array().unwrap().iter()
                .map(|row| ["x", "y", "z"].iter().map(|name| row[name].as_str().unwrap().to_owned()).collect()).collect();
            prop_assert_eq!(read, rows);
        }

        #[test]
        fn no_text_is_too_odd_to_read(text in "\\PC{0,60}") {
            let _ = decode(&text);
        }
    }
}
