//! The state of a notification as flags, and counts of notifications by flag.

use crate::load::result::NotificationResult;

/// The state of a notification as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NotificationFlags(u8);

/// The number of flags.
pub(super) const BITS: u32 = 7;

impl NotificationFlags {
    /// It was due.
    pub(super) const DUE: Self = Self(1);
    /// It was received.
    pub(super) const RECEIVED: Self = Self(2);
    /// It was received and acknowledged.
    pub(super) const ACKNOWLEDGED: Self = Self(4);
    /// It was received again after it was acknowledged.
    pub(super) const REPEATED: Self = Self(8);
    /// It was received too late.
    pub(super) const LATE: Self = Self(16);
    /// The status call reports another state.
    pub(super) const CONTRADICTED: Self = Self(32);
    /// It was due in the warm-up.
    pub(super) const WARM_UP: Self = Self(64);

    /// The flags with `more`, if the condition holds.
    pub(super) fn with_if(self, more: Self, condition: bool) -> Self {
        if condition { Self(self.0 | more.0) } else { self }
    }

    pub(super) fn has(self, what: Self) -> bool {
        self.0 & what.0 == what.0
    }

    /// Whether it counts as late: in the warm-up no time is measured.
    pub(super) fn is_late(self) -> bool {
        self.has(Self::LATE) && !self.has(Self::WARM_UP)
    }

    /// Whether it was due in the warm-up and nothing is wrong with it.
    fn is_warm_up_only(self) -> bool {
        self.has(Self(Self::WARM_UP.0 | Self::RECEIVED.0)) && !self.has(Self::REPEATED) && !self.has(Self::CONTRADICTED)
    }

    /// The flags after a further receipt. A notification that had been counted as lost is late.
    pub(super) fn received(self, acknowledged: bool) -> Self {
        self.with_if(Self::LATE, !self.has(Self::RECEIVED))
            .with_if(Self::RECEIVED, true)
            .with_if(Self::REPEATED, self.has(Self::ACKNOWLEDGED))
            .with_if(Self::ACKNOWLEDGED, acknowledged)
    }

    pub(super) fn bits(self) -> u64 {
        u64::from(self.0)
    }

    /// The flags in the lowest [`BITS`] of a number.
    pub(super) fn from_bits(number: u64) -> Self {
        Self(u8::try_from(number & ((1 << BITS) - 1)).unwrap_or_default())
    }
}

/// Counts of settled notifications.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NotificationCounts {
    expected: u64,
    once: u64,
    duplicated: u64,
    late: u64,
    lost: u64,
    contradicting: u64,
    unexpected: u64,
}

impl NotificationCounts {
    /// Counts a notification.
    pub(super) fn add(&mut self, flags: NotificationFlags) {
        self.change(flags, |count| *count += 1);
    }

    /// Undoes [`Self::add`].
    pub(super) fn remove(&mut self, flags: NotificationFlags) {
        self.change(flags, |count| *count = count.saturating_sub(1));
    }

    fn change(&mut self, flags: NotificationFlags, by: impl Fn(&mut u64)) {
        if flags.is_warm_up_only() {
            return;
        }
        let contradicted = flags.has(NotificationFlags::CONTRADICTED);
        if contradicted {
            by(&mut self.contradicting);
        }
        if !flags.has(NotificationFlags::DUE) {
            if !contradicted {
                by(&mut self.unexpected);
            }
            return;
        }
        by(&mut self.expected);
        if !flags.has(NotificationFlags::RECEIVED) {
            return by(&mut self.lost);
        }
        let (repeated, late) = (flags.has(NotificationFlags::REPEATED), flags.is_late());
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
