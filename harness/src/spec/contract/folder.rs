//! The files below a folder: links are followed, each folder is read once, and what is no file is never opened.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::source::{Diagnostic, Problems};

/// The most files and folders below a folder; more of them are taken for a mistake, such as a link to the whole disk.
const MOST: usize = 20_000;

/// The `.yaml` and `.json` files below a folder.
pub(super) fn below(root: &Path, problems: &mut Problems) -> Vec<PathBuf> {
    let mut walk = Walk { folders: vec![root.to_path_buf()], ..Walk::default() };
    // A link may lead to a folder that is read under its own name too.
    while let Some(folder) = walk.folders.pop().or_else(|| walk.links.pop()) {
        let read = folder.canonicalize().is_ok_and(|real| !walk.read.insert(real));
        if !read && let Err(error) = walk.enter(&folder, problems) {
            problems.add(Diagnostic::of_file(folder.display().to_string(), format!("cannot be listed: {error}")));
        }
        if walk.seen > MOST {
            problems.add(Diagnostic::of_file(root.display().to_string(), format!("there are more than {MOST} files and folders below it")));
            return Vec::new();
        }
    }
    walk.files
}

/// What was found so far.
#[derive(Default)]
struct Walk {
    folders: Vec<PathBuf>,
    /// Folders by another name, which are read last.
    links: Vec<PathBuf>,
    /// The folders that were read, by the one name that each has.
    read: HashSet<PathBuf>,
    files: Vec<PathBuf>,
    seen: usize,
}

impl Walk {
    fn enter(&mut self, folder: &Path, problems: &mut Problems) -> io::Result<()> {
        // Of a folder without end no more is listed than is allowed.
        let entries: io::Result<Vec<_>> = std::fs::read_dir(folder)?.take(MOST + 1).collect();
        let mut paths: Vec<PathBuf> = entries?.into_iter().map(|entry| entry.path()).collect();
        paths.sort_unstable_by(|a, b| b.cmp(a));
        self.seen = self.seen.saturating_add(paths.len());
        paths.into_iter().for_each(|path| self.add(path, problems));
        Ok(())
    }

    fn add(&mut self, path: PathBuf, problems: &mut Problems) {
        match path.metadata() {
            Ok(entry) if entry.is_dir() && path.is_symlink() => self.links.push(path),
            Ok(entry) if entry.is_dir() => self.folders.push(path),
            _ if !is_data(&path) => {}
            // Opening a pipe would block until something writes to it.
            Ok(entry) if !entry.is_file() => {
                problems.add(Diagnostic::of_file(path.display().to_string(), "is a pipe or a device, not a file".to_owned()));
            }
            // The error of a file that can't be read is reported when it is opened.
            Ok(_) | Err(_) => self.files.push(path),
        }
    }
}

/// Whether the name is that of a file with data.
pub(super) fn is_data(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "json")
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// The names of the files below a folder, and what is wrong with it.
    fn read(root: &Path) -> (Vec<String>, String) {
        let mut problems = Problems::new();
        let files = below(root, &mut problems);
        (files.iter().filter_map(|path| Some(path.strip_prefix(root).ok()?.display().to_string())).collect(), problems.to_string())
    }

    #[test]
    fn a_folder_is_read_once_however_many_links_lead_to_it() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("z");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a.yaml"), "").unwrap();
        ["a", "b", "c"].iter().for_each(|name| symlink(".", root.path().join(name)).unwrap());
        ["a", "b", "c"].iter().for_each(|name| symlink("..", inner.join(name)).unwrap());
        symlink("z", root.path().join("y")).unwrap();
        assert_eq!(read(root.path()), (vec!["z/a.yaml".to_owned()], String::new()));
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let root = tempfile::tempdir().unwrap();
        for (target, link) in [("/dev/zero", "zero.yaml"), ("/dev/null", "null.json"), ("/dev/zero", "zero")] {
            symlink(target, root.path().join(link)).unwrap();
        }
        let (names, problems) = read(root.path());
        assert!(names.is_empty() && problems.matches("is a pipe or a device").count() == 2, "{names:?} {problems}");
    }

    #[test]
    fn a_tree_without_end_is_a_mistake() {
        let root = tempfile::tempdir().unwrap();
        let many = root.path().join("many");
        fs::create_dir(&many).unwrap();
        (0..=MOST).for_each(|number| symlink("nowhere", many.join(number.to_string())).unwrap());
        let (names, problems) = read(root.path());
        assert!(names.is_empty() && problems.contains("more than 20000 files"), "{problems}");
    }
}
