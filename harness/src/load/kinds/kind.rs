//! What every kind of load can do.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::load::keys::Keys;
use crate::load::outcome::LoadOutcome;
use crate::load::run_plan::RunPlan;
use crate::load::shard::Shard;
use crate::load::threshold::Threshold;
use crate::spec::target::LoadAsked;

/// A kind of load as profiles know it.
pub(crate) struct KindDefinition {
    /// As in a profile: `constant-arrival-rate`.
    pub(crate) name: &'static str,
    /// One sentence for people.
    pub(crate) about: &'static str,
    /// Declares its keys, and reads them.
    pub(crate) read: fn(&mut Keys<'_, '_>) -> Option<Arc<dyn LoadKind>>,
}

/// A kind of load with its numbers.
///
/// Closed kinds say how many virtual users play at a time, each as fast as the target responds. Open kinds say how many iterations
/// start a second, whatever the target does.
pub trait LoadKind: fmt::Debug + Send + Sync {
    /// As in a profile: `constant-arrival-rate`.
    fn name(&self) -> &'static str;

    /// How long one run is, warm-up included.
    fn duration(&self) -> Duration;

    /// The most virtual users at a time.
    fn users(&self) -> usize;

    /// The highest arrival rate, in iterations a second; none for closed load, where only the target limits it.
    fn highest_rate(&self) -> Option<f64>;

    /// The runs of a load test, or of one shard of it.
    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs>;

    /// How long all runs together can take.
    fn longest(&self) -> Duration {
        self.duration()
    }

    /// Whether iterations start at intended instants, whatever the target does.
    fn is_open(&self) -> bool {
        self.highest_rate().is_some()
    }

    /// The thresholds of every load of this kind, besides those of the profile.
    fn thresholds(&self) -> Vec<Threshold> {
        Vec::new()
    }

    /// Why this load can't be split into these shards, if so. Open load needs at least one user in every shard.
    fn refuse_split(&self, shard: Shard) -> Option<String> {
        let users = self.users();
        let too_few = !self.is_open() && users < shard.parts() as usize;
        too_few.then(|| format!("`--shard {shard}` leaves parts without users: the profile has {users}; split it in at most {users}"))
    }

    /// The load that the target file must allow.
    fn asked(&self) -> LoadAsked<'static> {
        LoadAsked { kind: self.name(), highest_rate: self.highest_rate(), longest: self.longest() }
    }
}

/// The runs of a load test, one after another. Most kinds have one; a search chooses each run by the outcome of the last.
pub trait Runs: Send {
    /// The next run; `None` after the last one.
    fn next(&mut self) -> Option<RunPlan>;

    /// Receives the outcome of the run that [`Self::next`] returned last.
    fn finished(&mut self, outcome: LoadOutcome);

    /// The outcome of the load test; `None` when no run took place.
    fn conclude(self: Box<Self>) -> Option<LoadOutcome>;
}

/// A load test of one run.
pub(super) struct OneRun {
    plan: Option<RunPlan>,
    outcome: Option<LoadOutcome>,
}

impl OneRun {
    pub(super) fn boxed(plan: RunPlan) -> Box<dyn Runs> {
        Box::new(Self { plan: Some(plan), outcome: None })
    }
}

impl Runs for OneRun {
    fn next(&mut self) -> Option<RunPlan> {
        self.plan.take()
    }

    fn finished(&mut self, outcome: LoadOutcome) {
        self.outcome = Some(outcome);
    }

    fn conclude(self: Box<Self>) -> Option<LoadOutcome> {
        self.outcome
    }
}
