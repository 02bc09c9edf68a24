//! Options that are not on the command line: from the environment, and from `paycheck.toml`. They are inserted into the command
//! line as if they had been typed there, so that one parser with one set of rules reads all options.
//!
//! Two simpler ways would not keep these rules. Handed to clap as default values, settings would take no part in `requires` and
//! `conflicts_with`, which only look at what was given. Merged into the parsed values, they would need the same rules a second
//! time, since parsed values can't be handed to clap again.

mod file;
mod options;
mod origin;
mod show;
mod unknown;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, ColorChoice, Command, CommandFactory, FromArgMatches};

use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::login::masked;
pub(super) use file::ConfigFile;
use options::{CONFIG, NOT_SET, OptionSpec, options};
pub(super) use origin::Environment;
pub(super) use origin::Origin;
use origin::{Setting, setting};
pub(super) use show::{ConfigArguments, run as show};

/// Why there are no arguments.
#[derive(Debug)]
pub(super) enum NoArguments {
    /// The command line is wrong, or asks for help; with the origins of values that were not typed.
    CommandLine(Box<clap::Error>, Vec<String>),
    /// A file or the environment is wrong.
    Settings(Failure),
}

impl NoArguments {
    /// Prints the reason and returns the exit.
    pub(super) fn explain(self) -> Exit {
        match self {
            Self::Settings(failure) => failure.explain(false),
            Self::CommandLine(error, notes) => {
                let _ = show_error(&error);
                for note in notes {
                    // Nothing is left to do if standard error itself can't be written.
                    let _ = writeln!(io::stderr(), "note: {note}");
                }
                if error.use_stderr() { Exit::InvalidInput } else { Exit::Passed }
            }
        }
    }
}

/// Prints a mistake in the command line, or the help that was asked for. The library says of `--seed abc` that a digit is invalid, not that
/// a number is expected.
fn show_error(error: &clap::Error) -> io::Result<()> {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<std::num::ParseIntError>());
    match cause {
        None => error.print(),
        Some(cause) => {
            write!(io::stderr(), "{}", error.render().to_string().replace(&cause.to_string(), "a whole number is expected here"))
        }
    }
}

/// Reads the command line, completed by the environment and the file. `here` is the current folder.
pub(super) fn read<A: CommandFactory + FromArgMatches>(
    words: &[OsString],
    environment: &Environment,
    here: &Path,
) -> Result<A, NoArguments> {
    let mut command = A::command().color(colour(words, environment));
    command.build();
    let Ok(matches) = without_rules(A::command()).try_get_matches_from(words) else { return strictly(command, words, &[]) };
    let (path, given) = deepest(&matches);
    let Some(spec) = path.iter().try_fold(&command, |command, name| command.find_subcommand(name)) else {
        return strictly(command, words, &[]);
    };
    let options: Vec<OptionSpec> = options(spec).collect();
    if options.is_empty() || path.first().is_some_and(|name| NOT_SET.contains(name)) {
        return strictly(command, words, &[]);
    }
    let named = given.get_one::<PathBuf>(CONFIG).map(PathBuf::as_path);
    let file = find(named, environment, here).and_then(|file| file.checked(&command)).map_err(NoArguments::Settings)?;
    let typed = |option: &OptionSpec| given.value_source(&option.id).is_some_and(|source| source == clap::parser::ValueSource::CommandLine);
    let open = options.iter().filter(|option| !typed(option));
    let settings = open.filter_map(|option| setting(&path, option, environment, &file).transpose());
    let settings =
        settings.collect::<Result<Vec<Setting>, String>>().map_err(|message| NoArguments::Settings(Failure::invalid(message)))?;
    unknown::refuse(&command, environment, unknown::values(given, &settings)).map_err(NoArguments::Settings)?;
    let typed: Vec<&str> = options.iter().filter(|option| typed(option)).map(|option| option.name.as_str()).collect();
    let settings = not_overruled(spec, &typed, settings);
    strictly(command, &completed(words, &path, &settings), &settings)
}

