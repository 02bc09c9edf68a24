//! The intended starts of open load, computed from the rate.
//!
//! Iteration `k` is due when the integral of the rate is `k`. So a schedule of any length needs no memory, every process with the same
//! profile can compute all of it, and a shard is every n-th iteration of the whole.

mod mix_order;
mod rate_segment;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use mix_order::MixOrder;
use rate_segment::RateSegment;

use super::shard::Shard;

/// A stage in which the arrival rate moves linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateStage {
    /// Iterations started a second at the end of the stage.
    pub rate: f64,
    /// How long it takes.
    pub duration: Duration,
}

/// An iteration and its intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledIteration {
    /// Its number in the whole schedule, from 0, the same in every shard.
    pub number: u64,
    /// The intended start, counted from the start of the load.
    pub at: Duration,
}

/// The intended starts of open load, or of one shard of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    segments: Vec<RateSegment>,
    whole: u64,
    duration: Duration,
    shard: Shard,
}

impl Schedule {
    /// `rate` iterations a second for `duration`.
    pub fn constant(rate: f64, duration: Duration) -> Self {
        Self::ramping(rate, &[RateStage { rate, duration }])
    }

    /// A rate that begins at `start` and moves linearly within each stage.
    pub fn ramping(start: f64, stages: &[RateStage]) -> Self {
        let mut segments = Vec::with_capacity(stages.len());
        let (mut from, mut begins, mut before) = (start, Duration::ZERO, 0.0);
        for stage in stages {
            let segment = RateSegment { begins, duration: stage.duration, before, from, to: stage.rate };
            (from, begins, before) = (stage.rate, begins.saturating_add(stage.duration), segment.after());
            segments.push(segment);
        }
        Self { segments, whole: numbers_below(before), duration: begins, shard: Shard::WHOLE }
    }

    /// A shard of the whole schedule: of `n` shards, the `i`-th has every `n`-th iteration, beginning with the `i`-th.
    #[must_use]
    pub fn shard(self, shard: Shard) -> Self {
        Self { shard, ..self }
    }

    /// The number of iterations in this shard.
    pub fn len(&self) -> u64 {
        self.in_shard_below(self.whole)
    }

    /// Whether this shard has no iterations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How long the load is; every start is before its end.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The intended start of iteration `number` of the whole schedule, counted from the start of the load. Past the last one it is the
    /// end of the load.
    pub fn start(&self, number: u64) -> Duration {
        if number >= self.whole {
            return self.duration;
        }
        #[expect(clippy::cast_precision_loss, reason = "profiles are bounded far below 2^53 iterations")]
        let wanted = number as f64;
        let index = self.segments.partition_point(|segment| segment.after() <= wanted);
        // Rounding may put the last iteration after the last segment.
        let segment = self.segments.get(index).or(self.segments.last());
        segment.map_or(Duration::ZERO, |segment| segment.reaches(wanted))
    }

    /// The `index`-th iteration of this shard, from 0.
    pub fn iteration(&self, index: u64) -> Option<ScheduledIteration> {
        let number = self.shard.number(index)?;
        (number < self.whole).then(|| ScheduledIteration { number, at: self.start(number) })
    }

    /// The iterations of this shard in their order.
    pub fn iter(&self) -> impl Iterator<Item = ScheduledIteration> + '_ {
        (0..self.len()).filter_map(|index| self.iteration(index))
    }

    /// How many iterations of this shard are due at or after `from` and before `to`.
    pub fn intended_between(&self, from: Duration, to: Duration) -> u64 {
        self.in_shard_below(self.starting_before(to)).saturating_sub(self.in_shard_below(self.starting_before(from)))
    }

    /// How many iterations of the whole are due before `instant`. The integral of the rate is an estimate; the intended starts around it
    /// decide, so that the count always agrees with them.
    fn starting_before(&self, instant: Duration) -> u64 {
        let integral = self.segments.iter().rev().find(|s| s.begins < instant).map_or(0.0, |s| s.until(instant));
        let mut count = numbers_below(integral).min(self.whole);
        while count > 0 && self.start(count - 1) >= instant {
            count -= 1;
        }
        while count < self.whole && self.start(count) < instant {
            count += 1;
        }
        count
    }

    /// How many of the first `count` iterations of the whole are in this shard.
    fn in_shard_below(&self, count: u64) -> u64 {
        let (part, of) = (u64::from(self.shard.part() - 1), u64::from(self.shard.parts()));
        count.saturating_sub(part).div_ceil(of)
    }
}

/// How many whole numbers from 0 are below an integral of the rate, tolerating rounding errors: ten a second for a minute are 600, not
/// 601.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count, bounded by the profile")]
fn numbers_below(integral: f64) -> u64 {
    let nearest = integral.round();
    let noise = 1e-9 * nearest.max(1.0);
    let count = if (integral - nearest).abs() <= noise { nearest } else { integral.ceil() };
    count.max(0.0) as u64
}
