//! `constant-users`: a fixed number of virtual users, each as fast as the target responds.

use std::sync::Arc;
use std::time::Duration;

use super::kind::{KindDefinition, LoadKind, OneRun, Runs};
use crate::load::keys::Keys;
use crate::load::run_plan::{RunPlan, UserPlan};
use crate::load::shard::Shard;

pub(super) const KIND: KindDefinition = KindDefinition {
    name: "constant-users",
    about: "A fixed number of users, each as fast as the target responds.",
    read: |keys| Some(Arc::new(ConstantUsers::read(keys)?)),
};

/// The same number of virtual users all the time.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantUsers {
    /// How many play at a time.
    pub users: usize,
    /// How long.
    pub duration: Duration,
}

impl ConstantUsers {
    fn read(keys: &mut Keys<'_, '_>) -> Option<Self> {
        let users = keys.users("How many play at a time.");
        let duration = keys.time("for", "How long: `30s`.");
        Some(Self { users: users?, duration: duration? })
    }
}

impl LoadKind for ConstantUsers {
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
        None
    }

    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs> {
        OneRun::boxed(RunPlan::closed(UserPlan::Constant(shard.share(self.users)), self.duration, warm_up))
    }
}
