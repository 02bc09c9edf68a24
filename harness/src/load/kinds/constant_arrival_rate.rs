//! `constant-arrival-rate`: iterations start at a fixed rate, whatever the target does.

use std::sync::Arc;
use std::time::Duration;

use super::kind::{KindDefinition, LoadKind, OneRun, Runs};
use crate::load::keys::Keys;
use crate::load::run_plan::RunPlan;
use crate::load::schedule::Schedule;
use crate::load::shard::Shard;

pub(super) const KIND: KindDefinition = KindDefinition {
    name: "constant-arrival-rate",
    about: "A fixed number of iterations started a second, whatever the target does.",
    read: |keys| Some(Arc::new(ConstantArrivalRate::read(keys, "How long: `30s`.")?)),
};

/// An arrival rate that does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantArrivalRate {
    /// Iterations started a second.
    pub rate: f64,
    /// The most virtual users at a time.
    pub users: usize,
    /// How long.
    pub duration: Duration,
}

impl ConstantArrivalRate {
    pub(super) fn read(keys: &mut Keys<'_, '_>, about_duration: &str) -> Option<Self> {
        let rate = keys.rate("rate", "Iterations started a second.");
        let users = keys.users("The most that play at a time.");
        let duration = keys.time("for", about_duration);
        Some(Self { rate: rate?, users: users?, duration: duration? })
    }
}

impl LoadKind for ConstantArrivalRate {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn duration(&self) -> Duration {
        self.duration
    }

    fn users(&self) -> usize {
        self.users
    }

    fn highest_rate(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs> {
        OneRun::boxed(RunPlan::open(Schedule::constant(self.rate, self.duration), self.users, warm_up, shard))
    }
}
