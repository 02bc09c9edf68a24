//! One setting: the value of an option, and its origin.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use super::file::ConfigFile;
use super::options::{OptionSpec, Takes};

/// How the name of each variable of the program begins.
pub(super) const PREFIX: &str = "PAYCHECK_";

/// The variables of the environment that begin with `PAYCHECK_`.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The environment of this process. A variable that is no text counts as not set.
    pub(in crate::cli) fn of_this_process() -> Self {
        let texts = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        texts.collect()
    }

    /// The value of a variable.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The names, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().filter(|(name, _)| name.starts_with(PREFIX)).collect())
    }
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Origin {
    /// An environment variable.
    Variable(String),
    /// A line of the file: `paycheck.toml:3`.
    File(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::File(place) => f.write_str(place),
        }
    }
}

/// An option that is set, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The option, without dashes.
    pub(super) name: String,
    /// Its values; none of a flag.
    pub(super) values: Vec<String>,
    /// Its origin.
    pub(super) origin: Origin,
    /// Whether it takes all words that follow.
    pub(super) takes_the_rest: bool,
}

impl Setting {
    /// The equivalent words on the command line.
    pub(super) fn words(&self) -> Vec<OsString> {
        let name = &self.name;
        match (self.takes_the_rest, self.values.is_empty()) {
            (_, true) => vec![format!("--{name}").into()],
            (true, false) => std::iter::once(format!("--{name}")).chain(self.values.clone()).map(OsString::from).collect(),
            (false, false) => self.values.iter().map(|value| format!("--{name}={value}").into()).collect(),
        }
    }
}

/// The value of an option in the environment or the file: the variable of this command, the variable of all commands, the table
/// of this command, the top of the file. A flag that is set to false is not set.
pub(super) fn setting(path: &[&str], option: &OptionSpec, environment: &Environment, file: &ConfigFile) -> Result<Option<Setting>, String> {
    let variables = [variable(path, &option.name), variable(&[], &option.name)];
    for name in variables {
        if let Some(text) = environment.get(&name).filter(|text| !text.is_empty()) {
            let values = from_variable(option, text).ok_or_else(|| {
                format!("the environment variable {name} sets `--{}`, which is true or false; it is `{text}`", option.name)
            })?;
            return Ok(values.map(|values| made(option, values, Origin::Variable(name))));
        }
    }
    Ok(file.get(path, option).and_then(|(values, place)| values.map(|values| made(option, values, Origin::File(place)))))
}

fn made(option: &OptionSpec, values: Vec<String>, origin: Origin) -> Setting {
    Setting { name: option.name.clone(), values, origin, takes_the_rest: option.takes == Takes::Rest }
}

/// `PAYCHECK_VERIFY_MAX_FAILURES`, or for all commands `PAYCHECK_MAX_FAILURES`.
pub(super) fn variable(path: &[&str], option: &str) -> String {
    let words = ["paycheck"].into_iter().chain(path.iter().copied()).chain([option]);
    words.collect::<Vec<_>>().join("_").replace('-', "_").to_ascii_uppercase()
}

/// The values of a variable, separated by commas. Returns `Some(None)` for a flag that is false, and `None` for a flag with any
/// other text.
fn from_variable(option: &OptionSpec, text: &str) -> Option<Option<Vec<String>>> {
    match option.takes {
        Takes::One { .. } => Some(Some(vec![text.to_owned()])),
        Takes::Many { .. } => Some(Some(text.split(',').map(|part| part.trim().to_owned()).collect())),
        Takes::Rest => Some(Some(text.split_whitespace().map(str::to_owned).collect())),
        Takes::Flag => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(Some(Vec::new())),
            "0" | "false" | "no" | "off" => Some(None),
            _ => None,
        },
    }
}
