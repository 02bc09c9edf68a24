//! `capacity-search`: runs at one rate after another, to find the highest at which all thresholds hold.

use std::sync::Arc;
use std::time::Duration;

use super::kind::{KindDefinition, LoadKind, Runs};
use super::rate_search::RateSearch;
use crate::load::keys::Keys;
use crate::load::outcome::LoadOutcome;
use crate::load::result::{Early, LoadVerdict, Trial};
use crate::load::run_plan::RunPlan;
use crate::load::schedule::Schedule;
use crate::load::shard::Shard;
use crate::load::verdict::verdict;

pub(super) const KIND: KindDefinition = KindDefinition {
    name: "capacity-search",
    about: "Looks for the highest rate at which all thresholds hold.",
    read: |keys| Some(Arc::new(CapacitySearch::read(keys)?)),
};

/// The default precision.
const PRECISION: f64 = 0.05;

/// A search for the highest arrival rate: doubling until a trial fails, then halving the interval.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacitySearch {
    /// Iterations a second of the first trial.
    pub from: f64,
    /// The highest rate that is tried.
    pub to: f64,
    /// How long each trial is.
    pub hold: Duration,
    /// The search ends when the interval is narrower than this share of the rate (0.05 = 5 %).
    pub precision: f64,
    /// The most virtual users at a time.
    pub users: usize,
}

impl CapacitySearch {
    fn read(keys: &mut Keys<'_, '_>) -> Option<Self> {
        let from = keys.rate("from", "Iterations a second of the first trial.");
        let to = keys.rate("to", "The highest rate that is tried.");
        let hold = keys.time("hold", "How long each trial is: `5s`.");
        let about = "The search ends when it knows the rate to this share; default 0.05.";
        let precision = keys.number_or("precision", PRECISION, 0.01..=0.5, about);
        let users = keys.users("The most that play at a time.");
        keys.demand_items(
            "thresholds",
            "a capacity search looks for the highest rate at which its thresholds hold; it needs some",
            "for example thresholds: [errors = 0, p99 < 100ms]",
        );
        let (from, to) = (from?, to?);
        if to <= from {
            keys.refuse("to", format!("`to` is the highest rate that is tried; it must be above `from`, which is {from}"));
        }
        Some(Self { from, to, hold: hold?, precision: precision?, users: users? })
    }
}

impl LoadKind for CapacitySearch {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn duration(&self) -> Duration {
        self.hold
    }

    fn users(&self) -> usize {
        self.users
    }

    fn highest_rate(&self) -> Option<f64> {
        Some(self.to)
    }

    /// The duration of all possible trials together.
    fn longest(&self) -> Duration {
        let trials = (self.to / self.from).log2().ceil() + (1.0 / self.precision).log2().ceil() + 2.0;
        self.hold.mul_f64(trials.max(1.0))
    }

    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs> {
        let search = RateSearch::new(self.from, self.to, self.precision);
        Box::new(SearchRuns { kind: self.clone(), warm_up, shard, search, trials: Vec::new(), best: None, last: None })
    }

    fn refuse_split(&self, shard: Shard) -> Option<String> {
        (shard != Shard::WHOLE).then(|| {
            "a capacity search can't be split with `--shard`: each part would search for a rate of its own, not for that of the whole; \
             run it unsplit, or split a profile with a constant rate"
                .to_owned()
        })
    }
}

/// The trials of a search.
struct SearchRuns {
    kind: CapacitySearch,
    warm_up: Duration,
    shard: Shard,
    search: RateSearch,
    trials: Vec<Trial>,
    /// The trial with the highest rate that passed.
    best: Option<LoadOutcome>,
    /// The last trial that failed.
    last: Option<LoadOutcome>,
}

impl Runs for SearchRuns {
    fn next(&mut self) -> Option<RunPlan> {
        let rate = self.search.rate()?;
        let plan = RunPlan::open(Schedule::constant(rate, self.kind.hold), self.kind.users, self.warm_up, self.shard);
        Some(RunPlan { trial: Some(rate), ..plan })
    }

    fn finished(&mut self, outcome: LoadOutcome) {
        let Some(rate) = self.search.rate() else { return };
        let result = &outcome.result;
        let held = result.verdict == LoadVerdict::Passed;
        let note = result.reasons.first().cloned().unwrap_or_else(|| "all thresholds held".to_owned());
        self.trials.push(Trial { rate, held, note });
        self.search.tried(held);
        if held {
            self.best = Some(outcome);
        } else {
            self.last = Some(outcome);
        }
    }

    /// The best trial, with all trials in its result. An interrupted search has not found the highest rate, so it is not judged by its
    /// best trial.
    fn conclude(self: Box<Self>) -> Option<LoadOutcome> {
        let interrupted = self.last.as_ref().and_then(|last| last.result.ended_early.clone()).filter(|early| *early == Early::Interrupted);
        let mut outcome = self.best.or(self.last)?;
        let result = &mut outcome.result;
        result.trials = self.trials;
        result.ended_early = interrupted.or_else(|| result.ended_early.take());
        (result.verdict, result.reasons) = verdict(result);
        Some(outcome)
    }
}