/// The colours of help texts and errors, read before anything else, since the rest of the command line may be wrong.
fn colour(words: &[OsString], environment: &Environment) -> ColorChoice {
    let words = words.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--").collect::<Vec<_>>();
    let apart =
        words.windows(2).filter_map(|pair| if let [name, value] = pair { (name == "--color").then(|| value.to_string()) } else { None });
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color=").map(str::to_owned));
    let named = apart.chain(joined).last().or_else(|| environment.get("PAYCHECK_COLOR").map(str::to_owned));
    named.and_then(|name| name.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// The settings except those that exclude an option of a higher rank: `--max-failures 3` overrides `fail-fast` in the file.
fn not_overruled(command: &Command, typed: &[&str], settings: Vec<Setting>) -> Vec<Setting> {
    let (variables, files): (Vec<Setting>, Vec<Setting>) =
        settings.into_iter().partition(|setting| matches!(setting.origin, Origin::Variable(_)));
    let mut kept: Vec<Setting> = Vec::new();
    for rank in [variables, files] {
        let above: Vec<&str> = typed.iter().copied().chain(kept.iter().map(|setting| setting.name.as_str())).collect();
        let stays = |setting: &Setting| !above.iter().any(|other| options::exclude(command, &setting.name, other));
        let rank: Vec<Setting> = rank.into_iter().filter(stays).collect();
        kept.extend(rank);
    }
    kept
}

/// The file: the one named on the command line or in the environment, or the nearest.
pub(super) fn find(named: Option<&Path>, environment: &Environment, here: &Path) -> Result<ConfigFile, Failure> {
    let variable = || environment.get("PAYCHECK_CONFIG").filter(|path| !path.is_empty()).map(PathBuf::from);
    ConfigFile::find(named.map(Path::to_path_buf).or_else(variable), here)
}

/// The same command without the rules by which options need or exclude others.
fn without_rules(command: Command) -> Command {
    let none = || Resettable::<clap::Id>::Reset;
    let free = command.mut_args(|arg| arg.required(false).requires(none()).conflicts_with(none()));
    free.args_conflicts_with_subcommands(false).mut_subcommands(without_rules)
}

/// The words of the typed command, and its arguments.
fn deepest(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut path, mut here) = (Vec::new(), matches);
    while let Some((name, below)) = here.subcommand() {
        path.push(name);
        here = below;
    }
    (path, here)
}

/// The command line with the settings in it: after the words of the command, since some options take all words that follow. For
/// the same reason such options come last.
fn completed(words: &[OsString], path: &[&str], settings: &[Setting]) -> Vec<OsString> {
    let at = path.iter().fold(1, |from, name| {
        let found = words.iter().enumerate().skip(from).find(|(index, word)| {
            // The value of an option of the program itself may equal the name of a command.
            let value = index.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| options::takes_a_value(before));
            *word == name && !value
        });
        found.map_or(words.len(), |(index, _)| index + 1)
    });
    let (before, after) = words.split_at(at.min(words.len()));
    let (last, first): (Vec<&Setting>, Vec<&Setting>) = settings.iter().partition(|setting| setting.takes_the_rest);
    let typed = |settings: Vec<&Setting>| settings.into_iter().flat_map(Setting::words).collect::<Vec<_>>();
    [before.to_vec(), typed(first), after.to_vec(), typed(last)].concat()
}

fn strictly<A: FromArgMatches>(command: Command, words: &[OsString], settings: &[Setting]) -> Result<A, NoArguments> {
    let read = command.try_get_matches_from(words).and_then(|matches| A::from_arg_matches(&matches));
    read.map_err(|mut error| {
        mask_logins(&mut error);
        let named = named_in(&error);
        let blamed = settings.iter().filter(|setting| named.iter().any(|text| names(text, &setting.name)));
        let notes = blamed.map(|setting| format!("`--{}` is from {}", setting.name, setting.origin)).collect();
        NoArguments::CommandLine(Box::new(error), notes)
    })
}

/// Masks the user name and the password of a URL that is not valid.
fn mask_logins(error: &mut clap::Error) {
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) {
        let shown = masked(value);
        error.insert(ContextKind::InvalidValue, ContextValue::String(shown));
    }
}

/// The options that an error is about.
fn named_in(error: &clap::Error) -> Vec<String> {
    let texts = error.context().flat_map(|(_, value)| match value {
        ContextValue::String(text) => vec![text.clone()],
        ContextValue::Strings(texts) => texts.clone(),
        _ => Vec::new(),
    });
    texts.collect()
}

/// Whether a text like `--jobs <N>` is about an option.
fn names(text: &str, option: &str) -> bool {
    text.strip_prefix("--")
        .and_then(|rest| rest.strip_prefix(option))
        .is_some_and(|rest| !rest.starts_with(|c: char| c == '-' || c.is_alphanumeric()))
}

#[cfg(test)]
mod tests;
