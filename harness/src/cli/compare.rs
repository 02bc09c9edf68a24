//! `paycheck compare`: the same scenarios on two sides, and how they differ.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::arguments::{KnownArguments, NameArguments, Source, jobs};
use super::console::Console;
use super::failure::Failure;
use super::formats::FormatArguments;
use super::play::{completed, play};
use super::progress::{CaseCount, Progress};
use super::reporters::Output;
use super::selected::{Origin, Selected};
use super::separate::separate;
use super::{inputs, interrupt, known_findings};
use crate::base::exit::Exit;
use crate::base::verdict::Verdict;
use crate::engine::event::{CaseName, Event};
use crate::engine::known_filter::{Filter, RunScope};
use crate::engine::outcome::Ended;
use crate::engine::runner::{Case, Selection};
use crate::engine::tape::Tape;
use crate::judge::record::Record;
use crate::modes::compare::{PlayedCase, PlayedRun, compare};
use crate::spec::contract::Contracts;

/// The argument that names the emulator in this binary.
const EMULATOR: &str = "emulator";

#[derive(Debug, Clone, Args)]
pub(super) struct CompareArguments {
    /// The one side: a target file (.yaml), `emulator` for the one in this binary, or a tape of `verify --tape`.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The other side, likewise.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Scenario files or folders; without any, those in the binary.
    #[arg(long = "scenario", value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    #[command(flatten)]
    names: NameArguments,
    /// Changes that break no rule don't fail the command.
    #[arg(long)]
    allow_changes: bool,
    /// What was skipped on one side doesn't make the comparison inconclusive.
    #[arg(long)]
    allow_skipped: bool,
    /// Writes the result as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    formats: FormatArguments<false>,
    /// Shows every difference, and nothing cut.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    known: KnownArguments,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// How many scenarios run at the same time.
    #[arg(long, short, value_name = "N", default_value_t = 32, value_parser = jobs)]
    jobs: usize,
    /// Seed of everything random, for both sides.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Reads or plays both sides, compares and reports.
pub(super) async fn run(arguments: &CompareArguments, console: &Console) -> Result<Exit, Failure> {
    let read = [&arguments.a, &arguments.b].into_iter().chain(&arguments.scenarios).chain(&arguments.contracts);
    let read = read.chain(&arguments.known.known).map(PathBuf::as_path);
    separate(read, arguments.formats.files().chain([arguments.json.as_deref()]))?;
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    // Both are read before anything is sent.
    let (of_a, of_b) = (given_side(&arguments.a, arguments, &contracts)?, given_side(&arguments.b, arguments, &contracts)?);
    let mut known = known_findings::filter(&arguments.known, &contracts, RunScope::Part)?;
    let mut output = Output::new(console, arguments.verbose);
    output.formats(&arguments.formats)?;
    output.json(arguments.json.as_deref())?;
    if let Some(inputs) = [&of_a, &of_b].into_iter().find_map(GivenSide::inputs) {
        inputs::note_unmatched(&inputs.plan, &selection(arguments))?;
    }
    let mut sides = Sides { arguments, progress: console.progress.clone(), known: &mut known };
    let (a, b) = match sides.side(of_a).await? {
        Some(a) => (Some(a), sides.side(of_b).await?),
        None => (None, None),
    };
    // A side that the user interrupted cannot be judged, so nothing is compared.
    let unplayed = |path: &PathBuf| PlayedRun { target: path.display().to_string(), cases: Vec::new() };
    let (mut a, mut b) = a.zip(b).unwrap_or_else(|| (unplayed(&arguments.a), unplayed(&arguments.b)));
    if arguments.allow_skipped {
        leave_out_skipped(&mut a, &mut b);
    }
    let mut outcome = compare(&a, &b, &contracts).outcome(&contracts, arguments.allow_changes);
    outcome.heading = outcome.heading.seeded(arguments.seed);
    if interrupt::is_raised() {
        outcome.ended = Ended::Interrupted;
    }
    output.finish(outcome)
}

/// One side of a comparison.
enum GivenSide {
    /// What is played now: a target file that can be read, or without one the emulator in this binary.
    Played { target: Option<PathBuf>, inputs: Inputs },
    /// The recording of a run.
    Tape(Box<Tape>),
}

impl GivenSide {
    /// What it is judged by, if it is played now.
    fn inputs(&self) -> Option<&Inputs> {
        match self {
            Self::Played { inputs, .. } => Some(inputs),
            Self::Tape(_) => None,
        }
    }
}

/// What a side is judged by. A target that states the layout of a file has contracts of its own.
struct Inputs {
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
}

/// Reads one side.
fn given_side(given: &Path, arguments: &CompareArguments, contracts: &Arc<Contracts>) -> Result<GivenSide, Failure> {
    if given.as_os_str() == EMULATOR {
        return Ok(GivenSide::Played { target: None, inputs: Inputs::read(arguments, Arc::clone(contracts))? });
    }
    if given.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
        let contracts = inputs::contracts_of(arguments.contracts.as_deref(), Some(given))?;
        return Ok(GivenSide::Played { target: Some(given.to_owned()), inputs: Inputs::read(arguments, contracts)? });
    }
    if !given.exists() {
        let given = given.display();
        return Err(Failure::invalid(format!("there is no file {given}: what is compared is `emulator`, a target file (.yaml) or a tape")));
    }
    let mut tape = inputs::tape(given)?;
    let plan = if arguments.scenarios.is_empty() { None } else { Some(Inputs::read(arguments, Arc::clone(contracts))?.plan) };
    inputs::narrow(&mut tape, &arguments.names.filter(), plan.as_ref());
    Ok(GivenSide::Tape(Box::new(tape)))
}

