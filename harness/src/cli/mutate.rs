//! `paycheck mutate`: would the green run have been red?

use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::verify::{execute, print, start_failure};
use super::{Console, Failure, Source, inputs, reports};
use crate::contract::Contracts;
use crate::event::{Event, InstanceName};
use crate::exit::Exit;
use crate::mutate::{Ground, MutantOutcome, MutationResult, Score, Threads, Told, hunt, junit, terminal};
use crate::report::{create_file, write_whole};
use crate::runner::{Instance, Selection, plan, still};
use crate::tape::{self, Tape, TapedInstance};
use crate::verdict::Verdict;

#[derive(Debug, Clone, Args)]
pub(super) struct MutateArguments {
    /// Scenario files or folders; without any, those in the binary.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// Breaks this tape, which `verify --tape FILE` recorded with the same scenarios, instead of running them now.
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    tape: Option<PathBuf>,
    /// Only scenarios and cases whose name contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Vec<String>,
    /// Only what these operations and notifications say is broken: those whose id contains this.
    #[arg(long, short, value_name = "TEXT")]
    operation: Vec<String>,
    /// Writes every mutant and what became of it.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a JUnit report: a test case for every place of every operation.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
}

/// Runs everything, breaks what it recorded, tells who notices.
pub(super) async fn run(arguments: &MutateArguments, console: &Console) -> Result<Exit, Failure> {
    for path in [&arguments.json, &arguments.junit].into_iter().flatten() {
        create_file(path).map_err(|e| reports::cannot_write(path, &e))?;
    }
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&arguments.scenarios, &contracts)?;
    let selection = Selection { names: arguments.filter.clone(), ..Selection::default() };
    let plan = plan(&scenarios, &contracts, &selection);
    let tape = match &arguments.tape {
        Some(path) => tape::read(path).map_err(|error| Failure::Other(Exit::InvalidInput, error.to_string()))?,
        None => match recorded(&arguments.source, &contracts, plan.clone()).await? {
            Some(tape) => tape,
            None => return Ok(Exit::Interrupted),
        },
    };
    let (title, seed, before) = (tape.judged.title.clone(), tape.seed, tape.instances.len());
    let ground = ground(contracts, plan, tape, arguments).await?;
    let threads = Threads::new(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))?;
    // The threads' runtimes end in here too: where others wait for them, they must not.
    let (ground, mut left_out, outcomes) = tokio::task::block_in_place(move || {
        let (ground, left_out) = ground.sound(&threads);
        let outcomes = hunt(&ground, &threads);
        drop(threads);
        (ground, left_out, outcomes)
    });
    left_out.not_passed = before.saturating_sub(ground.recorded.len() + left_out.cut.len());
    let told = Told { target: title, seed, left_out, details: Vec::new() };
    tell(arguments, console, (Score::of(ground.recorded.len(), &outcomes), outcomes), told)
}

/// What a run records now; none where it was interrupted.
async fn recorded(source: &Source, contracts: &Arc<Contracts>, plan: Vec<Instance>) -> Result<Option<Tape>, Failure> {
    let mut tape = Tape { judged: tape::Judged::default(), seed: source.seed, instances: Vec::new() };
    let ran = execute(source, Arc::clone(contracts), plan, BTreeSet::new(), |event| {
        match event {
            Event::RunStarted(run) => tape.judged = run.judged.clone(),
            Event::InstanceFinished(instance) => tape.instances.push(TapedInstance::of(instance)),
            Event::RunFinished(_) => {}
        }
        Ok(())
    })
    .await?;
    match (ran.interrupted, ran.unreachable) {
        (true, _) => Ok(None),
        (false, Some(why)) => Err(Failure::Other(Exit::Unreachable, why)),
        (false, None) => Ok(Some(tape)),
    }
}

/// The recorded instances that passed, with their scripts.
async fn ground(contracts: Arc<Contracts>, plan: Vec<Instance>, tape: Tape, arguments: &MutateArguments) -> Result<Ground, Failure> {
    let mut scripts: HashMap<InstanceName, Instance> = plan.into_iter().map(|instance| (instance.name.clone(), instance)).collect();
    let green = tape.instances.into_iter().filter(|instance| instance.verdict == Verdict::Passed);
    let recorded = green.filter_map(|instance| Some((scripts.remove(&instance.name)?, instance.entries.into()))).collect();
    let context = still(contracts, &tape.judged, tape.seed).await.map_err(start_failure)?;
    Ok(Ground { context: Arc::new(context), recorded, alone: tape.judged.alone, operations: arguments.operation.clone() })
}

fn tell(
    arguments: &MutateArguments,
    console: &Console,
    (score, outcomes): (Score, Vec<MutantOutcome>),
    mut told: Told,
) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.junit {
        junit(path, &outcomes)?;
        told.details.push(format!("JUnit: {}", path.display()));
    }
    if let Some(path) = &arguments.json {
        told.details.push(format!("JSON: {}", path.display()));
    }
    print(terminal(&score, &outcomes, &told, (console.colours, console.width)).trim_end())?;
    let exit = exit(&score, told.left_out.not_passed);
    if let Some(path) = &arguments.json {
        let result = MutationResult { score, mutants: outcomes };
        let json = serde_json::to_vec_pretty(&result).map_err(|e| Failure::Other(Exit::Internal, e.to_string()))?;
        write_whole(path, &json)?;
    }
    Ok(exit)
}

fn exit(score: &Score, not_passed: usize) -> Exit {
    match (score.survived, score.unjudged + not_passed) {
        (0, 0) if score.mutants > 0 => Exit::Passed,
        (0, _) => Exit::Inconclusive,
        _ => Exit::Findings,
    }
}
