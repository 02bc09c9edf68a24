//! How a number changed between two runs, and whether the samples show a difference.

/// A number in two runs; `None` where there were too few samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaselineChange {
    /// In the earlier run.
    pub before: Option<f64>,
    /// In the later run.
    pub after: Option<f64>,
    /// Whether the samples show a difference.
    pub difference: BaselineDifference,
}

impl BaselineChange {
    /// The later number as a multiple of the earlier; none where that is not defined.
    pub fn ratio(&self) -> Option<f64> {
        let (before, after) = (self.before?, self.after?);
        (before > 0.0).then(|| after / before)
    }
}

/// Whether two numbers differ by more than chance: they do if their 95 % confidence intervals do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineDifference {
    /// The later run is better.
    Better,
    /// The later run is worse.
    Worse,
    /// The intervals overlap.
    NotShown,
    /// Unknown: too few samples, or the number is missing in one of the runs.
    Unknown,
}
