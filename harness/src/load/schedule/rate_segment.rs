//! A segment of a schedule, in which the rate moves linearly.

use std::time::Duration;

/// A segment in which the rate moves linearly. Rates are iterations a second, counts are not rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateSegment {
    /// Its beginning, counted from the start of the load.
    pub(super) begins: Duration,
    /// How long it is; above zero.
    pub(super) duration: Duration,
    /// The integral of the rate at its beginning.
    pub(super) before: f64,
    /// The rate at its beginning.
    pub(super) from: f64,
    /// The rate at its end.
    pub(super) to: f64,
}

impl RateSegment {
    /// The integral of the rate at its end.
    pub(super) fn after(&self) -> f64 {
        self.before + (self.from + self.to) / 2.0 * self.duration.as_secs_f64()
    }

    /// The integral of the rate at an instant, or at its end if that is earlier.
    pub(super) fn until(&self, instant: Duration) -> f64 {
        let inside = instant.saturating_sub(self.begins).min(self.duration).as_secs_f64();
        self.before + inside * (self.from + self.slope() * inside / 2.0)
    }

    /// When the integral of the rate is `count`, within the segment.
    pub(super) fn reaches(&self, count: f64) -> Duration {
        let wanted = count - self.before;
        if wanted <= 0.0 {
            return self.begins;
        }
        // from·x + slope·x²/2 = wanted, solved without subtracting nearly equal numbers and without dividing by the slope, so that it is
        // valid for constant rates and for rates that begin or end at zero.
        let rate_then = (2.0f64).mul_add(self.slope() * wanted, self.from * self.from).max(0.0).sqrt();
        let inside = 2.0 * wanted / (self.from + rate_then);
        let inside = Duration::try_from_secs_f64(inside).unwrap_or(self.duration);
        self.begins.saturating_add(inside.min(self.duration))
    }

    /// How much the rate grows in a second.
    fn slope(&self) -> f64 {
        (self.to - self.from) / self.duration.as_secs_f64()
    }
}