fn selection(arguments: &CompareArguments) -> Selection {
    Selection { names: arguments.names.filter(), ..Selection::default() }
}

impl Inputs {
    fn read(arguments: &CompareArguments, contracts: Arc<Contracts>) -> Result<Self, Failure> {
        let origin = Origin { paths: &arguments.scenarios, apis: &[], contracts: arguments.contracts.as_deref() };
        let plan = Selected::read(origin, &contracts, &selection(arguments))?.plan;
        Ok(Self { contracts, plan })
    }
}

/// What both sides are played with.
struct Sides<'s> {
    arguments: &'s CompareArguments,
    known: &'s mut Filter,
    progress: Progress,
}

impl Sides<'_> {
    /// The run of one side; none if the user ended it.
    async fn side(&mut self, given: GivenSide) -> Result<Option<PlayedRun>, Failure> {
        match given {
            GivenSide::Played { target, inputs } => self.played(target, inputs).await,
            GivenSide::Tape(tape) => Ok(Some(self.taped(*tape))),
        }
    }

    /// The cases of a tape.
    fn taped(&mut self, tape: Tape) -> PlayedRun {
        let cases = tape.cases.into_iter().map(|case| PlayedCase {
            verdict: self.known.accepted(&case.name, &case.verdict),
            record: Record { entries: case.entries }.exchanges().map(Arc::clone).collect(),
            name: case.name,
        });
        PlayedRun { target: format!("{} (taped)", tape.judged.title), cases: cases.collect() }
    }

    /// Plays the plan against a target.
    async fn played(&mut self, target: Option<PathBuf>, inputs: Inputs) -> Result<Option<PlayedRun>, Failure> {
        let source = Source { contracts: None, target, no_preflight: false, jobs: self.arguments.jobs, seed: self.arguments.seed };
        let (mut played, mut count) = (PlayedRun::default(), CaseCount::default());
        let ran = play(&source, inputs.contracts, inputs.plan, BTreeSet::new(), |event| {
            self.progress.set(count.after(event));
            match event {
                Event::RunStarted(started) => played.target.clone_from(&started.target),
                Event::CaseFinished(case) => played.cases.push(PlayedCase {
                    name: case.name.clone(),
                    verdict: self.known.accepted(&case.name, &case.verdict),
                    record: case.record.clone(),
                }),
                Event::RunFinished(_) => {}
            }
            Ok(())
        });
        let ran = ran.await?;
        Ok(completed(ran)?.map(|_| played))
    }
}

/// Leaves out on both sides the cases that either could not play.
fn leave_out_skipped(a: &mut PlayedRun, b: &mut PlayedRun) {
    let skipped = |run: &PlayedRun| -> HashSet<CaseName> {
        let skipped = run.cases.iter().filter(|played| matches!(played.verdict, Verdict::Skipped { .. }));
        skipped.map(|played| played.name.clone()).collect()
    };
    let left_out: HashSet<_> = skipped(a).into_iter().chain(skipped(b)).collect();
    for run in [a, b] {
        run.cases.retain(|played| !left_out.contains(&played.name));
    }
}
