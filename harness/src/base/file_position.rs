//! A position in a file, in the words of an editor.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// A position in a file: ``entry `a.csv`, line 3, column 2 (`Měna`)``. It is shown and compared, never parsed, and it is no part
/// of a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FilePosition(String);

impl FilePosition {
    /// The file as a whole.
    pub fn whole() -> Self {
        Self::default()
    }

    /// Stands for any position: a cause only records whether there is one.
    pub(crate) fn any() -> Self {
        Self("*".to_owned())
    }

    /// A line, from 1.
    pub fn line(number: impl Display) -> Self {
        Self(format!("line {number}"))
    }

    /// A byte of the body, from 0.
    pub fn byte(offset: usize) -> Self {
        Self(format!("byte {offset}"))
    }

    /// A character of a text, from 1.
    pub(crate) fn character(number: usize) -> Self {
        Self(format!("character {number}"))
    }

    /// An attribute of a QR code, from 1.
    pub(crate) fn attribute(number: usize) -> Self {
        Self(format!("attribute {number}"))
    }

    /// An entry of an archive.
    pub(crate) fn entry(name: &str) -> Self {
        Self(format!("entry `{name}`"))
    }

    /// Adds a column of the line, from 1.
    #[must_use]
    pub(crate) fn column(mut self, number: impl Display) -> Self {
        self.0.push_str(&format!(", column {number}"));
        self
    }

    /// Adds the heading of the column.
    #[must_use]
    pub(crate) fn headed(mut self, heading: &str) -> Self {
        self.0.push_str(&format!(" (`{heading}`)"));
        self
    }

    /// Adds the byte offset of the line in the whole file.
    #[must_use]
    pub(crate) fn byte_of_file(mut self, offset: usize) -> Self {
        self.0.push_str(&format!(", byte {offset} of the file"));
        self
    }

    /// The same position in a file that is itself at `outer` in another file.
    #[must_use]
    pub(crate) fn inside(self, outer: &Self) -> Self {
        match (outer.is_whole(), self.is_whole()) {
            (true, _) => self,
            (false, true) => outer.clone(),
            (false, false) => Self(format!("{outer}, {self}")),
        }
    }

    /// Whether the file as a whole is meant.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_worded_as_an_editor_counts() {
        let position = FilePosition::line(3).column(2).headed("Měna").inside(&FilePosition::entry("a.csv"));
        assert_eq!(position.to_string(), "entry `a.csv`, line 3, column 2 (`Měna`)");
        assert_eq!(FilePosition::line(2).byte_of_file(5).to_string(), "line 2, byte 5 of the file");
        assert_eq!(FilePosition::whole().inside(&FilePosition::entry("a.csv")), FilePosition::entry("a.csv"));
        assert_eq!(FilePosition::byte(1).inside(&FilePosition::whole()), FilePosition::byte(1));
    }
}
