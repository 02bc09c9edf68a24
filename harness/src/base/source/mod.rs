//! Located reading: every mistake in a file is reported with its line and column.
//!
//! A file is parsed to a tree of [`Node`]s that know their position. Readers decode it with [`Fields`] and collect mistakes
//! in [`Problems`], so that all mistakes of a file are reported together, each drawn under its source line with the nearest
//! valid name.

mod diagnostic;
mod fields;
mod node;
mod suggest;
mod text;
mod toml;
mod yaml;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use diagnostic::{Diagnostic, Problems};
pub use fields::Fields;
pub use node::{Entry, Kind, Node, Span};
pub use suggest::nearest;
pub use text::Source;

/// The largest file that is read; a larger one is taken for a mistake.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

impl Source {
    /// Reads a file. A file that is unreadable, too large or not UTF-8 is a problem like any other.
    pub fn read(path: &Path, problems: &mut Problems) -> Option<Arc<Self>> {
        Self::read_as(path, path.display().to_string(), problems)
    }

    /// Reads a file and reports its mistakes under another name.
    pub fn read_as(path: &Path, name: String, problems: &mut Problems) -> Option<Arc<Self>> {
        match read_bounded(path) {
            Ok(text) => Some(Self::new(name, text)),
            Err(message) => {
                problems.add(Diagnostic::of_file(name, message));
                None
            }
        }
    }

    /// Parses the text as one YAML 1.2 document (of which JSON is a part).
    pub fn parse(self: &Arc<Self>, problems: &mut Problems) -> Option<Node> {
        let parsed = yaml::parse(self, problems);
        parsed.map_err(|problem| problems.add(problem)).ok()
    }

    /// Parses the text as TOML.
    pub fn parse_toml(self: &Arc<Self>, problems: &mut Problems) -> Option<Node> {
        toml::parse(self).map_err(|problem| problems.add(problem)).ok()
    }
}

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

fn read_bounded(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|e| unreadable(&e))?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("is {size} bytes; the limit is {MAX_FILE_BYTES}"));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(&e))?;
    String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes().iter().take(e.utf8_error().valid_up_to()).filter(|b| **b == b'\n').count() + 1;
        format!("is not UTF-8 (line {line}); save the file as UTF-8")
    })
}
