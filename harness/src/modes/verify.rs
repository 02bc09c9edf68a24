//! `verify`: plays a plan against a target, and gives up where the target's address gives no response at all.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::base::source::nearest;
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::Ended;
use crate::engine::runner::{self, Case, Context, Limits, Selection};
use crate::spec::contract::Contracts;
use crate::spec::scenario::Scenario;
use crate::wire::exchange::{Direction, Outcome, TransportFailureKind};

/// A run at its end.
pub struct Ran {
    /// What it proves.
    pub run: RunFinished,
    /// How it came to its end.
    pub ended: Ended,
}

/// Plays a plan until its end, until `interrupted`, or until it is clear that nobody responds.
///
/// # Errors
/// What `report` returns; the run ends then.
pub async fn play<E>(
    context: Arc<Context>,
    plan: Vec<Case>,
    asked: BTreeSet<String>,
    limits: Limits,
    interrupted: impl Future<Output = ()>,
    mut report: impl FnMut(&Event) -> Result<(), E>,
) -> Result<Ran, E> {
    let has_been_interrupted = AtomicBool::new(false);
    let hopeless = Notify::new();
    let mut reach = Reach::default();
    let stop = async {
        tokio::select! {
            () = interrupted => has_been_interrupted.store(true, Ordering::Relaxed),
            () = hopeless.notified() => {}
        }
    };
    let run = runner::run(context, plan, asked, limits, stop, |event| {
        reach.take(event);
        if reach.is_hopeless() {
            hopeless.notify_one();
        }
        report(event)
    })
    .await?;
    let ended = match (has_been_interrupted.load(Ordering::Relaxed), reach.unreachable()) {
        (true, _) => Ended::Interrupted,
        (false, Some(why)) => Ended::Unreachable(Some(why)),
        (false, None) => Ended::Completed,
    };
    Ok(Ran { run, ended })
}

/// The first clause of a selection that the contracts don't have, in words with the nearest one that they have.
pub fn unknown_clause(contracts: &Contracts, selection: &Selection) -> Option<String> {
    let id = selection.clauses.iter().find(|id| !contracts.clauses.contains_key(*id))?;
    let near = nearest(id, contracts.clauses.keys().map(String::as_str));
    let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Some(format!("there is no clause `{id}`{help}"))
}

/// The clauses that a run of a selection is to prove: the selected ones; where only cases are selected, none. Without a selection,
/// those of the scenarios, or, where these are `all` there are, everything that can be checked.
pub fn asked(contracts: &Contracts, scenarios: &[Arc<Scenario>], selection: &Selection, all: bool) -> BTreeSet<String> {
    if !selection.clauses.is_empty() {
        return selection.clauses.iter().cloned().collect();
    }
    if !selection.is_all() {
        return BTreeSet::new();
    }
    if all {
        return contracts.clauses.values().filter(|c| c.unchecked.is_none()).map(|c| c.id.clone()).collect();
    }
    scenarios.iter().flat_map(|s| s.clauses.iter().chain(s.steps.iter().flat_map(|step| &step.clauses))).cloned().collect()
}

/// Whether the target's address gives responses.
#[derive(Default)]
struct Reach {
    responded: bool,
    refused: usize,
    /// Why the first attempt failed.
    first: Option<String>,
}

impl Reach {
    fn take(&mut self, event: &Event) {
        let Event::CaseFinished(case) = event else { return };
        for exchange in case.record.iter().filter(|e| e.direction == Direction::Call) {
            match &exchange.outcome {
                Outcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
                    self.refused += 1;
                    self.first.get_or_insert_with(|| format!("nobody answers at {}: {}", exchange.request.url, failure.detail));
                }
                Outcome::Failed(_) | Outcome::Response(_) => self.responded = true,
            }
        }
    }

    fn is_silent(&self) -> bool {
        self.refused > 0 && !self.responded
    }

    /// Why the target can't be reached, if no attempt got a response.
    fn unreachable(self) -> Option<String> {
        let silent = self.is_silent();
        self.first.filter(|_| silent)
    }

    /// Hundreds of further attempts would only cost time.
    fn is_hopeless(&self) -> bool {
        self.is_silent() && self.refused >= 3
    }
}
