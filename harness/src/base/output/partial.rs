//! A draft of a file that is complete only at the end of a run. It is rewritten now and then, so that a crash loses little.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::destination::Destination;
use super::{draft, named};

/// A file beside the final one, with a name that ends in `.partial`. Dropping it removes it; if the process dies, the last whole
/// version stays.
#[derive(Debug)]
pub struct PartialFile {
    draft: TempPath,
    /// Whether anything was written.
    written: Cell<bool>,
}

impl PartialFile {
    /// Creates the draft of a file; none if that is no regular file, and so has no place beside it.
    ///
    /// # Errors
    /// When it can't be written; the error names the file.
    pub fn beside(path: &Path) -> io::Result<Option<Self>> {
        let make = |file: &Path| draft::beside(file, &draft::prefix(file), draft::PARTIAL).map(NamedTempFile::into_temp_path);
        let made = Destination::resolve(path).and_then(|destination| match destination {
            Destination::File(file) => make(&file).map(|draft| Some(Self { draft, written: Cell::new(false) })),
            Destination::Output | Destination::ErrorOutput | Destination::Stream(_) => Ok(None),
        });
        made.map_err(|error| named(path, &error))
    }

    /// Replaces what it holds in one step. It is not forced to the disk: it is there for when the process dies, not the machine.
    ///
    /// # Errors
    /// When it can't be written; the error names it. It holds what it held before.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let write = || {
            let mut next = draft::beside(&self.draft, ".paycheck-", ".tmp")?;
            next.write_all(bytes)?;
            next.persist(&self.draft).map(drop).map_err(|error| error.error)
        };
        write().map_err(|error| named(&self.draft, &error))?;
        self.written.set(true);
        Ok(())
    }

    /// Keeps the draft on disk and returns its path; none if nothing was written.
    pub fn keep(self) -> Option<PathBuf> {
        self.written.get().then(|| self.draft.keep().ok()).flatten()
    }
}
