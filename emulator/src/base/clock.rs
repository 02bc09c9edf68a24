//! The clock of a world: the real one, or a virtual one.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// A clock, in UTC.
#[derive(Debug)]
pub(crate) enum Clock {
    /// The clock of the computer.
    Real,
    /// Milliseconds since 1970, moved by `clock.advances`.
    Virtual(AtomicI64),
}

impl Clock {
    /// A clock that stays at `start`.
    pub(crate) fn standing_at(start: Timestamp) -> Self {
        Self::Virtual(AtomicI64::new(start.as_millisecond()))
    }

    /// The current time.
    pub(crate) fn now(&self) -> Timestamp {
        match self {
            Self::Real => Timestamp::now(),
            Self::Virtual(milliseconds) => Timestamp::from_millisecond(milliseconds.load(Ordering::Acquire)).unwrap_or(Timestamp::MAX),
        }
    }

    /// Moves a virtual clock on, never back.
    pub(crate) fn move_to(&self, time: Timestamp) {
        if let Self::Virtual(milliseconds) = self {
            milliseconds.fetch_max(time.as_millisecond(), Ordering::AcqRel);
        }
    }

    /// Whether it is virtual.
    pub(crate) const fn is_virtual(&self) -> bool {
        matches!(self, Self::Virtual(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_clock_stands_still_and_never_goes_back() {
        let clock = Clock::standing_at(Timestamp::UNIX_EPOCH);
        assert_eq!(clock.now(), clock.now());
        clock.move_to(Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(5));
        clock.move_to(Timestamp::UNIX_EPOCH);
        assert_eq!(clock.now().as_second(), 5);
    }
}
