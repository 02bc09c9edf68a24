//! Reads which file of a crate uses which: its arrows, the circles among them, and the arrows against an order of rooms.
//!
//! A file uses another if it names one of its items: in a `use`, or in a path in the code. `crate`, `self` and `super`, nested
//! groups and renamed imports are resolved, and re-exports are followed to the file that defines the item. Declarations
//! (`mod`, and a `pub use` whose name the file doesn't use itself) are no uses, and neither is test code.

mod order;
mod syntax;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

pub use order::{Room, Rooms};
use tree::Tree;

/// A crate on disk.
pub struct Crate;

impl Crate {
    /// Reads the sources in a folder. Beside a `lib.rs`, programs (`main.rs`, `bin/`) are left out: nothing can use them.
    pub fn read(src: &Path) -> Result<Imports, String> {
        let mut files = Vec::new();
        collect(src, String::new(), &mut files)?;
        if files.iter().any(|(path, _)| path == "lib.rs") {
            files.retain(|(path, _)| path != "main.rs" && !path.starts_with("bin/"));
        }
        Imports::parse(files)
    }
}

fn collect(folder: &Path, prefix: String, files: &mut Vec<(String, String)>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            collect(&entry.path(), format!("{prefix}{name}/"), files)?;
        } else if name.ends_with(".rs") {
            files.push((format!("{prefix}{name}"), std::fs::read_to_string(entry.path()).map_err(failed)?));
        }
    }
    Ok(())
}

/// A module's place in the crate; the root has none.
type ModulePath = Vec<String>;

/// One file that uses another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file that uses.
    pub from: String,
    /// The file that is used.
    pub to: String,
    /// What is used.
    pub items: BTreeSet<String>,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<_> = self.items.iter().map(String::as_str).collect();
        write!(f, "{} -> {}: {}", self.from, self.to, items.join(", "))
    }
}

/// Files that use each other, and the arrows between them.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle {
    /// The files, sorted.
    pub files: Vec<String>,
    /// The arrows that tie them.
    pub arrows: Vec<Arrow>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a circle of {} files", self.files.len())?;
        self.arrows.iter().try_for_each(|arrow| write!(f, "\n    {arrow}"))
    }
}

/// All arrows of a crate.
#[derive(Debug)]
pub struct Imports {
    arrows: Vec<Arrow>,
    modules: BTreeMap<String, ModulePath>,
}

impl Imports {
    /// Reads sources by their path below `src`.
    pub fn parse(files: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let mut tree = Tree::default();
        let mut pending: BTreeMap<ModulePath, (String, syn::File)> = BTreeMap::new();
        for (path, text) in files {
            let parsed = syn::parse_file(&text).map_err(|error| format!("{path}: {error}"))?;
            pending.insert(module_path(&path), (path, parsed));
        }
        let root = pending.remove(&ModulePath::new()).ok_or("there is neither a lib.rs nor a main.rs")?;
        tree.add(ModulePath::new(), &root.0, &root.1.items, &mut pending)?;
        let modules = tree.modules.iter().map(|(path, module)| (module.file.clone(), path.clone())).rev().collect();
        Ok(Self { arrows: tree.arrows(), modules })
    }

    /// Every file that uses another.
    pub fn arrows(&self) -> &[Arrow] {
        &self.arrows
    }

    /// Every group of files that use each other.
    pub fn circles(&self) -> Vec<Circle> {
        let mut circles: Vec<Circle> = Vec::new();
        let reach: BTreeMap<&str, BTreeSet<&str>> = self.modules.keys().map(|file| (file.as_str(), self.reach(file))).collect();
        for file in self.modules.keys() {
            let with: Vec<&str> = reach[file.as_str()].iter().copied().filter(|other| reach[other].contains(file.as_str())).collect();
            if !with.is_empty() && !circles.iter().any(|circle| circle.files.contains(file)) {
                let inside = |arrow: &&Arrow| with.contains(&arrow.from.as_str()) && with.contains(&arrow.to.as_str());
                let arrows = self.arrows.iter().filter(inside).cloned().collect();
                circles.push(Circle { files: with.into_iter().map(str::to_owned).collect(), arrows });
            }
        }
        circles
    }

    /// The files that a file leads to, itself included only if it is in a circle.
    fn reach<'s>(&'s self, file: &'s str) -> BTreeSet<&'s str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![file]);
        while let Some(from) = open.pop() {
            let next = self.arrows.iter().filter(|arrow| arrow.from == from).map(|arrow| arrow.to.as_str());
            open.extend(next.filter(|to| found.insert(*to)));
        }
        found
    }
}

fn module_path(file: &str) -> ModulePath {
    let mut path: ModulePath = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let is_root = path.len() == 1 && ["lib", "main"].contains(&path[0].as_str());
    if is_root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}
