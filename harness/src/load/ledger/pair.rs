//! One state of one resource, once it is counted.

use crate::load::result::NotificationResult;

/// What is known of it, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known(u8);

/// How many bits there are.
pub(super) const BITS: u32 = 6;

impl Known {
    /// It was due.
    pub(super) const DUE: Self = Self(1);
    /// It came.
    pub(super) const RECEIVED: Self = Self(2);
    /// And was acknowledged.
    pub(super) const ACKNOWLEDGED: Self = Self(4);
    /// And came again after that.
    pub(super) const REPEATED: Self = Self(8);
    /// It came too late.
    pub(super) const LATE: Self = Self(16);
    /// The status call says something else.
    pub(super) const CONTRADICTED: Self = Self(32);

    /// All of `self`, and `more` if that is so.
    pub(super) fn with(self, more: Self, so: bool) -> Self {
        if so { Self(self.0 | more.0) } else { self }
    }

    pub(super) fn has(self, what: Self) -> bool {
        self.0 & what.0 == what.0
    }

    /// It came once more. One that had been given up is late, whenever it was due.
    pub(super) fn received(self, acknowledged: bool) -> Self {
        self.with(Self::LATE, !self.has(Self::RECEIVED))
            .with(Self::RECEIVED, true)
            .with(Self::REPEATED, self.has(Self::ACKNOWLEDGED))
            .with(Self::ACKNOWLEDGED, acknowledged)
    }

    pub(super) fn bits(self) -> u64 {
        u64::from(self.0)
    }

    /// The known of the lowest [`BITS`] of a number.
    pub(super) fn of(number: u64) -> Self {
        Self(u8::try_from(number & ((1 << BITS) - 1)).unwrap_or_default())
    }
}

/// Counts of what is settled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    expected: u64,
    once: u64,
    duplicated: u64,
    late: u64,
    lost: u64,
    contradicting: u64,
    unexpected: u64,
}

impl Counts {
    /// One more.
    pub(super) fn add(&mut self, known: Known) {
        self.change(known, |count| *count += 1);
    }

    /// It is counted anew: as it was before, one less.
    pub(super) fn remove(&mut self, known: Known) {
        self.change(known, |count| *count = count.saturating_sub(1));
    }

    fn change(&mut self, known: Known, by: impl Fn(&mut u64)) {
        let contradicted = known.has(Known::CONTRADICTED);
        if contradicted {
            by(&mut self.contradicting);
        }
        if !known.has(Known::DUE) {
            if !contradicted {
                by(&mut self.unexpected);
            }
            return;
        }
        by(&mut self.expected);
        if !known.has(Known::RECEIVED) {
            return by(&mut self.lost);
        }
        let (repeated, late) = (known.has(Known::REPEATED), known.has(Known::LATE));
        if repeated {
            by(&mut self.duplicated);
        }
        if late {
            by(&mut self.late);
        }
        if !repeated && !late {
            by(&mut self.once);
        }
    }

    /// Adds them to a result.
    pub(super) fn add_to(self, result: &mut NotificationResult) {
        result.expected += self.expected;
        result.once += self.once;
        result.duplicated += self.duplicated;
        result.late += self.late;
        result.lost += self.lost;
        result.contradicting += self.contradicting;
        result.unexpected += self.unexpected;
    }
}
