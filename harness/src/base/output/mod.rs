//! Report files. The former content stays until the new one is complete: it is written beside and renamed. A device, a pipe or
//! standard output is written to directly and never replaced.

mod clash;
mod destination;
mod draft;
mod partial;
mod stream;

use std::io::{self, Write};
use std::path::Path;

pub use clash::{Clash, clash};
use destination::Destination;
pub use partial::PartialFile;
pub use stream::StreamFile;

/// Replaces a file in one step: a reader, or a crash, finds the former content or all of the new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = Destination::resolve(path).and_then(|destination| match destination {
        Destination::File(file) => draft::replace(&file, bytes),
        stream => stream.open().and_then(|mut out| out.write_all(bytes).and_then(|()| out.flush())),
    });
    written.map_err(|error| named(path, &error))
}

/// Creates a file in one step, with its folder: a crash leaves none, or all of it. Fails where there is one already.
pub fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    draft::create(path, bytes)
}

/// Finds out whether a file can be written, and leaves nothing behind.
pub fn check(path: &Path) -> io::Result<()> {
    let checked = Destination::resolve(path).and_then(|destination| match destination {
        Destination::File(file) => draft::check(&file),
        Destination::Output | Destination::ErrorOutput | Destination::Stream(_) => Ok(()),
    });
    checked.map_err(|error| named(path, &error))
}

/// Whether a path leads to this process's standard output.
pub fn is_standard_output(path: &Path) -> bool {
    matches!(Destination::resolve(path), Ok(Destination::Output))
}

/// The library's error does not name the file.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests;
