//! Where data files come from: the binary itself, or a folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rust_embed::RustEmbed;

use super::folder::{below, is_data};
use super::layout::{self, Layouts};
use crate::base::source::{Problems, Source};

#[derive(RustEmbed)]
#[folder = "../contracts"]
struct EmbeddedContracts;

#[derive(RustEmbed)]
#[folder = "../scenarios"]
struct EmbeddedScenarios;

#[derive(RustEmbed)]
#[folder = "../load"]
struct EmbeddedProfiles;

/// A set of text files by their path relative to the root of the set, with `/` between folders.
#[derive(Debug, Default, Clone)]
pub struct Files(BTreeMap<String, Arc<Source>>);

impl Files {
    /// The contracts in the binary.
    pub fn contracts() -> Self {
        Self(embedded::<EmbeddedContracts>("contracts"))
    }

    /// The scenarios in the binary.
    pub fn scenarios() -> Self {
        Self(embedded::<EmbeddedScenarios>("scenarios"))
    }

    /// Whether the binary holds the scenario at this path: `scenarios/gateway/refund.yaml`.
    pub fn is_shipped_scenario(path: &str) -> bool {
        path.strip_prefix("scenarios/").is_some_and(|path| EmbeddedScenarios::get(path).is_some())
    }

    /// The load profiles in the binary.
    pub fn profiles() -> Self {
        Self(embedded::<EmbeddedProfiles>("load"))
    }

    /// Files from memory, for tests.
    pub fn from_texts<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.to_owned(), Source::new(path, text))).collect())
    }

    /// All `.yaml` and `.json` files below a folder, or the one file that `root` is.
    pub fn read(root: &Path, problems: &mut Problems) -> Self {
        if root.is_file() {
            return Self(Source::read(root, problems).map(|source| (name_of(root), source)).into_iter().collect());
        }
        let paths = below(root, problems).into_iter();
        Self(paths.filter_map(|path| Some((relative(root, &path), Source::read(&path, problems)?))).collect())
    }

    /// Adds the files of another set, by where they are on disk: two folders may have files of the same name, and a file that is in
    /// both sets is kept once.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0.into_values().map(|source| (on_disk(&source), source)));
    }

    /// The contracts of a target that states these layouts.
    pub fn with_layouts(&self, layouts: &Layouts) -> Self {
        if layouts.is_empty() {
            return self.clone();
        }
        let schemas = self.matching(|path| path.starts_with("schemas/"));
        let rows = schemas.filter_map(|(_, schema)| layout::read_rows(&schema.parse(&mut Problems::new())?)).collect();
        let stated = |source: &Arc<Source>| match layout::with_layouts(source, layouts, &rows) {
            Some(text) => Source::new(source.path.clone(), text),
            None => Arc::clone(source),
        };
        Self(self.0.iter().map(|(path, source)| (path.clone(), stated(source))).collect())
    }

    /// The files whose path matches, in the order of their paths.
    pub fn matching(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&str, &Arc<Source>)> {
        self.0.iter().filter(move |(path, _)| wanted(path)).map(|(path, source)| (path.as_str(), source))
    }

    /// Leaves only the files that are wanted, by path and text.
    pub fn retain(&mut self, wanted: impl Fn(&str, &Source) -> bool) {
        self.0.retain(|path, source| wanted(path, source));
    }

    /// One file.
    pub fn get(&self, path: &str) -> Option<&Arc<Source>> {
        self.0.get(path)
    }

    /// The path of every file.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn embedded<E: RustEmbed>(root: &str) -> BTreeMap<String, Arc<Source>> {
    E::iter()
        .filter(|path| is_data(Path::new(path.as_ref())))
        .filter_map(|path| {
            let text = String::from_utf8(E::get(&path)?.data.into_owned()).ok()?;
            Some((path.to_string(), Source::new(format!("{root}/{path}"), text)))
        })
        .collect()
}

/// Where a file is, however its path is spelled.
fn on_disk(source: &Source) -> String {
    Path::new(&source.path).canonicalize().map_or_else(|_| source.path.clone(), |path| path.to_string_lossy().into_owned())
}

/// The folder and name of a file, however its path is spelled.
fn name_of(file: &Path) -> String {
    let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = beside.canonicalize().unwrap_or_else(|_| beside.to_path_buf());
    let names = [folder.file_name(), file.file_name()].into_iter().flatten();
    names.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

fn relative(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name_however_its_path_is_spelled() {
        let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        for path in [Path::new("Cargo.toml"), Path::new("./Cargo.toml"), Path::new("src/../Cargo.toml"), whole.as_path()] {
            assert_eq!(name_of(path), "harness/Cargo.toml", "{}", path.display());
        }
    }

    #[test]
    fn files_of_one_name_in_two_folders_are_two_and_a_file_named_twice_is_one() {
        let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
        let named = |paths: &[&str]| {
            let mut problems = Problems::new();
            let mut files = Files::default();
            paths.iter().for_each(|path| files.extend(Files::read(&scenarios.join(path), &mut problems)));
            files.0.len()
        };
        let (terminal, qr) = (named(&["terminal"]), named(&["qr"]));
        assert_eq!(named(&["terminal", "qr"]), terminal + qr);
        assert_eq!(named(&["qr", "../scenarios/qr", "qr/a-reference-comes-back-unchanged.yaml"]), qr);
    }
}
