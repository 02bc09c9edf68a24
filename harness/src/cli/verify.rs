//! `paycheck verify`: checks a target against the documents.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::sync::Notify;

use super::arguments::{KnownArguments, NameArguments, ReportArguments, Source, jobs};
use super::console::Console;
use super::failure::Failure;
use super::listing::{ListFormat, dry_run, list};
use super::play::play_until;
use super::progress::counts;
use super::reporters::{Output, RunOutput};
use super::rerun::Earlier;
use super::selected::{Origin, Selected};
use super::separate::separate;
use super::transcripts::Transcripts;
use super::{advice, inputs, known_findings};
use crate::base::exit::Exit;
use crate::engine::event::Event;
use crate::engine::known_filter::{Filter, RunScope};
use crate::engine::outcome::Verb;
use crate::engine::runner::{self, Case, Selection};
use crate::modes::verify::{asked, unknown_clause};
use crate::report::TapeRecorder;
use crate::spec::contract::Contracts;

#[derive(Debug, Clone, Args)]
pub(super) struct VerifyArguments {
    /// Scenario files or folders; without any, those in the binary.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    #[command(flatten)]
    names: NameArguments,
    /// Only scenarios of this API; several are separated by commas.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    api: Vec<String>,
    /// Only what carries this clause.
    #[arg(long, value_name = "ID")]
    clause: Vec<String>,
    /// Only what did not pass in an earlier run, or was not played because it ended early: the file that its --events wrote.
    #[arg(long, value_name = "FILE")]
    rerun_failed: Option<PathBuf>,
    /// Lists the cases, and plays none.
    #[arg(long, value_name = "FORMAT", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    list: Option<ListFormat>,
    /// Shows what each case would send, and sends nothing.
    #[arg(long, conflicts_with = "list")]
    dry_run: bool,
    /// Ends the run at the first failed case.
    #[arg(long, conflicts_with = "max_failures")]
    fail_fast: bool,
    /// Ends the run once this many cases have failed.
    #[arg(long, value_name = "N", value_parser = jobs)]
    max_failures: Option<usize>,
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
    /// Transcripts have identifiers as they were received, instead of labels that are the same in each run.
    #[arg(long, requires = "transcripts")]
    as_received: bool,
    #[command(flatten)]
    known: KnownArguments,
    #[command(flatten)]
    reports: ReportArguments,
    #[command(flatten)]
    source: Source,
}

/// Reads the inputs, plays the plan and reports.
pub(super) async fn run(arguments: &VerifyArguments, console: &Console) -> Result<Exit, Failure> {
    let read = arguments.scenarios.iter().chain(&arguments.known.known).map(PathBuf::as_path);
    let read = read.chain(arguments.rerun_failed.as_deref());
    separate(
        arguments.source.inputs().chain(read),
        arguments.reports.files().chain([arguments.tape.as_deref(), arguments.transcripts.as_deref()]),
    )?;
    let contracts = inputs::contracts_of(arguments.source.contracts.as_deref(), arguments.source.target.as_deref())?;
    let (names, clauses) = (arguments.names.filter(), arguments.clause.clone());
    let selection = Selection { names, clauses, repeat: arguments.repeat };
    if let Some(unknown) = unknown_clause(&contracts, &selection) {
        return Err(Failure::invalid(unknown));
    }
    let contracts_in = arguments.source.contracts.as_deref();
    let origin = Origin { paths: &arguments.scenarios, apis: &arguments.api, contracts: contracts_in };
    // What an earlier run has played may be any of them.
    let read = if arguments.rerun_failed.is_some() { Selected::read_all } else { Selected::read };
    let Selected { scenarios, mut plan } = read(origin, &contracts, &selection)?.checked(&contracts, &selection)?;
    if let Some(path) = &arguments.rerun_failed {
        let earlier = Earlier::from_events(path)?;
        let everything = runner::plan(&scenarios, &contracts, &Selection { repeat: arguments.repeat, ..Selection::default() });
        let known = everything.iter().map(|case| case.name.to_string()).collect();
        let left = earlier.left_of(&plan, &known).map_err(|why| Failure::invalid(format!("{} {why}", path.display())))?;
        if left.is_empty() {
            return earlier.without_a_case(path);
        }
        plan.retain(|case| left.contains(&case.name.to_string()));
    }
    if let Some(format) = arguments.list {
        return list(&plan, format);
    }
    if arguments.dry_run {
        return dry_run(&arguments.source, contracts, &plan).await;
    }
    let all = arguments.scenarios.is_empty() && arguments.api.is_empty() && arguments.rerun_failed.is_none();
    let to_prove = if arguments.rerun_failed.is_some() { BTreeSet::new() } else { asked(&contracts, &scenarios, &selection, all) };
    let scope = if all && selection.is_all() { RunScope::Whole } else { RunScope::Part };
    let known = known_findings::filter(&arguments.known, &contracts, scope)?;
    play(arguments, contracts, plan, (to_prove, known, scope), console).await
}

/// Plays a plan of this scope until it ends or the limit of failures is reached. `to_prove` are clauses, `known` marks accepted findings.
async fn play(
    arguments: &VerifyArguments,
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
    (to_prove, mut known, scope): (BTreeSet<String>, Filter, RunScope),
    console: &Console,
) -> Result<Exit, Failure> {
    let mut output = RunOutput::new(Verb::Verify, output(arguments, &contracts, console)?, arguments.allow_skipped);
    let (enough, mut limit) = (Notify::new(), FailureLimit::new(arguments));
    let ran = play_until(&arguments.source, contracts, plan, to_prove, &enough, |event| {
        let events = known.apply(event);
        if events.iter().any(|event| limit.is_reached(event)) {
            enough.notify_one();
        }
        events.iter().try_for_each(|event| output.event(event))
    })
    .await?;
    output.finish_advising(ran.ended, |outcome| advice::on(outcome, arguments.source.target.as_deref()?, scope))
}

/// The number of failed cases after which the run ends.
struct FailureLimit {
    left: Option<usize>,
}

impl FailureLimit {
    fn new(arguments: &VerifyArguments) -> Self {
        Self { left: if arguments.fail_fast { Some(1) } else { arguments.max_failures } }
    }

    /// Counts an event; returns whether the limit is reached.
    fn is_reached(&mut self, event: &Event) -> bool {
        if matches!(event, Event::CaseFinished(case) if counts(&case.verdict)) {
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
        self.left == Some(0)
    }
}

fn output(arguments: &VerifyArguments, contracts: &Contracts, console: &Console) -> Result<Output, Failure> {
    let mut output = Output::new(console, arguments.reports.verbose);
    output.reports(&arguments.reports)?;
    if let Some(folder) = &arguments.transcripts {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        output.add("transcripts", folder, Transcripts::new(folder.clone(), contracts, arguments.as_received));
    }
    if let Some(path) = &arguments.tape {
        output.stream("tape", path, TapeRecorder::new)?;
    }
    Ok(output)
}
