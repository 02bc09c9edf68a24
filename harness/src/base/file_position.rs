//! A position in a file, in the words of an editor.

use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// A position in a file: ``entry `a.csv`, line 3, column 2 (`Měna`)``. Its words are shown and compared, never parsed, and it is no
/// part of a cause.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FilePosition {
    words: String,
    /// Where an excerpt begins; unknown of a position that was read from a record.
    #[serde(skip)]
    start: Option<FileStart>,
}

/// Where a position begins in the text of the body itself, not of a file in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileStart {
    /// A line, from 1.
    Line(usize),
    /// A byte, from 0.
    Byte(usize),
}

impl FilePosition {
    fn of(words: String) -> Self {
        Self { words, start: None }
    }

    /// Where it begins in the text of the body.
    pub(crate) fn start(&self) -> Option<FileStart> {
        self.start
    }

    /// The file as a whole.
    pub fn whole() -> Self {
        Self::default()
    }

    /// Stands for any position: a cause only records whether there is one.
    pub(crate) fn any() -> Self {
        Self::of("*".to_owned())
    }

    /// A line, from 1.
    pub fn line(number: usize) -> Self {
        Self { words: format!("line {number}"), start: Some(FileStart::Line(number)) }
    }

    /// A byte of the body, from 0.
    pub fn byte(offset: usize) -> Self {
        Self { words: format!("byte {offset}"), start: Some(FileStart::Byte(offset)) }
    }

    /// A character of a text, from 1.
    pub(crate) fn character(number: usize) -> Self {
        Self::of(format!("character {number}"))
    }

    /// An attribute of a QR code, from 1.
    pub(crate) fn attribute(number: usize) -> Self {
        Self::of(format!("attribute {number}"))
    }

    /// An entry of an archive.
    pub(crate) fn entry(name: &str) -> Self {
        Self::of(format!("entry `{name}`"))
    }

    /// Adds a column of the line, from 1.
    #[must_use]
    pub(crate) fn column(mut self, number: impl Display) -> Self {
        self.words.push_str(&format!(", column {number}"));
        self
    }

    /// Adds the heading of the column.
    #[must_use]
    pub(crate) fn headed(mut self, heading: &str) -> Self {
        self.words.push_str(&format!(" (`{heading}`)"));
        self
    }

    /// Adds the byte offset of the line in the whole file.
    #[must_use]
    pub(crate) fn byte_of_file(mut self, offset: usize) -> Self {
        self.words.push_str(&format!(", byte {offset} of the file"));
        self
    }

    /// The same position in a file that is itself at `outer` in another file.
    #[must_use]
    pub(crate) fn inside(self, outer: &Self) -> Self {
        match (outer.is_whole(), self.is_whole()) {
            (true, _) => self,
            (false, true) => outer.clone(),
            (false, false) => Self::of(format!("{outer}, {self}")),
        }
    }

    /// Whether the file as a whole is meant.
    pub fn is_whole(&self) -> bool {
        self.words.is_empty()
    }
}

/// Two positions are the same if their words are: one of them may have been read from a record.
impl PartialEq for FilePosition {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for FilePosition {}

impl Hash for FilePosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words.hash(state);
    }
}

impl PartialOrd for FilePosition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FilePosition {
    fn cmp(&self, other: &Self) -> Ordering {
        self.words.cmp(&other.words)
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_position_in_the_body_itself_has_a_start() {
        assert_eq!(FilePosition::line(3).column(2).start(), Some(FileStart::Line(3)));
        assert_eq!(FilePosition::byte(5).inside(&FilePosition::whole()).start(), Some(FileStart::Byte(5)));
        assert_eq!(FilePosition::line(3).inside(&FilePosition::entry("a.csv")).start(), None);
        let read: FilePosition = serde_json::from_str("\"line 3\"").unwrap();
        assert_eq!((&read, read.start()), (&FilePosition::line(3), None));
    }

    #[test]
    fn a_position_is_worded_as_an_editor_counts() {
        let position = FilePosition::line(3).column(2).headed("Měna").inside(&FilePosition::entry("a.csv"));
        assert_eq!(position.to_string(), "entry `a.csv`, line 3, column 2 (`Měna`)");
        assert_eq!(FilePosition::line(2).byte_of_file(5).to_string(), "line 2, byte 5 of the file");
        assert_eq!(FilePosition::whole().inside(&FilePosition::entry("a.csv")), FilePosition::entry("a.csv"));
        assert_eq!(FilePosition::byte(1).inside(&FilePosition::whole()), FilePosition::byte(1));
    }
}
