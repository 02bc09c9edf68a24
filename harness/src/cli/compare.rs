//! `paycheck compare`: the same scenarios on two sides, and how they differ.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::verify::execute;
use super::{CompareArguments, Console, Failure, Source, inputs, known, reports};
use crate::compare::report::{Options, json, junit, terminal};
use crate::compare::{Comparison, Played, Run, compare};
use crate::contract::Contracts;
use crate::event::{Event, InstanceName};
use crate::exit::Exit;
use crate::known::{Filter, Scope};
use crate::record::Record;
use crate::report::{create_file, write_whole};
use crate::runner::{self, Instance, Selection};
use crate::tape::{self, Tape};
use crate::target;
use crate::verdict::Verdict;

/// The word for the emulator in this binary.
const EMULATOR: &str = "emulator";

/// Reads or plays both sides, compares and reports.
pub(super) async fn run(arguments: &CompareArguments, console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    // Both are read before anything is sent.
    let (of_a, of_b) = (Given::read(&arguments.a, &contracts)?, Given::read(&arguments.b, &contracts)?);
    let scenarios = inputs::scenarios(&arguments.scenarios, &contracts)?;
    let selection = Selection { names: arguments.filter.clone(), ..Selection::default() };
    let mut known = known::filter(&arguments.known, &contracts, Scope::Part)?;
    for path in [&arguments.json, &arguments.junit].into_iter().flatten() {
        // Written at the end; that it can be is found out before the first request.
        create_file(path).map_err(|e| reports::cannot_write(path, &e))?;
    }
    let plan = runner::plan(&scenarios, &contracts, &selection);
    let mut sides = Sides { arguments, contracts: Arc::clone(&contracts), plan, known: &mut known };
    let Some(mut a) = sides.side(of_a).await? else { return Ok(Exit::Interrupted) };
    let Some(mut b) = sides.side(of_b).await? else { return Ok(Exit::Interrupted) };
    if arguments.allow_skipped {
        leave_out_skipped(&mut a, &mut b);
    }
    let comparison = compare(&a, &b, &contracts);
    report(arguments, &comparison, console)?;
    Ok(comparison.exit(arguments.allow_changes))
}

/// What is given as a side.
enum Given<'g> {
    /// The emulator in this binary.
    Emulator,
    /// A target file that can be read.
    Target(&'g Path),
    /// What a run has recorded.
    Tape(Box<Tape>),
}

impl<'g> Given<'g> {
    fn read(given: &'g Path, contracts: &Contracts) -> Result<Self, Failure> {
        if given.as_os_str() == EMULATOR {
            return Ok(Self::Emulator);
        }
        if given.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            let _ = target::read(given, contracts)?;
            return Ok(Self::Target(given));
        }
        let tape = tape::read(given).map_err(|error| Failure::Other(Exit::InvalidInput, error.to_string()))?;
        Ok(Self::Tape(Box::new(tape)))
    }
}

/// What both sides are made from.
struct Sides<'s> {
    arguments: &'s CompareArguments,
    contracts: Arc<Contracts>,
    plan: Vec<Instance>,
    known: &'s mut Filter,
}

impl Sides<'_> {
    /// The run of one side; nothing if the user ended it.
    async fn side(&mut self, given: Given<'_>) -> Result<Option<Run>, Failure> {
        match given {
            Given::Emulator => self.played(None).await,
            Given::Target(path) => self.played(Some(path)).await,
            Given::Tape(tape) => Ok(Some(self.taped(*tape))),
        }
    }

    /// What a tape holds of the instances that are asked for.
    fn taped(&mut self, tape: Tape) -> Run {
        let names = &self.arguments.filter;
        let is_asked_for = |name: &InstanceName| names.is_empty() || names.iter().any(|part| name.to_string().contains(part.as_str()));
        let asked = tape.instances.into_iter().filter(|instance| is_asked_for(&instance.name));
        let instances = asked.map(|instance| Played {
            verdict: self.known.accepted(&instance.name, &instance.verdict),
            record: Record { entries: instance.entries }.exchanges().map(Arc::clone).collect(),
            name: instance.name,
        });
        Run { target: format!("{} (taped)", tape.judged.title), instances: instances.collect() }
    }

    /// Plays the plan against a target.
    async fn played(&mut self, target: Option<&Path>) -> Result<Option<Run>, Failure> {
        let source = Source { contracts: None, target: target.map(Path::to_owned), jobs: self.arguments.jobs, seed: self.arguments.seed };
        let mut run = Run::default();
        let ran = execute(&source, Arc::clone(&self.contracts), self.plan.clone(), BTreeSet::new(), |event| {
            match event {
                Event::RunStarted(started) => run.target.clone_from(&started.target),
                Event::InstanceFinished(instance) => run.instances.push(Played {
                    name: instance.name.clone(),
                    verdict: self.known.accepted(&instance.name, &instance.verdict),
                    record: instance.record.clone(),
                }),
                Event::RunFinished(_) => {}
            }
            Ok(())
        });
        let ran = ran.await?;
        match (ran.interrupted, ran.unreachable) {
            (true, _) => Ok(None),
            (false, Some(why)) => Err(Failure::Other(Exit::Unreachable, why)),
            (false, None) => Ok(Some(run)),
        }
    }
}

/// Leaves out on both sides what either was not able to play.
fn leave_out_skipped(a: &mut Run, b: &mut Run) {
    let skipped = |run: &Run| -> HashSet<InstanceName> {
        let skipped = run.instances.iter().filter(|played| matches!(played.verdict, Verdict::Skipped { .. }));
        skipped.map(|played| played.name.clone()).collect()
    };
    let left_out: HashSet<_> = skipped(a).into_iter().chain(skipped(b)).collect();
    for run in [a, b] {
        run.instances.retain(|played| !left_out.contains(&played.name));
    }
}

fn report(arguments: &CompareArguments, comparison: &Comparison, console: &Console) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::Other(Exit::Internal, format!("the result can't be written out: {error}"));
    let mut details = Vec::new();
    if let Some(path) = &arguments.junit {
        let text = junit(comparison, arguments.allow_changes).map_err(|error| fault(&error))?;
        write_whole(path, text.as_bytes())?;
        details.push(format!("JUnit: {}", path.display()));
    }
    if let Some(path) = &arguments.json {
        write_whole(path, &json(comparison).map_err(|error| fault(&error))?)?;
        details.push(format!("JSON: {}", path.display()));
    }
    let options = Options {
        colours: console.colours,
        width: console.width,
        details,
        verbose: arguments.verbose,
        allow_changes: arguments.allow_changes,
    };
    Ok(io::stdout().lock().write_all(terminal(comparison, &options).as_bytes())?)
}
