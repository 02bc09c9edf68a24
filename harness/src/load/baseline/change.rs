//! A number of two runs, and what its change shows.

/// A number before and after; none where there were no samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaselineChange {
    /// In the earlier run.
    pub before: Option<f64>,
    /// In the later run.
    pub after: Option<f64>,
    /// What that shows.
    pub difference: BaselineDifference,
}

impl BaselineChange {
    /// The later number as a multiple of the earlier; none where that is not defined.
    pub fn ratio(&self) -> Option<f64> {
        let (before, after) = (self.before?, self.after?);
        (before > 0.0).then(|| after / before)
    }
}

/// What a change shows. Samples differ by chance: a difference is shown only where the 95 % confidence intervals of both numbers do
/// not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineDifference {
    /// The later run did better.
    Better,
    /// The later run did worse.
    Worse,
    /// None is shown.
    NotShown,
    /// Unknown: too few samples, or the number is missing in one of the runs.
    Unknown,
}
