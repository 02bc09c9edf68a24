//! `paycheck.toml`: options of all commands at its top, those of one command in a table of its name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Command;

use super::super::failure::Failure;
use super::options::{OptionSpec, Takes, options};
use crate::base::source::{Diagnostic, Entry, Node, NodeKind, Problems, Source};

/// The default name.
const NAME: &str = "paycheck.toml";

/// The file that is in force, if any.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct ConfigFile {
    /// Its content.
    node: Option<Node>,
    /// The folder that its paths are relative to; empty for the current folder.
    folder: PathBuf,
}

impl ConfigFile {
    /// Reads the named file, or the nearest `paycheck.toml`: in this folder, or in one above it up to the root of the repository.
    /// Folders that may belong to others are not searched.
    pub(in crate::cli) fn find(named: Option<PathBuf>, here: &Path) -> Result<Self, Failure> {
        let path = match named {
            Some(path) => path,
            None => match nearest(here) {
                Some(path) => path.strip_prefix(here).map(Path::to_path_buf).unwrap_or(path),
                None => return Ok(Self::default()),
            },
        };
        let mut problems = Problems::new();
        let source = Source::read_as(&here.join(&path), path.display().to_string(), &mut problems);
        let node = source.and_then(|source| source.parse_toml(&mut problems));
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(problems.or(Self { node, folder })?)
    }

    /// The file, if all of its entries are options or commands of the program.
    pub(in crate::cli) fn checked(self, program: &Command) -> Result<Self, Failure> {
        let mut problems = Problems::new();
        for entry in self.node.iter().flat_map(|node| node.entries().unwrap_or_default()) {
            match entry.value.entries() {
                Some(_) => check_table(program, entry, &mut problems),
                None => check_option(&all_options(program), "no command", entry, &mut problems),
            }
        }
        Ok(problems.or(self)?)
    }

    /// The path of the file.
    pub(in crate::cli) fn path(&self) -> Option<&str> {
        self.node.as_ref().map(|node| node.source.path.as_str())
    }

    /// The values of an option of a command and their position; none for a flag that is false.
    pub(super) fn get(&self, path: &[&str], option: &OptionSpec) -> Option<(Option<Vec<String>>, String)> {
        let root = self.node.as_ref()?;
        let table = path.iter().try_fold(root, |node, name| node.get(name).filter(|below| below.entries().is_some()));
        let of = |node: &'_ Node| node.entries()?.iter().find(|entry| entry.key == option.name && entry.value.entries().is_none()).cloned();
        let entry = table.and_then(of).or_else(|| of(root))?;
        let place = format!("{}:{}", entry.value.source.path, entry.key_span.line);
        let values = texts(&entry.value)?;
        Some(match (option.takes, &entry.value.kind) {
            (Takes::Flag, NodeKind::Bool(false)) => (None, place),
            (Takes::Flag, _) => (Some(Vec::new()), place),
            (Takes::One { path: true } | Takes::Many { path: true }, _) => {
                (Some(values.iter().map(|path| self.resolved(path)).collect()), place)
            }
            (Takes::One { .. } | Takes::Many { .. } | Takes::Rest, _) => (Some(values), place),
        })
    }

    /// Resolves a path relative to the file's own folder.
    fn resolved(&self, path: &str) -> String {
        if path == "-" || self.folder.as_os_str().is_empty() { path.to_owned() } else { self.folder.join(path).display().to_string() }
    }
}

/// The file in this folder, or in one above it inside the repository.
fn nearest(here: &Path) -> Option<PathBuf> {
    let root = here.ancestors().find(|folder| folder.join(".git").exists());
    let folders = here.ancestors().take_while(|folder| root.is_some_and(|root| folder.starts_with(root)));
    let folders = folders.chain(root.is_none().then_some(here));
    folders.map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// The options of every command.
fn all_options(command: &Command) -> Vec<OptionSpec> {
    options(command).chain(command.get_subcommands().flat_map(all_options)).collect()
}

fn check_table(command: &Command, entry: &Entry, problems: &mut Problems) {
    let Some(below) = command.find_subcommand(&entry.key) else {
        let message = format!("there is no command `{}`", entry.key);
        let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        return problems.add(at_key(entry, message).names(&entry.key, names));
    };
    let own: Vec<OptionSpec> = options(below).collect();
    for inner in entry.value.entries().unwrap_or_default() {
        match inner.value.entries() {
            Some(_) => check_table(below, inner, problems),
            None => check_option(&own, &format!("`paycheck {}` has no", below.get_name()), inner, problems),
        }
    }
}

/// Reports unknown options; `whose` begins the message.
fn check_option(known: &[OptionSpec], whose: &str, entry: &Entry, problems: &mut Problems) {
    let mut named = known.iter().filter(|option| option.name == entry.key).peekable();
    if named.peek().is_none() {
        let whose = if whose.starts_with('`') { whose.to_owned() } else { format!("{whose} has an") };
        let names: Vec<_> = known.iter().map(|option| option.name.as_str()).collect();
        return problems.add(at_key(entry, format!("{whose} option `{}`", entry.key)).names(&entry.key, names));
    }
    if !named.any(|option| fits(option.takes, &entry.value)) {
        let takes = known.iter().find(|option| option.name == entry.key).map_or("a value", |option| describe(option.takes));
        problems.add(Diagnostic::at(&entry.value, format!("`{}` is {takes}, but this is {}", entry.key, entry.value.describe())));
    }
}

fn at_key(entry: &Entry, message: String) -> Diagnostic {
    Diagnostic::new(&Arc::clone(&entry.value.source), entry.key_span, message)
}

fn fits(takes: Takes, value: &Node) -> bool {
    match (takes, &value.kind) {
        (Takes::Flag, NodeKind::Bool(_)) => true,
        (Takes::Flag, _) | (_, NodeKind::Bool(_) | NodeKind::Null | NodeKind::Map(_)) => false,
        (Takes::One { .. }, kind) => !matches!(kind, NodeKind::List(_)),
        (Takes::Many { .. } | Takes::Rest, _) => texts(value).is_some(),
    }
}

fn describe(takes: Takes) -> &'static str {
    match takes {
        Takes::Flag => "true or false",
        Takes::One { .. } => "one value",
        Takes::Many { .. } | Takes::Rest => "a value or a list of values",
    }
}

/// The values as they would be typed.
fn texts(value: &Node) -> Option<Vec<String>> {
    match &value.kind {
        NodeKind::Text(text) => Some(vec![text.clone()]),
        NodeKind::Number(number) => Some(vec![number.to_string()]),
        NodeKind::Bool(value) => Some(vec![value.to_string()]),
        NodeKind::List(items) => {
            let items = items.iter().map(|item| if item.list().is_some() { None } else { texts(item) });
            items.collect::<Option<Vec<_>>>().map(|items| items.concat())
        }
        NodeKind::Null | NodeKind::Map(_) => None,
    }
}
