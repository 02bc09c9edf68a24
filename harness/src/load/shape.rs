//! What a kind of load asks of the engine: users, intended starts, and how long.

use std::time::Duration;

use super::engine::Crowd;
use super::profile::{Kind, UserStage};
use super::schedule::Schedule;

/// What a kind of load asks of the engine. The warm-up is the beginning of it.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) crowd: Crowd,
    /// The intended starts of open load.
    pub(crate) schedule: Option<Schedule>,
    /// How long iterations are begun and measured: the warm-up is before that.
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

    /// The number that a user of this shard has among those of all, so that no two are alike.
    pub(crate) fn user(self, number: usize) -> usize {
        let (part, of) = (usize::try_from(self.part).unwrap_or(1), usize::try_from(self.of).unwrap_or(1));
        number * of + part.saturating_sub(1)
    }

    /// Its share of a number: together the shards have exactly all.
    fn share(self, number: usize) -> usize {
        let (part, of) = (usize::try_from(self.part).unwrap_or(1), usize::try_from(self.of).unwrap_or(1).max(1));
        number / of + usize::from(part <= number % of)
    }
}

impl Shape {
    /// The shape of a kind of load that runs once; none for a search, each trial of which has a shape of its own.
    pub(crate) fn of(kind: &Kind, warm_up: Duration, shard: Shard) -> Option<Self> {
        let duration = kind.duration().saturating_sub(warm_up);
        match kind {
            Kind::ConstantUsers { users, .. } => Some(Self { crowd: Crowd::Constant(shard.share(*users)), schedule: None, duration }),
            Kind::RampingUsers { stages } => {
                let stages = stages.iter().map(|stage| UserStage { users: shard.share(stage.users), ..*stage });
                Some(Self { crowd: Crowd::Ramping(stages.collect()), schedule: None, duration })
            }
            Kind::ConstantArrivalRate(_) | Kind::RampingArrivalRate { .. } | Kind::Soak { .. } => {
                Self::open(Schedule::of(kind)?, duration, kind.users(), shard)
            }
            Kind::CapacitySearch { .. } => None,
        }
    }

    /// So many iterations a second for so long, the warm-up at the beginning.
    pub(crate) fn trial(rate: f64, hold: Duration, users: usize, warm_up: Duration, shard: Shard) -> Option<Self> {
        Self::open(Schedule::constant(rate, hold), hold.saturating_sub(warm_up), users, shard)
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
        let kind = Kind::ConstantArrivalRate(ConstantRate { rate: 10.0, duration: seconds(4), users: 7 });
        let shapes: Vec<_> = (1..=3).map(|part| Shape::of(&kind, seconds(1), Shard { part, of: 3 }).unwrap()).collect();
        assert_eq!(shapes.iter().map(|shape| shape.schedule.as_ref().unwrap().len()).sum::<u64>(), 40);
        assert!(shapes.iter().all(|shape| shape.duration == seconds(3)), "the warm-up is a part of it");
        let crowds: Vec<_> = shapes.into_iter().map(|shape| shape.crowd).collect();
        assert_eq!(crowds, [Crowd::Constant(3), Crowd::Constant(2), Crowd::Constant(2)]);
    }

    #[test]
    fn users_of_all_shards_have_numbers_of_their_own() {
        let shards: Vec<_> = (1..=3).map(|part| Shard { part, of: 3 }).collect();
        let mut numbers: Vec<_> = shards.iter().flat_map(|shard| (0..shard.share(7)).map(|number| shard.user(number))).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..7).collect::<Vec<_>>(), "those of the whole");
    }

    #[test]
    fn users_that_come_and_go_are_shared_too() {
        let stages = vec![UserStage { users: 5, duration: Duration::from_secs(2) }];
        let shape = |part| Shape::of(&Kind::RampingUsers { stages: stages.clone() }, Duration::ZERO, Shard { part, of: 2 }).unwrap();
        let users = |shape: Shape| match shape.crowd {
            Crowd::Ramping(stages) => stages[0].users,
            Crowd::Constant(users) => users,
        };
        assert_eq!((users(shape(1)), users(shape(2))), (3, 2));
    }
}
