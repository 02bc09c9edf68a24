//! CSV as RFC 4180 writes it, with any separator: a line of headings, then rows.
//!
//! The reader is our own because it must be strict and say where: the well-kept libraries read broken
//! quotes without a word.

use std::iter::Peekable;
use std::str::CharIndices;

use serde_json::{Map, Value, json};

use super::View;
use super::places::{self, Places};
use crate::exchange::BodyFault;

/// One line of a table: its number and its fields.
struct Row {
    line: u32,
    fields: Vec<String>,
}

/// The view `{header: [names], rows: [{name: text}]}` of a table.
pub(super) fn decode(text: &str, separator: char) -> Result<View, BodyFault> {
    let mut reader = Reader { rest: text.char_indices().peekable(), separator, line: 1, faults: Vec::new() };
    let header = reader.row().ok_or_else(|| BodyFault::new("line 1", "the file has no line of headings"))?.fields;
    let mut faults = doubled(&header);
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    while let Some(row) = reader.row() {
        if row.fields.len() != header.len() {
            let message = format!("this row has {} fields, the headings are {}", row.fields.len(), header.len());
            faults.push(BodyFault::new(format!("line {}", row.line), message).about(format!("/rows/{}", rows.len())));
        }
        lines.push(row.line);
        rows.push(Value::Object(header.iter().cloned().zip(row.fields.into_iter().map(Value::String)).collect::<Map<_, _>>()));
    }
    faults.append(&mut reader.faults);
    let value = json!({ "header": header, "rows": Value::Array(rows) });
    Ok(View { value, faults, places: Places::Table { rows: lines, columns: header } })
}

fn doubled(header: &[String]) -> Vec<BodyFault> {
    let again = header.iter().enumerate().filter(|(index, name)| header.iter().take(*index).any(|other| other == *name));
    again
        .map(|(index, name)| BodyFault::new(format!("line 1, column {}", index + 1), format!("the heading `{name}` is there twice")))
        .collect()
}

struct Reader<'t> {
    rest: Peekable<CharIndices<'t>>,
    separator: char,
    line: usize,
    faults: Vec<BodyFault>,
}

impl Reader<'_> {
    /// The next row; nothing at the end of the file. The last line may or may not end with a line break.
    fn row(&mut self) -> Option<Row> {
        self.rest.peek()?;
        let line = places::line_number(self.line - 1);
        let mut fields = Vec::new();
        loop {
            let field = self.field(fields.len() + 1);
            fields.push(field);
            if self.end_of_line() {
                return Some(Row { line, fields });
            }
        }
    }

    /// Whether a line ends here; steps over what ends it, or over the separator.
    fn end_of_line(&mut self) -> bool {
        match self.rest.next().map(|(_, c)| c) {
            None => true,
            Some('\r') => {
                self.rest.next_if(|(_, c)| *c == '\n');
                self.line += 1;
                true
            }
            Some('\n') => {
                self.line += 1;
                true
            }
            Some(_) => false,
        }
    }

    fn field(&mut self, column: usize) -> String {
        if self.rest.next_if(|(_, c)| *c == '"').is_some() { self.quoted(column) } else { self.plain(column) }
    }

    fn plain(&mut self, column: usize) -> String {
        let separator = self.separator;
        let mut text = String::new();
        while let Some((_, c)) = self.rest.next_if(|(_, c)| *c != separator && !matches!(c, '\r' | '\n')) {
            text.push(c);
        }
        if text.contains('"') {
            self.fault(self.line, column, "a quote inside a field that is not quoted");
        }
        text
    }

    fn quoted(&mut self, column: usize) -> String {
        let begun = self.line;
        let mut text = String::new();
        loop {
            match self.rest.next().map(|(_, c)| c) {
                None => {
                    self.fault(begun, column, "this field's quote is never closed");
                    return text;
                }
                Some('"') if self.rest.next_if(|(_, c)| *c == '"').is_some() => text.push('"'),
                Some('"') => break,
                Some(c) => {
                    self.line += usize::from(c == '\n');
                    text.push(c);
                }
            }
        }
        let separator = self.separator;
        while let Some((_, c)) = self.rest.next_if(|(_, c)| *c != separator && !matches!(c, '\r' | '\n')) {
            self.fault(self.line, column, "the closing quote is followed by more text");
            text.push(c);
        }
        text
    }

    fn fault(&mut self, line: usize, column: usize, message: &str) {
        let place = format!("line {line}, column {column}");
        if self.faults.last().is_none_or(|last| last.place != place) {
            self.faults.push(BodyFault::new(place, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn faults(text: &str) -> Vec<(String, String)> {
        decode(text, ';').unwrap().faults.into_iter().map(|fault| (fault.place, fault.message)).collect()
    }

    #[test]
    fn rows_are_read_under_their_headings() {
        let view = decode("a;\"b;c\"\r\n1;\"x \"\"y\"\"\r\nz\"\r\n", ';').unwrap();
        assert_eq!(view.value, json!({"header": ["a", "b;c"], "rows": [{"a": "1", "b;c": "x \"y\"\r\nz"}]}));
        assert_eq!(view.faults, []);
    }

    #[test]
    fn a_place_is_a_line_and_a_column() {
        let view = decode("a;b\n1;\"two\nlines\"\n3;4\n", ';').unwrap();
        assert_eq!(view.places.describe("/rows/1/b").as_deref(), Some("line 4, column 2 (`b`)"));
        assert_eq!(view.places.describe("/rows/0").as_deref(), Some("line 2"));
    }

    #[test]
    fn what_breaks_the_table_is_told_with_its_place() {
        assert_eq!(faults("a;b\n1\n")[0].0, "line 2");
        assert_eq!(faults("a;b\n1;2;3\n")[0].1, "this row has 3 fields, the headings are 2");
        assert_eq!(faults("a;a\n1;2\n")[0].0, "line 1, column 2");
        assert_eq!(faults("a;b\n1;\"2\n")[0], ("line 2, column 2".into(), "this field's quote is never closed".into()));
        assert_eq!(faults("a;b\n\"1\"x;2\n")[0].1, "the closing quote is followed by more text");
        assert_eq!(faults("a;b\n1\"x;2\n")[0].1, "a quote inside a field that is not quoted");
        assert!(decode("", ';').is_err());
    }

    proptest! {
        #[test]
        fn every_table_is_read_back(rows in proptest::collection::vec(proptest::collection::vec("[a-ž;\"\r\n ]{0,8}", 3), 1..5)) {
            let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let lines: Vec<String> = rows.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(";")).collect();
            let view = decode(&format!("x;y;z\r\n{}\r\n", lines.join("\r\n")), ';').unwrap();
            let read: Vec<Vec<String>> = view.value["rows"].as_array().unwrap().iter()
                .map(|row| ["x", "y", "z"].iter().map(|name| row[name].as_str().unwrap().to_owned()).collect()).collect();
            prop_assert_eq!(read, rows);
        }

        #[test]
        fn no_text_is_too_odd_to_read(text in "\\PC{0,60}") {
            let _ = decode(&text, ';');
        }
    }
}
