//! `paycheck verify`: checks a target against the documents.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{KnownArguments, ReportArguments, Source, jobs};
use super::console::Console;
use super::failure::Failure;
use super::play::play;
use super::reporters::{Output, RunOutput};
use super::separate::separate;
use super::transcripts::Transcripts;
use super::{inputs, known};
use crate::base::exit::Exit;
use crate::engine::known::Scope;
use crate::engine::outcome::Verb;
use crate::engine::runner::{Selection, plan};
use crate::modes::verify::{asked, unknown_clause};
use crate::report::TapeRecorder;
use crate::spec::contract::Contracts;

#[derive(Debug, Clone, Args)]
pub(super) struct VerifyArguments {
    /// Scenario files or folders; without any, those in the binary.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// Only scenarios and cases whose name contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Vec<String>,
    /// Only what carries this clause.
    #[arg(long, value_name = "ID")]
    clause: Vec<String>,
    /// Runs everything this often, each time in a world of its own.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = jobs)]
    repeat: usize,
    /// Skipped scenarios don't make the run inconclusive.
    #[arg(long)]
    allow_skipped: bool,
    /// Records everything that happens into this file, for `mutate` and `compare`.
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
    /// Writes the transcript of each scenario into this folder.
    #[arg(long, value_name = "DIR")]
    transcripts: Option<PathBuf>,
    #[command(flatten)]
    known: KnownArguments,
    #[command(flatten)]
    reports: ReportArguments,
    #[command(flatten)]
    source: Source,
}

/// Reads everything, connects, runs, reports.
pub(super) async fn run(arguments: &VerifyArguments, console: &Console) -> Result<Exit, Failure> {
    let read = arguments.scenarios.iter().chain(&arguments.known.known).map(PathBuf::as_path);
    let reports = &arguments.reports;
    separate(arguments.source.inputs().chain(read), [&reports.junit, &reports.events, &arguments.tape].map(Option::as_deref))?;
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&arguments.scenarios, &contracts)?;
    let selection = Selection { names: arguments.filter.clone(), clauses: arguments.clause.clone(), repeat: arguments.repeat };
    if let Some(unknown) = unknown_clause(&contracts, &selection) {
        return Err(Failure::invalid(unknown));
    }
    let plan = plan(&scenarios, &contracts, &selection);
    let asked = asked(&contracts, &scenarios, &selection, arguments.scenarios.is_empty());
    let scope = if arguments.scenarios.is_empty() && selection.is_all() { Scope::Whole } else { Scope::Part };
    let mut known = known::filter(&arguments.known, &contracts, scope)?;
    let mut output = RunOutput::new(Verb::Verify, output(arguments, &contracts, console)?, arguments.allow_skipped);
    let ran =
        play(&arguments.source, contracts, plan, asked, |event| known.take(event).iter().try_for_each(|event| output.event(event))).await?;
    output.finish(ran.ended)
}

fn output(arguments: &VerifyArguments, contracts: &Contracts, console: &Console) -> Result<Output, Failure> {
    let mut output = Output::new(console, arguments.reports.verbose);
    output.reports(&arguments.reports)?;
    if let Some(folder) = &arguments.transcripts {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        output.add("transcripts", folder, Transcripts::new(folder.clone(), contracts));
    }
    if let Some(path) = &arguments.tape {
        output.stream("tape", path, TapeRecorder::new)?;
    }
    Ok(output)
}
