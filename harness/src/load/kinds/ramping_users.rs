//! `ramping-users`: the number of virtual users moves linearly within each stage, from none.

use std::sync::Arc;
use std::time::Duration;

use super::kind::{KindDefinition, LoadKind, OneRun, Runs};
use crate::load::keys::Keys;
use crate::load::run_plan::{RunPlan, UserPlan, UserStage};
use crate::load::shard::Shard;

pub(super) const KIND: KindDefinition = KindDefinition {
    name: "ramping-users",
    about: "Users come and go, linearly within each stage, from none.",
    read: |keys| Some(Arc::new(RampingUsers::read(keys)?)),
};

/// Virtual users that come and go.
#[derive(Clone, Debug, PartialEq)]
pub struct RampingUsers {
    /// The stages in order; the first starts at no users.
    pub stages: Vec<UserStage>,
}

impl RampingUsers {
    fn read(keys: &mut Keys<'_, '_>) -> Option<Self> {
        let stages = keys.stages("UserStage", "Where the number of users goes.", |keys| {
            let users = keys.users_or_none("How many at the end of the stage.");
            let duration = keys.time("for", "How long it takes: `30s`.");
            Some(UserStage { users: users?, duration: duration? })
        })?;
        if stages.iter().all(|stage| stage.users == 0) {
            keys.refuse("stages", "no stage has any users, so nothing would be played; give at least one stage `users` above 0");
            return None;
        }
        Some(Self { stages })
    }
}

impl LoadKind for RampingUsers {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn duration(&self) -> Duration {
        self.stages.iter().map(|stage| stage.duration).sum()
    }

    fn users(&self) -> usize {
        self.stages.iter().map(|stage| stage.users).max().unwrap_or_default()
    }

    fn highest_rate(&self) -> Option<f64> {
        None
    }

    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs> {
        let stages = self.stages.iter().map(|stage| UserStage { users: shard.share(stage.users), ..*stage });
        OneRun::boxed(RunPlan::closed(UserPlan::Ramping(stages.collect()), self.duration(), warm_up))
    }
}
