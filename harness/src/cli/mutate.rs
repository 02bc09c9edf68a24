//! `paycheck mutate`: would the green run have been red?

use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::arguments::{NameArguments, Source};
use super::console::Console;
use super::failure::Failure;
use super::formats::FormatArguments;
use super::play::{completed, play};
use super::progress::{CaseCount, Progress};
use super::reporters::Output;
use super::selected::{Origin, Selected};
use super::separate::separate;
use super::{inputs, interrupt};
use crate::base::exit::Exit;
use crate::base::text::counted;
use crate::base::verdict::Verdict;
use crate::engine::event::{CaseName, Event};
use crate::engine::judged_target::JudgedTarget;
use crate::engine::outcome::Ended;
use crate::engine::runner::{Case, Selection, still};
use crate::engine::tape::{Tape, TapedCase};
use crate::modes::mutate::{Mutation, Recordings, Score, Threads, run_mutants};
use crate::spec::contract::Contracts;

#[derive(Debug, Clone, Args)]
pub(super) struct MutateArguments {
    /// Scenario files or folders; without any, those in the binary.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// Changes this tape, which `verify --tape FILE` recorded with the same scenarios, instead of running them now.
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    tape: Option<PathBuf>,
    #[command(flatten)]
    names: NameArguments,
    /// Only messages of these operations and notifications are changed: those whose id contains this.
    #[arg(long, short, value_name = "TEXT")]
    operation: Vec<String>,
    /// Writes every mutant and its fate.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Shows everything that was found, and cuts nothing.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    formats: FormatArguments<false>,
    #[command(flatten)]
    source: Source,
}

/// Runs everything, changes the recording, and reports what the checks notice.
pub(super) async fn run(arguments: &MutateArguments, console: &Console) -> Result<Exit, Failure> {
    let read = arguments.scenarios.iter().chain(&arguments.tape).map(PathBuf::as_path);
    separate(arguments.source.inputs().chain(read), arguments.formats.files().chain([arguments.json.as_deref()]))?;
    let mut output = Output::new(console, arguments.verbose);
    output.formats(&arguments.formats)?;
    output.json(arguments.json.as_deref())?;
    let tape = arguments.tape.as_deref().map(inputs::tape).transpose()?;
    let folder = arguments.source.contracts.as_deref();
    let contracts = match &tape {
        Some(tape) => inputs::contracts_with_layouts(folder, &tape.judged.layouts)?,
        None => inputs::contracts_of(folder, arguments.source.target.as_deref())?,
    };
    let selection = Selection { names: arguments.names.filter(), ..Selection::default() };
    let origin = Origin { paths: &arguments.scenarios, apis: &[], contracts: folder };
    let plan = Selected::read(origin, &contracts, &selection)?.checked(&contracts, &selection)?.plan;
    let mut tape = match tape {
        Some(tape) => tape,
        None => match recorded(&arguments.source, &contracts, plan.clone(), console).await? {
            Some(tape) => tape,
            None => Tape { judged: JudgedTarget::default(), seed: arguments.source.seed, cases: Vec::new(), cut: None },
        },
    };
    // A tape may hold more than is asked for; only what is asked for can be missing.
    inputs::narrow(&mut tape, &selection.names, (!arguments.scenarios.is_empty()).then_some(&plan));
    console.progress.set(format!("changes what {} recorded", counted(tape.cases.len(), "case")));
    let mut outcome = mutated(contracts, plan, tape, arguments, console.progress.clone()).await?.outcome();
    if interrupt::is_raised() {
        outcome.ended = Ended::Interrupted;
    }
    output.finish(outcome)
}

/// Changes the recordings of a tape.
async fn mutated(
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
    tape: Tape,
    arguments: &MutateArguments,
    progress: Progress,
) -> Result<Mutation, Failure> {
    let (target, seed, before) = (tape.judged.title.clone(), tape.seed, tape.cases.len());
    let recordings = recordings(contracts, plan, tape, arguments).await?;
    let threads = Threads::new(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN), interrupt::handle_gracefully())?;
    let threads =
        threads.reporting(move |ended, of| progress.set(format!("changes {}, {ended} of {of} tried", counted(before, "recording"))));
    // The runtimes of the threads end here; on an asynchronous thread they must not.
    let (recordings, mut left_out, (mutants, untried)) = tokio::task::block_in_place(move || {
        let (recordings, left_out) = recordings.sound(&threads);
        let mutants = run_mutants(&recordings, &threads);
        drop(threads);
        (recordings, left_out, mutants)
    });
    // Recordings that were not processed are unknown.
    let is_interrupted = interrupt::is_raised();
    let looked_at = if is_interrupted { 0 } else { before };
    left_out.not_passed = looked_at.saturating_sub(recordings.recorded.len() + left_out.cut.len());
    let score = Score::from_outcomes(recordings.recorded.len(), &mutants);
    Ok(Mutation { target, seed, left_out, score, mutants, untried: is_interrupted.then_some(untried) })
}

/// The recordings of a new run; none if it was interrupted.
async fn recorded(source: &Source, contracts: &Arc<Contracts>, plan: Vec<Case>, console: &Console) -> Result<Option<Tape>, Failure> {
    let mut count = CaseCount::default();
    let mut tape = Tape { judged: JudgedTarget::default(), seed: source.seed, cases: Vec::new(), cut: None };
    let ran = play(source, Arc::clone(contracts), plan, BTreeSet::new(), |event| {
        console.progress.set(format!("records {}", count.after(event)));
        match event {
            Event::RunStarted(run) => tape.judged = JudgedTarget::clone(&run.judged),
            Event::CaseFinished(case) => tape.cases.push(TapedCase::from_case(case)),
            Event::RunFinished(_) => {}
        }
        Ok(())
    })
    .await?;
    Ok(completed(ran)?.map(|_| tape))
}

/// The recorded cases that passed, with their scripts.
async fn recordings(contracts: Arc<Contracts>, plan: Vec<Case>, tape: Tape, arguments: &MutateArguments) -> Result<Recordings, Failure> {
    let mut scripts: HashMap<CaseName, Case> = plan.into_iter().map(|case| (case.name.clone(), case)).collect();
    let green = tape.cases.into_iter().filter(|case| case.verdict == Verdict::Passed);
    let recorded = green.filter_map(|case| Some((scripts.remove(&case.name)?, case.entries.into()))).collect();
    let context = still(contracts, &tape.judged, tape.seed).await?;
    Ok(Recordings { context: Arc::new(context), recorded, alone: tape.judged.alone, operations: arguments.operation.clone() })
}
