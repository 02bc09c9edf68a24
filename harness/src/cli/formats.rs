//! A flag for every report format, from the list of formats.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};

use crate::report::formats::{FORMATS, Format};

/// The reports to write, and their files. `PLAYS` is whether the command plays cases against one target.
#[derive(Clone, Debug, Default)]
pub(super) struct FormatArguments<const PLAYS: bool> {
    /// The requested formats.
    pub(super) chosen: Vec<(&'static Format, PathBuf)>,
    /// Whether reports carry wall times.
    pub(super) timings: bool,
}

impl<const PLAYS: bool> FormatArguments<PLAYS> {
    /// The files that are written.
    pub(super) fn files(&self) -> impl Iterator<Item = Option<&Path>> {
        self.chosen.iter().map(|(_, path)| Some(path.as_path()))
    }
}

const TIMINGS: &str = "timings";

fn formats(plays: bool) -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(move |format| plays || !format.needs_exchanges)
}

impl<const PLAYS: bool> FromArgMatches for FormatArguments<PLAYS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = |format: &'static Format| Some((format, matches.get_one::<PathBuf>(format.name)?.clone()));
        Ok(Self { chosen: formats(PLAYS).filter_map(chosen).collect(), timings: PLAYS && matches.get_flag(TIMINGS) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const PLAYS: bool> Args for FormatArguments<PLAYS> {
    fn augment_args(command: Command) -> Command {
        let file = |format: &'static Format| {
            Arg::new(format.name).long(format.name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(format.help)
        };
        let command = formats(PLAYS).fold(command, |command, format| command.arg(file(format)));
        let timings = Arg::new(TIMINGS).long(TIMINGS).action(ArgAction::SetTrue);
        let help = "Reports carry wall times; then they differ from run to run";
        if PLAYS { command.arg(timings.help(help)) } else { command }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
