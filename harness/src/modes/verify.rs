//! `verify`: plays a plan against a target, and stops if the target's address does not respond at all.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::base::source::nearest;
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::Ended;
use crate::engine::runner::{self, Case, Context, Limits, Selection, plan};
use crate::spec::contract::Contracts;
use crate::spec::scenario::Scenario;
use crate::wire::exchange::{Direction, ExchangeOutcome, TransportFailure, TransportFailureKind};

/// The result of a run.
pub struct Ran {
    /// Its summary.
    pub run: RunFinished,
    /// How it ended.
    pub ended: Ended,
}

/// Plays a plan until its end, until `interrupted`, or until it is clear that no server responds.
///
/// # Errors
/// The error of `report`, which ends the run.
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
        reach.observe(event);
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

/// The first unknown clause of a selection, with the nearest known one.
pub fn unknown_clause(contracts: &Contracts, selection: &Selection) -> Option<String> {
    let id = selection.clauses.iter().find(|id| !contracts.clauses.contains_key(*id))?;
    let near = nearest(id, contracts.clauses.keys().map(String::as_str));
    let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Some(format!("there is no clause `{id}`{help}"))
}

/// What is wrong with a selection by names that no case has, where another name is near.
pub fn misspelt_name(scenarios: &[Arc<Scenario>], contracts: &Contracts, selection: &Selection) -> Option<String> {
    let name = selection.names.first()?;
    let of_cases: Vec<String> = plan(scenarios, contracts, &Selection::default()).iter().map(|case| case.name.to_string()).collect();
    let words = of_cases.iter().flat_map(|name| name.split([' ', '/', '-', ':', ',']));
    let parts = of_cases.iter().flat_map(|name| name.split(" / "));
    let near = nearest(name, parts.chain(words))?;
    Some(format!("no case's name contains `{name}`; did you mean `{near}`?"))
}

/// The clauses that a run of a selection is to prove: the selected ones; none if only cases are selected. Without a selection,
/// those of the scenarios or, if these are `all`, every clause that can be checked.
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

/// Refused connections after which no server is assumed at the address.
const REFUSED: usize = 3;
/// Consecutive calls without a response after which the target counts as silent or dead.
const IN_VAIN: usize = 20;

/// Whether the target's address responds.
#[derive(Default)]
struct Reach {
    responded: bool,
    refused: usize,
    /// Calls without a response since the last response.
    in_vain: usize,
    /// The error of the first of these.
    why: Option<String>,
}

impl Reach {
    fn observe(&mut self, event: &Event) {
        let Event::CaseFinished(case) = event else { return };
        for exchange in case.record.iter().filter(|e| e.direction == Direction::Call) {
            match &exchange.outcome {
                ExchangeOutcome::Failed(failure) => self.fail(&exchange.request.url, failure),
                ExchangeOutcome::Response(_) => self.respond(),
            }
        }
    }

    fn respond(&mut self) {
        *self = Self { responded: true, ..Self::default() };
    }

    fn fail(&mut self, url: &str, failure: &TransportFailure) {
        let why = match failure.kind {
            TransportFailureKind::Connect => "no server responds at",
            TransportFailureKind::Timeout => "no response comes from",
            // A server is there, and its responses are judged.
            TransportFailureKind::Broken | TransportFailureKind::TooLarge => return self.respond(),
        };
        self.refused += usize::from(failure.kind == TransportFailureKind::Connect);
        self.in_vain += 1;
        self.why.get_or_insert_with(|| format!("{why} {url}: {}", failure.detail));
    }

    /// Why the target cannot be reached, if no server was there, or none responded for long. A server that takes a few calls
    /// without a response is there, and is judged.
    fn unreachable(self) -> Option<String> {
        let (responded, in_vain) = (self.responded, self.in_vain);
        let never_connected = !responded && self.refused > 0;
        let why = self.why.filter(|_| never_connected || in_vain >= IN_VAIN)?;
        let since = if responded { format!("the last {in_vain} calls got no response; ") } else { String::new() };
        Some(format!("{since}{why}"))
    }

    /// Hundreds of further attempts would only cost time.
    fn is_hopeless(&self) -> bool {
        (!self.responded && self.refused >= REFUSED) || self.in_vain >= IN_VAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://127.0.0.1:1/v1.0/create";

    fn failure(kind: TransportFailureKind) -> TransportFailure {
        TransportFailure { kind, detail: "why".to_owned() }
    }

    #[test]
    fn a_target_that_never_responds_is_given_up_soon_and_is_unreachable() {
        let mut reach = Reach::default();
        for _ in 1..REFUSED {
            reach.fail(URL, &failure(TransportFailureKind::Connect));
            assert!(!reach.is_hopeless());
        }
        reach.fail(URL, &failure(TransportFailureKind::Connect));
        assert!(reach.is_hopeless());
        assert_eq!(reach.unreachable().unwrap(), format!("no server responds at {URL}: why"));
    }

    #[test]
    fn a_target_that_dies_on_the_way_is_given_up_and_is_unreachable() {
        let mut reach = Reach::default();
        reach.respond();
        for _ in 1..IN_VAIN {
            reach.fail(URL, &failure(TransportFailureKind::Timeout));
            assert!(!reach.is_hopeless());
        }
        reach.fail(URL, &failure(TransportFailureKind::Connect));
        assert!(reach.is_hopeless());
        let why = reach.unreachable().unwrap();
        assert!(why.starts_with("the last 20 calls got no response; no response comes from") && why.contains(URL), "{why}");
    }

    #[test]
    fn a_target_that_responds_in_between_is_not_given_up() {
        let mut reach = Reach::default();
        for _ in 0..IN_VAIN {
            reach.fail(URL, &failure(TransportFailureKind::Timeout));
            reach.fail(URL, &failure(TransportFailureKind::Broken));
        }
        assert!(!reach.is_hopeless());
        assert_eq!(reach.unreachable(), None);
    }
}
