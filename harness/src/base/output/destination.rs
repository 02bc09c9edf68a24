//! The kind of thing at an output path: a file, a device, a stream of this process.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of standard output.
const DASH: &str = "-";

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Standard output of this process, under whatever name.
    Output,
    /// Standard error of this process, under whatever name.
    ErrorOutput,
    /// Something else that takes bytes but is no regular file: a device, a pipe.
    Stream(PathBuf),
    /// A regular file, or none yet. Links are followed.
    File(PathBuf),
}

impl Destination {
    /// Inspects a path without opening it.
    pub(super) fn resolve(path: &Path) -> io::Result<Self> {
        if path == Path::new(DASH) {
            return Ok(Self::Output);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
            Ok(found) => Self::existing(path, &found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::missing(path),
            Err(error) => Err(error),
        }
    }

    fn existing(path: &Path, found: &Metadata) -> io::Result<Self> {
        match own_output(found) {
            Some(own) => Ok(own),
            None if found.is_file() => fs::canonicalize(path).map(Self::File),
            None => Ok(Self::Stream(path.to_owned())),
        }
    }

    /// A dangling link may have been meant for another place, so nothing is created through it.
    fn missing(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(_) => Err(io::Error::new(io::ErrorKind::NotFound, "it is a link to nothing")),
            Err(_) => Ok(Self::File(path.to_owned())),
        }
    }

    /// Opens a destination that is no regular file; writing appends to it.
    pub(super) fn open(self) -> io::Result<Box<dyn Write + Send>> {
        match self {
            Self::Output => Ok(Box::new(io::stdout())),
            Self::ErrorOutput => Ok(Box::new(io::stderr())),
            Self::Stream(path) | Self::File(path) => Ok(Box::new(OpenOptions::new().append(true).open(path)?)),
        }
    }
}

/// Which of the process's own streams this is, if any: `/dev/stdout`, or the file that the shell redirects to.
#[cfg(unix)]
fn own_output(found: &Metadata) -> Option<Destination> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;

    let is = |own: std::os::fd::BorrowedFd<'_>| {
        let own = own.try_clone_to_owned().and_then(|own| fs::File::from(own).metadata());
        own.is_ok_and(|own| (found.dev(), found.ino()) == (own.dev(), own.ino()))
    };
    if is(io::stdout().as_fd()) {
        return Some(Destination::Output);
    }
    is(io::stderr().as_fd()).then_some(Destination::ErrorOutput)
}

#[cfg(not(unix))]
fn own_output(_: &Metadata) -> Option<Destination> {
    None
}
