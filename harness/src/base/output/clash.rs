//! Files that a command would both read and write, or write twice.

use std::fs;
use std::path::{Path, PathBuf};

use super::destination::Destination;

/// Why a command cannot use these files together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Clash {
    /// The input would be lost.
    #[error("{0} would be written, and is read: give the output another name")]
    Input(String),
    /// One of them would be lost.
    #[error("{0} would be written twice: give each output a name of its own")]
    Twice(String),
}

/// Checks that no output is an input or another output, under any name. An input may be a folder, all of whose files are read; an output
/// may be one that files are written into.
/// Devices, pipes and standard output may take several outputs.
pub fn clash(inputs: &[&Path], outputs: &[&Path]) -> Option<Clash> {
    let inputs: Vec<PathBuf> = inputs.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let mut seen: Vec<Destination> = Vec::new();
    for path in outputs {
        if path.is_dir() && fs::canonicalize(path).is_ok_and(|folder| inputs.contains(&folder)) {
            return Some(Clash::Input(path.display().to_string()));
        }
        let Some(destination) = identity(path) else { continue };
        if let Destination::File(file) = &destination
            && !file.is_dir()
            && inputs.iter().any(|input| is_read(input, file))
        {
            return Some(Clash::Input(path.display().to_string()));
        }
        if !matches!(destination, Destination::Stream(_)) && seen.contains(&destination) {
            return Some(Clash::Twice(path.display().to_string()));
        }
        seen.push(destination);
    }
    None
}

/// Where a path leads, under one name however it is spelled. Files are also the same if they are links to the same content.
fn identity(path: &Path) -> Option<Destination> {
    if path.is_dir() {
        return fs::canonicalize(path).ok().map(Destination::File);
    }
    match Destination::resolve(path).ok()? {
        Destination::File(file) => Some(Destination::File(located(&file))),
        other => Some(other),
    }
}

/// The path of a file that may not exist yet, in a folder that may not exist yet.
fn located(file: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(file) {
        return found;
    }
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let existing = absolute.ancestors().find_map(|ancestor| Some((fs::canonicalize(ancestor).ok()?, ancestor)));
    let below = existing.and_then(|(found, ancestor)| Some(found.join(absolute.strip_prefix(ancestor).ok()?)));
    below.unwrap_or(absolute)
}

fn is_read(input: &Path, file: &Path) -> bool {
    input == file || (input.is_dir() && file.starts_with(input) && file.exists()) || is_same(input, file)
}

/// Two names of one content.
#[cfg(unix)]
fn is_same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    identity(a).is_some_and(|found| Some(found) == identity(b))
}

#[cfg(not(unix))]
fn is_same(_: &Path, _: &Path) -> bool {
    false
}
