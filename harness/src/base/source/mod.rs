//! Located reading: every mistake in a file is reported with its line and column.
//!
//! A file is parsed to a tree of [`Node`]s that know their position. Readers decode it with [`Fields`] and collect mistakes
//! in [`Problems`], so that all mistakes of a file are reported together, each drawn under its source line with the nearest
//! valid name.

#[cfg(test)]
pub(crate) mod asked;
mod diagnostic;
mod fields;
mod node;
mod suggest;
mod text;
mod toml;
mod yaml;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

pub use diagnostic::{Diagnostic, Problems};
pub use fields::Fields;
pub use node::{Entry, Node, NodeKind, Span};
pub use suggest::nearest;
pub use text::Source;

/// The largest file that is read; a larger one is taken for a mistake.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The most files of a folder that are compared with a name.
const MAX_NEIGHBOURS: usize = 1_000;

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
                let problem = Diagnostic::of_file(name, format!("the file {message}"));
                problems.add(match neighbour(path) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem,
                });
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

/// The file with the nearest name in the folder of a file that is not there.
fn neighbour(path: &Path) -> Option<String> {
    let (name, folder) = (path.file_name()?.to_str()?, path.parent()?);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).ok().filter(|_| !path.exists())?;
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).take(MAX_NEIGHBOURS).collect();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The bytes of a file, unless there are too many of them. What they are is found out by reading: a device has no size.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > most {
        return Err(format!("is {size} bytes; the limit is {most}"));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most { Err(format!("is longer than {most} bytes, which is the limit")) } else { Ok(bytes) }
}

fn unreadable(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

fn read_bounded(path: &Path) -> Result<String, String> {
    String::from_utf8(read_bytes(path, MAX_FILE_BYTES)?).map_err(|e| {
        let line = e.as_bytes().iter().take(e.utf8_error().valid_up_to()).filter(|b| **b == b'\n').count() + 1;
        format!("is not UTF-8 (line {line}); save the file as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_of_a_file_is_read_than_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_bytes(&path, 5).as_deref(), Ok(&b"12345"[..]));
        assert_eq!(read_bytes(&path, 4), Err("is 5 bytes; the limit is 4".to_owned()));
        assert_eq!(read_bytes(&folder.path().join("b"), 4), Err("does not exist".to_owned()));
    }

    #[test]
    fn a_file_that_is_not_there_may_be_one_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("target.yaml"), "").unwrap();
        let mistake = |name: &str| {
            let mut problems = Problems::new();
            assert!(Source::read_as(&folder.path().join(name), name.to_owned(), &mut problems).is_none());
            problems.or(None::<()>).unwrap_err().to_string().trim_end().to_owned()
        };
        assert_eq!(mistake("target.yml"), "target.yml: the file does not exist (did you mean `target.yaml`?)");
        assert_eq!(mistake("load"), "load: the file does not exist");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_that_never_ends_is_not_read_to_its_end() {
        assert_eq!(read_bytes(Path::new("/dev/zero"), 9), Err("is longer than 9 bytes, which is the limit".to_owned()));
    }
}
