//! `ramping-arrival-rate`: the rate at which iterations start moves linearly within each stage.

use std::sync::Arc;
use std::time::Duration;

use super::kind::{KindDefinition, LoadKind, OneRun, Runs};
use crate::load::keys::Keys;
use crate::load::run_plan::RunPlan;
use crate::load::schedule::{RateStage, Schedule};
use crate::load::shard::Shard;

pub(super) const KIND: KindDefinition = KindDefinition {
    name: "ramping-arrival-rate",
    about: "The rate moves, linearly within each stage.",
    read: |keys| Some(Arc::new(RampingArrivalRate::read(keys)?)),
};

/// An arrival rate that rises and falls.
#[derive(Clone, Debug, PartialEq)]
pub struct RampingArrivalRate {
    /// Iterations a second at the start.
    pub start: f64,
    /// The most virtual users at a time.
    pub users: usize,
    /// The stages in order.
    pub stages: Vec<RateStage>,
}

impl RampingArrivalRate {
    fn read(keys: &mut Keys<'_, '_>) -> Option<Self> {
        let start = keys.optional_rate("start", "Iterations started a second when it starts; default 0.");
        let users = keys.users("The most that play at a time.");
        let stages = keys.stages("RateStage", "Where the rate goes.", |keys| {
            let rate = keys.rate_or_zero("rate", "Iterations started a second at the end of the stage.");
            let duration = keys.time("for", "How long it takes: `30s`.");
            Some(RateStage { rate: rate?, duration: duration? })
        })?;
        let start = start?;
        if start <= 0.0 && stages.iter().all(|stage| stage.rate <= 0.0) {
            keys.refuse("stages", "the rate is 0 all the time, so nothing would be played; give at least one stage a `rate` above 0");
            return None;
        }
        Some(Self { start, users: users?, stages })
    }
}

impl LoadKind for RampingArrivalRate {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn duration(&self) -> Duration {
        self.stages.iter().map(|stage| stage.duration).sum()
    }

    fn users(&self) -> usize {
        self.users
    }

    fn highest_rate(&self) -> Option<f64> {
        Some(self.stages.iter().map(|stage| stage.rate).fold(self.start, f64::max))
    }

    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs> {
        OneRun::boxed(RunPlan::open(Schedule::ramping(self.start, &self.stages), self.users, warm_up, shard))
    }
}
