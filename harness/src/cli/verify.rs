//! `paycheck verify`: holds a target against the documents.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::{Console, Failure, Source, VerifyArguments, embedded, inputs, known, reports};
use crate::contract::Contracts;
use crate::event::{Event, RunFinished};
use crate::exchange::{Direction, Outcome, TransportFailureKind};
use crate::exit::Exit;
use crate::known::Scope;
use crate::report::{Fan, Reporter, Tally, TapeRecorder, create_file};
use crate::runner::{self, Instance, Limits, Selection, StartError};
use crate::scenario::Scenario;

/// Reads everything, connects, runs, reports.
pub(super) async fn run(arguments: &VerifyArguments, console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&arguments.scenarios, &contracts)?;
    let selection =
        Selection { names: arguments.filter.clone(), clauses: known_clauses(&arguments.clause, &contracts)?, repeat: arguments.repeat };
    let plan = runner::plan(&scenarios, &contracts, &selection);
    let asked = asked(arguments, &contracts, &scenarios, &selection);
    let scope = if arguments.scenarios.is_empty() && selection.is_all() { Scope::Whole } else { Scope::Part };
    let mut known = known::filter(&arguments.known, &contracts, scope)?;
    let mut reporters = reporters(arguments, &contracts, console)?;
    let mut tally = Tally::default();
    let skips_allowed = arguments.allow_skipped;
    let ran = execute(&arguments.source, contracts, plan, asked, |event| {
        let event = if skips_allowed { without_skips(event) } else { event.clone() };
        known.take(&event).iter().try_for_each(|event| {
            tally.take(event);
            reporters.take(event)
        })
    })
    .await?;
    match (ran.interrupted, ran.unreachable) {
        (true, _) => Ok(Exit::Interrupted),
        (false, Some(why)) => Err(Failure::Other(Exit::Unreachable, why)),
        (false, None) => Ok(tally.exit()),
    }
}

/// How a run ended.
pub(super) struct Ran {
    pub(super) run: RunFinished,
    pub(super) interrupted: bool,
    /// Why nothing could be judged, if nobody answers at the target's address.
    pub(super) unreachable: Option<String>,
}

/// Runs a plan against the target of the arguments.
pub(super) async fn execute(
    source: &Source,
    contracts: Arc<Contracts>,
    plan: Vec<Instance>,
    asked: BTreeSet<String>,
    mut tell: impl FnMut(&Event) -> io::Result<()>,
) -> Result<Ran, Failure> {
    let (context, emulator) = embedded::connect(source, contracts).await?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let nobody_there = Notify::new();
    let mut reach = Reach::default();
    let stop = async {
        tokio::select! {
            () = stop_on_interrupt(Arc::clone(&interrupted)) => {}
            () = nobody_there.notified() => {}
        }
    };
    let run = runner::run(context, plan, asked, Limits { jobs: source.jobs }, stop, |event| {
        reach.take(event);
        if reach.is_hopeless() {
            nobody_there.notify_one();
        }
        tell(event)
    })
    .await?;
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    Ok(Ran { run, interrupted: interrupted.load(Ordering::Relaxed), unreachable: reach.unreachable() })
}

/// Whether anybody answers at the target's address.
#[derive(Default)]
struct Reach {
    answered: bool,
    refused: usize,
    /// What the first attempt came to.
    first: Option<String>,
}

impl Reach {
    fn take(&mut self, event: &Event) {
        let Event::InstanceFinished(instance) = event else { return };
        for exchange in instance.record.iter().filter(|e| e.direction == Direction::Call) {
            match &exchange.outcome {
                Outcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
                    self.refused += 1;
                    self.first.get_or_insert_with(|| format!("nobody answers at {}: {}", exchange.request.url, failure.detail));
                }
                Outcome::Failed(_) | Outcome::Answer(_) => self.answered = true,
            }
        }
    }

    fn nobody_answered(&self) -> bool {
        self.refused > 0 && !self.answered
    }

    /// Why the target can't be reached, if nobody there has answered at all.
    fn unreachable(self) -> Option<String> {
        let nobody = self.nobody_answered();
        self.first.filter(|_| nobody)
    }

    /// Where nobody listens, hundreds of further attempts would only cost time.
    fn is_hopeless(&self) -> bool {
        self.nobody_answered() && self.refused >= 3
    }
}

pub(super) async fn stop_on_interrupt(interrupted: Arc<AtomicBool>) {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a signal handler the run just goes to its end.
        std::future::pending::<()>().await;
    }
    interrupted.store(true, Ordering::Relaxed);
}

pub(super) fn start_failure(error: StartError) -> Failure {
    match error {
        StartError::Unreachable(message) => Failure::Other(Exit::Unreachable, message),
        StartError::Invalid(message) => Failure::Other(Exit::InvalidInput, message),
        StartError::Internal(message) => Failure::Other(Exit::Internal, message),
    }
}

fn known_clauses(asked: &[String], contracts: &Contracts) -> Result<Vec<String>, Failure> {
    let unknown = asked.iter().find(|id| !contracts.clauses.contains_key(*id));
    let Some(id) = unknown else { return Ok(asked.to_vec()) };
    let near = crate::source::nearest(id, contracts.clauses.keys().map(String::as_str));
    let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Failure::Other(Exit::InvalidInput, format!("there is no clause `{id}`{help}")))
}

/// What the run is to prove: everything that can be checked, or what was selected.
fn asked(arguments: &VerifyArguments, contracts: &Contracts, scenarios: &[Arc<Scenario>], selection: &Selection) -> BTreeSet<String> {
    if !arguments.clause.is_empty() {
        return arguments.clause.iter().cloned().collect();
    }
    if !selection.is_all() {
        return BTreeSet::new();
    }
    if arguments.scenarios.is_empty() {
        return contracts.clauses.values().filter(|c| c.unchecked.is_none()).map(|c| c.id.clone()).collect();
    }
    scenarios.iter().flat_map(|s| s.clauses.iter().chain(s.steps.iter().flat_map(|step| &step.clauses))).cloned().collect()
}

/// The same event, for a user who has said that skipped scenarios are fine.
pub(super) fn without_skips(event: &Event) -> Event {
    match event {
        Event::RunFinished(run) => {
            let mut run = RunFinished::clone(run);
            run.inconclusive.retain(|reason| !reason.contains(" skipped: "));
            Event::RunFinished(Arc::new(run))
        }
        Event::RunStarted(_) | Event::InstanceFinished(_) => event.clone(),
    }
}

fn reporters(arguments: &VerifyArguments, contracts: &Contracts, console: &Console) -> Result<Fan, Failure> {
    let mut more: Vec<(String, Box<dyn Reporter>)> = Vec::new();
    if let Some(folder) = &arguments.transcripts {
        std::fs::create_dir_all(folder).map_err(|e| reports::cannot_write(folder, &e))?;
        let transcripts = super::transcripts::Transcripts::new(folder.clone(), contracts);
        more.push((format!("transcripts: {}", folder.display()), Box::new(transcripts)));
    }
    if let Some(path) = &arguments.tape {
        let out = create_file(path).map_err(|e| reports::cannot_write(path, &e))?;
        more.push((format!("tape: {}", path.display()), Box::new(TapeRecorder::new(out))));
    }
    reports::open(&arguments.reports, more, console)
}

/// Prints a line; a closed pipe ends the command like any other failed write.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}
