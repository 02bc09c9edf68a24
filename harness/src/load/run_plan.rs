//! The plan of one run: how many virtual users, when iterations start, and for how long.

use std::time::Duration;

use super::schedule::Schedule;
use super::shard::Shard;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// The virtual users.
    pub(crate) users: UserPlan,
    /// The intended starts; `None` for closed load.
    pub(crate) schedule: Option<Schedule>,
    /// How long measuring takes. The warm-up comes before it.
    pub(crate) duration: Duration,
    /// The rate of this trial of a capacity search.
    pub(crate) trial: Option<f64>,
}

/// The number of virtual users over time.
#[derive(Clone, Debug, PartialEq)]
pub enum UserPlan {
    /// A constant number.
    Constant(usize),
    /// A number that moves linearly within each stage, from none.
    Ramping(Vec<UserStage>),
}

/// A stage in which the number of users moves linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserStage {
    /// The number at the end of the stage.
    pub users: usize,
    /// How long it takes.
    pub duration: Duration,
}

impl RunPlan {
    /// Closed load: users play as fast as the target responds. The warm-up is the beginning of `duration`.
    pub(crate) fn closed(users: UserPlan, duration: Duration, warm_up: Duration) -> Self {
        Self { users, schedule: None, duration: duration.saturating_sub(warm_up), trial: None }
    }

    /// Open load: a shard of the iterations of a schedule, of which the warm-up is the beginning. `users` are those of all shards.
    pub(crate) fn open(schedule: Schedule, users: usize, warm_up: Duration, shard: Shard) -> Self {
        let duration = schedule.duration().saturating_sub(warm_up);
        let users = UserPlan::Constant(shard.share(users).max(1));
        Self { users, schedule: Some(schedule.shard(shard)), duration, trial: None }
    }
}

impl UserPlan {
    /// The number of users that ever start. Each start counts, even if another user has stopped before.
    pub(crate) fn total(&self) -> usize {
        match self {
            Self::Constant(users) => *users,
            Self::Ramping(stages) => {
                let mut before = 0;
                stages.iter().map(|stage| stage.users.saturating_sub(std::mem::replace(&mut before, stage.users))).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_includes_users_of_every_stage() {
        let stage = |users| UserStage { users, duration: Duration::from_secs(1) };
        assert_eq!(UserPlan::Constant(5).total(), 5);
        assert_eq!(UserPlan::Ramping(vec![stage(5), stage(5), stage(2), stage(6), stage(0)]).total(), 9);
    }
}
