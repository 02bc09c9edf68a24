//! Environment variables that look like those of options and are none: a mistyped one would be ignored.
//!
//! Names that begin with `PAYCHECK_` also hold secrets and whatever a target file or a script of the user reads, so an unknown name
//! alone is no mistake. It is one if it begins like the variables of a command, or nearly equals the variable of an option.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use clap::{ArgMatches, Command};

use super::super::failure::Failure;
use super::super::inputs;
use super::options::{NOT_SET, options};
use super::origin::{Environment, PREFIX, Setting, variable};
use crate::base::source::nearest;

/// Read without being an option: the file of options, and what is logged.
const OTHERS: [&str; 2] = ["PAYCHECK_CONFIG", "PAYCHECK_LOG"];
/// Larger files are not searched for the variables that they name.
const MAX_BYTES: u64 = 1 << 20;

/// Refuses variables that are meant for an option and set none. `values` are what the command line and settings give: a file among
/// them may name variables of its own.
pub(super) fn refuse<'v>(program: &Command, environment: &Environment, values: impl Iterator<Item = &'v OsStr>) -> Result<(), Failure> {
    let mut known: Vec<String> = OTHERS.map(str::to_owned).to_vec();
    let mut prefixes = Vec::new();
    collect(program, &[], &mut known, &mut prefixes);
    let is_set = |name: &&str| environment.get(name).is_some_and(|text| !text.is_empty());
    let suspects = environment.names().filter(is_set).filter_map(|name| suspect(name, &known, &prefixes)).collect::<Vec<_>>();
    if suspects.is_empty() {
        return Ok(());
    }
    let parts = &inputs::contracts(None)?.credential_parts;
    let files: Vec<String> = values.filter_map(|value| text_of(Path::new(value))).collect();
    let is_of_the_user = |name: &str| ends_with_a_part(name, parts) || files.iter().any(|text| text.contains(name));
    let mistakes: Vec<String> = suspects.into_iter().filter(|(name, _)| !is_of_the_user(name)).map(|(_, message)| message).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(Failure::invalid(mistakes.join("\n"))) }
}

/// The values that were typed, and those of the settings.
pub(super) fn values<'v>(given: &'v ArgMatches, settings: &'v [Setting]) -> impl Iterator<Item = &'v OsStr> {
    let typed = given.ids().filter_map(|id| given.try_get_raw(id.as_str()).ok().flatten()).flatten();
    typed.chain(settings.iter().flat_map(|setting| &setting.values).map(OsStr::new))
}

/// The variables of all options, and how those of each command begin.
fn collect(command: &Command, path: &[&str], known: &mut Vec<String>, prefixes: &mut Vec<String>) {
    if path.first().is_some_and(|name| NOT_SET.contains(name)) {
        return;
    }
    for option in options(command) {
        known.extend([variable(path, &option.name), variable(&[], &option.name)]);
    }
    if !path.is_empty() {
        prefixes.push(variable(path, ""));
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let path: Vec<&str> = path.iter().copied().chain([below.get_name()]).collect();
        collect(below, &path, known, prefixes);
    }
}

/// A name that is meant for an option, and why it is a mistake.
fn suspect<'n>(name: &'n str, known: &[String], prefixes: &[String]) -> Option<(&'n str, String)> {
    if known.iter().any(|known| known == name) {
        return None;
    }
    let near = nearest(name, known.iter().map(String::as_str));
    let is_of_a_command = prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
    let nearly_equal = known.iter().filter(|known| is_nearly(name, known)).min_by_key(|known| strsim::osa_distance(name, known));
    if !is_of_a_command && nearly_equal.is_none() {
        return None;
    }
    let near = nearly_equal.map(String::as_str).or(near).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    Some((name, format!("the environment variable `{name}` sets no option{near}; unset it, or rename it if it is yours")))
}

/// Whether a name is another with a slip of the finger: one in a short name, two in a longer one.
fn is_nearly(name: &str, known: &str) -> bool {
    let (name, known) = (name.trim_start_matches(PREFIX), known.trim_start_matches(PREFIX));
    let most = if name.len() < 6 { 1 } else { 2 };
    name.len() > 2 && name.len().abs_diff(known.len()) <= most && strsim::osa_distance(name, known) <= most
}

/// Whether a name ends as a part of a credential does: `PAYCHECK_QR_PASSWORD`.
fn ends_with_a_part(name: &str, parts: &[String]) -> bool {
    parts.iter().any(|part| name.ends_with(variable(&[], part).trim_start_matches("PAYCHECK")))
}

fn text_of(path: &Path) -> Option<String> {
    let readable = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
    readable.then(|| fs::read(path).ok()).flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
