//! The contract files, each parsed once: schemas refer to one another, and every reader asks for what others have read.

use std::collections::BTreeMap;

use super::files::Files;
use crate::base::source::{Node, Problems};

/// The parsed files of a set, by their path within it.
pub(super) struct ParsedFiles<'f> {
    files: &'f Files,
    /// Without those that can't be parsed, which are reported.
    roots: BTreeMap<&'f str, Node>,
}

impl<'f> ParsedFiles<'f> {
    /// Parses every file but the models of `paycheck explore`, which are read separately.
    pub(super) fn parse(files: &'f Files, problems: &mut Problems) -> Self {
        let contracts = files.matching(|path| !path.starts_with("models/"));
        let roots = contracts.filter_map(|(path, source)| Some((path, source.parse(problems)?))).collect();
        Self { files, roots }
    }

    /// The root of a file, unless the file can't be parsed or is not there.
    pub(super) fn get(&self, path: &str) -> Option<&Node> {
        self.roots.get(path)
    }

    /// The roots of the files whose path matches, in the order of their paths.
    pub(super) fn matching(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'f str, &Node)> {
        self.roots.iter().filter(move |(path, _)| wanted(path)).map(|(path, root)| (*path, root))
    }

    /// Whether there is such a file, parsed or not.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.get(path).is_some()
    }

    /// The path of every file.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.paths()
    }
}
