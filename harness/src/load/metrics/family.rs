//! Metrics as values, independent of the format in which they are written.

/// Upper bounds of the buckets of times, in microseconds: 0.5 ms to 10 s. One more bucket counts the times above the last bound.
pub const BOUNDS: [u64; 14] =
    [500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000];

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricType {
    /// It only rises.
    Counter,
    /// It rises and falls.
    Gauge,
    /// Counts by bucket, their sum and their number.
    Histogram,
}

/// A metric, and its values by label.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The name without the common prefix: `requests_total`.
    pub name: &'static str,
    /// Its type.
    pub kind: MetricType,
    /// Its description in one line.
    pub help: &'static str,
    /// Its values.
    pub points: Vec<Point>,
}

/// A value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Names and values of its labels.
    pub labels: Vec<(&'static str, String)>,
    /// The value.
    pub value: Value,
}

/// A number, or a distribution of times.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// How many.
    Count(u64),
    /// Seconds.
    Seconds(f64),
    /// Times.
    Times(Buckets),
}

/// Times by bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    /// The count of each bucket: times above the previous bound and not above its own.
    pub counts: [u64; BOUNDS.len() + 1],
    /// Their sum in microseconds.
    pub micros: u128,
}

impl Family {
    /// The name with the common prefix.
    pub fn full_name(&self) -> String {
        format!("paycheck_load_{}", self.name)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Value {
    fn from(seconds: f64) -> Self {
        Self::Seconds(seconds)
    }
}

impl Buckets {
    /// Adds `count` times of about `middle` microseconds, which are at least `least`.
    pub(super) fn add(&mut self, least: u64, middle: u64, count: u64) {
        let bucket = BOUNDS.partition_point(|bound| *bound < least);
        if let Some(sum) = self.counts.get_mut(bucket) {
            *sum += count;
        }
        self.micros += u128::from(middle) * u128::from(count);
    }

    /// The number of times.
    pub fn len(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether there are no times.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Collects metrics, one family after another.
#[derive(Debug, Default)]
pub(super) struct Families(Vec<Family>);

impl Families {
    /// Begins a family; `help` is one line.
    pub(super) fn family(&mut self, name: &'static str, kind: MetricType, help: &'static str) {
        self.0.push(Family { name, kind, help, points: Vec::new() });
    }

    /// Adds a value to the last family.
    pub(super) fn sample(&mut self, labels: &[(&'static str, &str)], value: Value) {
        let labels = labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        if let Some(family) = self.0.last_mut() {
            family.points.push(Point { labels, value });
        }
    }

    pub(super) fn finish(self) -> Vec<Family> {
        self.0
    }
}
