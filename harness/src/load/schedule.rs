//! When the iterations of open load are to begin: decided before the first request, by arithmetic alone.
//!
//! Iteration `k` is due when exactly `k` iterations were due before it, that is, where the integral of
//! the rate is `k`. So a schedule needs no memory, whatever its length, every process that is given the
//! same profile knows all of it, and a shard is every n-th slot of the whole.

mod mix;
mod stretch;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use mix::Mix;
use stretch::Stretch;

use super::profile::{ConstantRate, Kind, RateStage, UserStage};

/// When one iteration is to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its number in the whole schedule, from 0, the same in every shard.
    pub number: u64,
    /// After the start of the load.
    pub at: Duration,
}

/// The intended starts of open load, or of one shard of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    stretches: Vec<Stretch>,
    whole: u64,
    duration: Duration,
    part: u32,
    of: u32,
}

impl Schedule {
    /// The schedule of a kind of load; none for closed load, and none for a capacity search, each trial
    /// of which has a [`Schedule::constant`] of its own.
    pub fn of(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::ConstantArrivalRate(constant) | Kind::Soak { rate: constant, .. } => {
                let ConstantRate { rate, duration, .. } = *constant;
                Some(Self::constant(rate, duration))
            }
            Kind::RampingArrivalRate { start, stages, .. } => Some(Self::ramping(*start, stages)),
            Kind::ConstantUsers { .. } | Kind::RampingUsers { .. } | Kind::CapacitySearch { .. } => None,
        }
    }

    /// `rate` iterations a second for so long.
    pub fn constant(rate: f64, duration: Duration) -> Self {
        Self::ramping(rate, &[RateStage { rate, duration }])
    }

    /// A rate that begins at `start` and moves linearly within each stage.
    pub fn ramping(start: f64, stages: &[RateStage]) -> Self {
        let mut stretches = Vec::with_capacity(stages.len());
        let (mut from, mut begins, mut before) = (start, Duration::ZERO, 0.0);
        for stage in stages {
            let stretch = Stretch { begins, duration: stage.duration, before, from, to: stage.rate };
            (from, begins, before) = (stage.rate, begins.saturating_add(stage.duration), stretch.after());
            stretches.push(stretch);
        }
        Self { stretches, whole: slots_below(before), duration: begins, part: 1, of: 1 }
    }

    /// Part `part` (from 1) of the schedule split over `of` processes: slot `k` of the whole is in part
    /// `k mod of + 1`. None where there is no such part.
    #[must_use]
    pub fn shard(self, part: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&part).then_some(Self { part, of, ..self })
    }

    /// How many slots this shard has.
    pub fn len(&self) -> u64 {
        self.mine_below(self.whole)
    }

    /// Whether nothing is to be begun.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many slots all shards have together.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// How long the load is; every start lies before its end.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// When slot `number` of the whole schedule is due, after the start of the load. For a number past
    /// the last one the end of the load.
    pub fn start(&self, number: u64) -> Duration {
        if number >= self.whole {
            return self.duration;
        }
        #[expect(clippy::cast_precision_loss, reason = "profiles are bounded far below 2^53 slots")]
        let wanted = number as f64;
        let index = self.stretches.partition_point(|stretch| stretch.after() <= wanted);
        // Rounding may leave the last slot behind the last stretch.
        let stretch = self.stretches.get(index).or(self.stretches.last());
        stretch.map_or(Duration::ZERO, |stretch| stretch.reaches(wanted))
    }

    /// The slot that is `index`-th in this shard, from 0: what the next free user of open load takes.
    pub fn slot(&self, index: u64) -> Option<Slot> {
        let number = index.checked_mul(u64::from(self.of))?.checked_add(u64::from(self.part - 1))?;
        (number < self.whole).then(|| Slot { number, at: self.start(number) })
    }

    /// The slots of this shard in their order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.len()).filter_map(|index| self.slot(index))
    }

    /// How many slots of this shard start at or after `from` and before `to`.
    pub fn intended_between(&self, from: Duration, to: Duration) -> u64 {
        self.mine_below(self.starting_before(to)).saturating_sub(self.mine_below(self.starting_before(from)))
    }

    /// How many slots of the whole start before `instant`: the first estimate is the integral of the
    /// rate, then the slots around it are asked themselves, so that both always agree.
    fn starting_before(&self, instant: Duration) -> u64 {
        let integral = self.stretches.iter().rev().find(|s| s.begins < instant).map_or(0.0, |s| s.until(instant));
        let mut count = slots_below(integral).min(self.whole);
        while count > 0 && self.start(count - 1) >= instant {
            count -= 1;
        }
        while count < self.whole && self.start(count) < instant {
            count += 1;
        }
        count
    }

    /// How many of the first `count` slots of the whole are in this shard.
    fn mine_below(&self, count: u64) -> u64 {
        let (part, of) = (u64::from(self.part - 1), u64::from(self.of));
        count.saturating_sub(part).div_ceil(of)
    }
}

/// How many whole numbers from 0 are below an integral of the rate, forgiving the noise of its addition:
/// ten a second for a minute are 600, not 601 because of a last digit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count, bounded by the profile")]
fn slots_below(integral: f64) -> u64 {
    let nearest = integral.round();
    let noise = 1e-9 * nearest.max(1.0);
    let count = if (integral - nearest).abs() <= noise { nearest } else { integral.ceil() };
    count.max(0.0) as u64
}

/// How many users play at an instant of ramping load: linear within each stage, from none, rounded; after
/// the last stage what that one ends with.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "users are few thousands")]
pub fn users_at(stages: &[UserStage], instant: Duration) -> usize {
    let (mut from, mut begins) = (0, Duration::ZERO);
    for stage in stages {
        let ends = begins.saturating_add(stage.duration);
        if instant < ends {
            let share = (instant - begins).as_secs_f64() / stage.duration.as_secs_f64();
            let (low, high) = (from as f64, stage.users as f64);
            return share.mul_add(high - low, low).round() as usize;
        }
        (from, begins) = (stage.users, ends);
    }
    from
}
