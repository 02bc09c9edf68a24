//! Axes: map values to positions, with ticks at round numbers.

use crate::base::figures::{digits, time};

/// The approximate number of ticks on an axis.
const TICKS: f64 = 6.0;
/// The largest value that is drawn; sums of larger ones would not be exact.
const LARGEST: f64 = 1e15;
/// Usual steps of time, in seconds.
const SECONDS: [f64; 18] =
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 21_600.0];
/// The most nines that have a tick.
const NINES: f64 = 6.0;

/// The quantity on the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Across {
    /// Seconds since the measuring began.
    Seconds,
    /// Shares from 0 to 1 on a logarithmic scale: each further nine is as wide as the one before.
    Quantiles,
}

/// The quantity on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    /// Microseconds on a logarithmic scale.
    Microseconds,
    /// A rate, from zero.
    PerSecond,
    /// A count, from zero.
    Count,
}

/// One axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    kind: Kind,
    /// The first and the last value, after [`Kind::bent`].
    from: f64,
    to: f64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Seconds,
    Quantiles,
    Microseconds,
    PerSecond,
}

impl Kind {
    /// The value transformed so that the scale is linear.
    fn bent(self, value: f64) -> f64 {
        match self {
            Self::Seconds | Self::PerSecond => value,
            Self::Quantiles => (-(1.0 - value).log10()).min(NINES),
            Self::Microseconds => value.log10(),
        }
    }
}

/// Whether a value can be drawn on such an axis.
pub(super) fn fits_across(across: Across, value: f64) -> bool {
    match across {
        Across::Seconds => (0.0..=LARGEST).contains(&value),
        Across::Quantiles => (0.0..=1.0).contains(&value),
    }
}

/// Whether a value can be drawn on such an axis. The logarithmic scale begins at half a microsecond.
pub(super) fn fits_up(up: Up, value: f64) -> bool {
    match up {
        Up::Microseconds => (0.5..=LARGEST).contains(&value),
        Up::PerSecond | Up::Count => (0.0..=LARGEST).contains(&value),
    }
}

impl Scale {
    /// An axis from zero to the largest of these values.
    pub(super) fn across(across: Across, values: impl Iterator<Item = f64>) -> Self {
        let kind = match across {
            Across::Seconds => Kind::Seconds,
            Across::Quantiles => Kind::Quantiles,
        };
        let to = values.map(|value| kind.bent(value)).fold(0.0, f64::max);
        Self { kind, from: 0.0, to: if to > 0.0 { to } else { 1.0 } }
    }

    /// An axis between round numbers that contains all of these values.
    pub(super) fn up(up: Up, values: impl Iterator<Item = f64> + Clone) -> Self {
        let (least, most) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
        match up {
            Up::PerSecond | Up::Count => {
                let step = round_step(most / TICKS);
                // A line along the upper edge would look like part of the grid.
                Self { kind: Kind::PerSecond, from: 0.0, to: ((most * 1.02 / step).ceil() * step).max(step) }
            }
            Up::Microseconds => {
                let (least, most) = if least <= most { (least, most) } else { (1.0, 1000.0) };
                let (from, to) = (least.log10().floor(), most.log10().ceil());
                Self { kind: Kind::Microseconds, from, to: to.max(from + 1.0) }
            }
        }
    }

    /// The position of a value: 0 at the beginning, 1 at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((self.kind.bent(value) - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// Ticks at round values with their labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match self.kind {
            Kind::Seconds => {
                let least = self.to / TICKS;
                let step = SECONDS.into_iter().find(|step| *step >= least).unwrap_or_else(|| 3600.0 * round_step(least / 3600.0));
                multiples(step, self.to).map(|value| (value, second(value, step))).collect()
            }
            Kind::PerSecond => multiples(round_step(self.to / TICKS), self.to).map(|value| (value, digits(value))).collect(),
            Kind::Quantiles => quantiles(self.to),
            Kind::Microseconds => decades(self.from, self.to),
        }
    }
}

/// 1, 2 or 5 times a power of ten, at least as large.
fn round_step(least: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|times| times * power).find(|step| *step >= least * 0.999).unwrap_or(10.0 * power)
}

fn multiples(step: f64, to: f64) -> impl Iterator<Item = f64> {
    (0..=20).map(move |n| f64::from(n) * step).take_while(move |value| *value <= to * 1.001)
}

/// In the unit of the step: `30 s`, `10 min`, `2 h`.
fn second(value: f64, step: f64) -> String {
    match step {
        _ if step < 60.0 => format!("{} s", digits(value)),
        _ if step < 3600.0 => format!("{} min", digits(value / 60.0)),
        _ => format!("{} h", digits(value / 3600.0)),
    }
}

/// 0 %, 90 %, 99 % …, and the median.
fn quantiles(to: f64) -> Vec<(f64, String)> {
    let known = [(0.0, "0 %"), (0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.99999, "99.999 %")];
    let within = known.into_iter().filter(|(share, _)| Kind::Quantiles.bent(*share) <= to * 1.001);
    within.map(|(share, label)| (share, label.to_owned())).collect()
}

/// Powers of ten, and 2 and 5 times these where there are few.
fn decades(from: f64, to: f64) -> Vec<(f64, String)> {
    let between: &[f64] = if to - from < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = (0..=20).map(|n| from + f64::from(n)).take_while(|power| *power <= to + 0.001);
    let values = powers.flat_map(|power| between.iter().map(move |times| times * 10f64.powf(power)));
    values.filter(|value| value.log10() <= to + 0.001).map(|value| (value, round_time(value))).collect()
}

/// `1 ms`, where a table would say `1.00 ms`.
fn round_time(microseconds: f64) -> String {
    let text = time(microseconds);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.')),
        _ => text,
    }
}
