//! Report files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file; its folders are created.
    File(PathBuf),
    /// Standard output.
    Stdout,
}

impl Destination {
    /// `-` is standard output.
    pub fn new(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path.to_owned()) }
    }

    /// Writes the report in one step.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(path) => write_whole(path, bytes),
            Self::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
        }
    }

    /// Opens it to be written as the run goes.
    pub fn open(&self) -> io::Result<Box<dyn Write + Send>> {
        Ok(match self {
            Self::File(path) => Box::new(create_file(path)?),
            Self::Stdout => Box::new(BufWriter::new(io::stdout())),
        })
    }
}

/// Opens a file to be written as the run goes, its folders created.
pub fn create_file(path: &Path) -> io::Result<BufWriter<File>> {
    create_folder(path)?;
    File::create(path).map(BufWriter::new).map_err(|error| named(path, &error))
}

/// Replaces a file in one step: a reader, or a crash, finds the former content or all of the new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_folder(path)?;
    let draft = draft_of(path);
    let written = write_and_sync(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    written.map_err(|error| {
        // The first error is the one to report, not that the draft can't be removed.
        let _ = fs::remove_file(&draft);
        named(path, &error)
    })
}

fn create_folder(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| named(folder, &error)),
        None => Ok(()),
    }
}

/// Beside the file, because a rename is only atomic within one file system.
fn draft_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The library's error doesn't say which file.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_created_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/report.xml");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_whole(folder.path(), b"one").unwrap_err();
        assert!(error.to_string().contains(&folder.path().display().to_string()), "{error}");
        let error = create_file(folder.path()).unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
    }
}
