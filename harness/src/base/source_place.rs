//! A place in a file that a user has written.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A file, with the line and the column if one is meant: `scenarios/gateway/refund.yaml:12:5`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    file: String,
    at: Option<(usize, usize)>,
    /// As it is shown; it is shown far more often than it is made.
    text: String,
}

impl SourcePlace {
    /// A line and a column of a file, each counted from 1.
    pub fn new(file: impl Into<String>, line: usize, column: usize) -> Self {
        let file = file.into();
        let text = format!("{file}:{line}:{column}");
        Self { file, at: Some((line, column)), text }
    }

    /// A whole file.
    pub fn of_file(file: impl Into<String>) -> Self {
        let file = file.into();
        Self { text: file.clone(), file, at: None }
    }

    /// The file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line and the column, if one is meant.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.at
    }

    /// The place as it is shown.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Serialises as it is shown.
impl Serialize for SourcePlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Reads what events and tapes hold.
impl<'de> Deserialize<'de> for SourcePlace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parts = text.rsplit_once(':').and_then(|(rest, column)| Some((rest.rsplit_once(':')?, column)));
        let place = parts.and_then(|((file, line), column)| Some(Self::new(file, line.parse().ok()?, column.parse().ok()?)));
        Ok(place.unwrap_or_else(|| Self::of_file(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written() {
        for place in [SourcePlace::new("a:1/refund.yaml", 12, 5), SourcePlace::of_file("refund.yaml"), SourcePlace::of_file("a:b:c")] {
            let text = serde_json::to_string(&place).unwrap();
            assert_eq!(serde_json::from_str::<SourcePlace>(&text).unwrap(), place);
            assert_eq!(text, format!("\"{place}\""));
        }
    }
}
