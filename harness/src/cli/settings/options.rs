//! The options of a command that may be set elsewhere: all documented ones except those that ask for help.

use std::any::TypeId;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

/// The option that names the file itself.
pub(super) const CONFIG: &str = "config";

/// Commands about Paycheck itself, which play nothing: their options are set on the command line alone.
pub(super) const NOT_SET: [&str; 6] = ["completions", "config", "exit-codes", "init", "man", "schema"];

/// An option of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OptionSpec {
    /// Its id in what was parsed.
    pub(super) id: String,
    /// Its name on the command line, without dashes.
    pub(super) name: String,
    /// Its kind of value.
    pub(super) takes: Takes,
    /// Its default.
    pub(super) default: Option<String>,
}

/// The kind of value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// None: it is present or absent.
    Flag,
    /// One value; `path` if it is a path.
    One { path: bool },
    /// A value each time it is given.
    Many { path: bool },
    /// All words that follow.
    Rest,
}

/// The options of a command that may be set.
pub(super) fn options(command: &Command) -> impl Iterator<Item = OptionSpec> {
    command.get_arguments().filter_map(option)
}

fn option(arg: &Arg) -> Option<OptionSpec> {
    let name = arg.get_long().filter(|_| !arg.is_hide_set() && arg.get_id() != CONFIG)?;
    let path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let takes = match arg.get_action() {
        ArgAction::SetTrue => Takes::Flag,
        ArgAction::Set => Takes::One { path },
        ArgAction::Append if arg.get_num_args().is_some_and(|range| range.max_values() > 1) => Takes::Rest,
        ArgAction::Append => Takes::Many { path },
        _ => return None,
    };
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = (takes != Takes::Flag && !defaults.is_empty()).then(|| defaults.join(","));
    Some(OptionSpec { id: arg.get_id().to_string(), name: name.to_owned(), takes, default })
}

/// Whether two options of a command can't be given together.
pub(super) fn exclude(command: &Command, one: &str, other: &str) -> bool {
    let named = |name: &str| command.get_arguments().find(|arg| arg.get_long() == Some(name));
    let excludes = |one: &Arg, other: &Arg| command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id());
    named(one).zip(named(other)).is_some_and(|(one, other)| excludes(one, other) || excludes(other, one))
}

/// Whether a word is an option of the program itself whose value is the next word.
pub(super) fn takes_a_value(word: &OsStr) -> bool {
    word == "--config" || word == "--color"
}
