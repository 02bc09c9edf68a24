//! Times of payments and refunds.

use jiff::{SignedDuration, Timestamp};

/// "Test payments finish by themselves about 10 seconds after creation", test refunds too.
pub(super) const TEST_DURATION: SignedDuration = SignedDuration::from_secs(10);

/// Adds a duration to a time, as far as times go.
pub(super) fn after(time: Timestamp, duration: SignedDuration) -> Timestamp {
    time.saturating_add(duration).unwrap_or(Timestamp::MAX)
}
