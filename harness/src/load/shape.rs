//! What a kind of load asks of the engine: users, intended starts, and how long.

use std::time::Duration;

use super::engine::Crowd;
use super::profile::{Kind, RateStage};
use super::schedule::Schedule;

/// What a kind of load asks of the engine, warm-up included.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) crowd: Crowd,
    /// The intended starts of open load.
    pub(crate) schedule: Option<Schedule>,
    /// How long iterations are begun, after the warm-up.
    pub(crate) duration: Duration,
}

/// Which part of how many this process plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub part: u32,
    /// In how many parts the load is split.
    pub of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Its share of a number: together the shards have exactly all.
    fn share(self, number: usize) -> usize {
        let (part, of) = (usize::try_from(self.part).unwrap_or(1), usize::try_from(self.of).unwrap_or(1).max(1));
        number / of + usize::from(part <= number % of)
    }
}

impl Shape {
    /// The shape of a kind of load that runs once; none for a search, each trial of which has a shape of its own.
    pub(crate) fn of(kind: &Kind, warm_up: Duration, shard: Shard) -> Option<Self> {
        match kind {
            Kind::ConstantUsers { users, duration } => {
                Some(Self { crowd: Crowd::Constant(shard.share(*users)), schedule: None, duration: *duration })
            }
            Kind::RampingUsers { stages } => {
                let stages = stages.iter().map(|stage| super::profile::UserStage { users: shard.share(stage.users), ..*stage });
                let stages: Vec<_> = stages.collect();
                let duration = stages.iter().map(|stage| stage.duration).sum::<Duration>().saturating_sub(warm_up);
                Some(Self { crowd: Crowd::Ramping(stages), schedule: None, duration })
            }
            Kind::ConstantArrivalRate(constant) | Kind::Soak { rate: constant, .. } => {
                Self::trial(constant.rate, constant.duration, constant.users, warm_up, shard)
            }
            Kind::RampingArrivalRate { start, stages, users } => {
                let duration = stages.iter().map(|stage| stage.duration).sum();
                let first = (!warm_up.is_zero()).then_some(RateStage { rate: *start, duration: warm_up });
                let stages: Vec<_> = first.into_iter().chain(stages.iter().copied()).collect();
                Self::open(Schedule::ramping(*start, &stages), duration, *users, shard)
            }
            Kind::CapacitySearch { .. } => None,
        }
    }

    /// So many iterations a second for so long.
    pub(crate) fn trial(rate: f64, duration: Duration, users: usize, warm_up: Duration, shard: Shard) -> Option<Self> {
        Self::open(Schedule::constant(rate, warm_up + duration), duration, users, shard)
    }

    fn open(schedule: Schedule, duration: Duration, users: usize, shard: Shard) -> Option<Self> {
        let schedule = schedule.shard(shard.part, shard.of)?;
        Some(Self { crowd: Crowd::Constant(shard.share(users).max(1)), schedule: Some(schedule), duration })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::profile::ConstantRate;

    #[test]
    fn shards_have_all_the_users_and_all_the_starts_together() {
        let seconds = Duration::from_secs;
        let kind = Kind::ConstantArrivalRate(ConstantRate { rate: 10.0, duration: seconds(3), users: 7 });
        let shapes: Vec<_> = (1..=3).map(|part| Shape::of(&kind, seconds(1), Shard { part, of: 3 }).unwrap()).collect();
        assert_eq!(shapes.iter().map(|shape| shape.schedule.as_ref().unwrap().len()).sum::<u64>(), 40);
        let crowds: Vec<_> = shapes.into_iter().map(|shape| shape.crowd).collect();
        assert_eq!(crowds, [Crowd::Constant(3), Crowd::Constant(2), Crowd::Constant(2)]);
    }

    #[test]
    fn a_ramp_is_warmed_up_at_the_rate_it_starts_with() {
        let stages = vec![RateStage { rate: 20.0, duration: Duration::from_secs(2) }];
        let kind = Kind::RampingArrivalRate { start: 10.0, stages, users: 1 };
        let shape = Shape::of(&kind, Duration::from_secs(1), Shard::WHOLE).unwrap();
        assert_eq!((shape.schedule.unwrap().len(), shape.duration), (40, Duration::from_secs(2)));
    }
}
