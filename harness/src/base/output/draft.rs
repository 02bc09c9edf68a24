//! A file that is written beside the one that it replaces.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// The ending of a draft's name while a run goes on.
pub(super) const PARTIAL: &str = ".partial";

/// The longest part of a file's name that its draft repeats.
const MAX_NAME: usize = 100;

/// The beginning of a draft's name: that of its file.
pub(super) fn prefix(file: &Path) -> String {
    let name: String = file.file_name().unwrap_or_default().to_string_lossy().chars().take(MAX_NAME).collect();
    format!("{name}.")
}

/// Writes all bytes beside the file, and takes its place.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = beside(file, ".paycheck-", ".tmp")?;
    draft.write_all(bytes)?;
    persist(draft, file)
}

/// Writes all bytes beside the file, and gives them its name, which no file has yet.
pub(super) fn create(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = beside(file, ".paycheck-", ".tmp")?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    draft.persist_noclobber(file).map(drop).map_err(|error| error.error)
}

/// An empty file in the same folder, because a rename is only atomic within one file system.
pub(super) fn beside(file: &Path, prefix: &str, suffix: &str) -> io::Result<NamedTempFile> {
    let folder = folder_of(file);
    fs::create_dir_all(folder).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let draft = builder.tempfile_in(folder)?;
    if let Ok(former) = fs::metadata(file) {
        OpenOptions::new().append(true).open(file)?;
        draft.as_file().set_permissions(former.permissions())?;
    }
    Ok(draft)
}

/// Renames the draft to the file.
pub(super) fn persist(draft: NamedTempFile, file: &Path) -> io::Result<()> {
    draft.as_file().sync_all()?;
    draft.persist(file).map(drop).map_err(|error| error.error)
}

/// Whether a draft can be made beside the file; missing folders are not created yet.
pub(super) fn check(file: &Path) -> io::Result<()> {
    let folder = folder_of(file);
    if folder.exists() {
        return beside(file, ".paycheck-", ".tmp").map(drop);
    }
    let existing = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    // The library names its own temporary file, which is of no use to the user.
    let no_folder = |error: io::Error| {
        io::Error::new(error.kind(), format!("the folder {} can't be made: {}", folder.display(), io::Error::from(error.kind())))
    };
    Builder::new().prefix(".paycheck-").tempfile_in(existing).map(drop).map_err(no_folder)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
