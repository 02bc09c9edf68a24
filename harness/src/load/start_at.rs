//! The instant at which all parts of a split load begin.

use std::time::{Duration, SystemTime};

/// A part that starts later than this is the limit of the load.
const LATE_START: Duration = Duration::from_millis(100);
/// The longest sleep between two readings of the clock, which may be set while a part waits.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits for an instant, if there is one. Returns how much later the wait ended.
pub(crate) async fn wait_until(start_at: Option<SystemTime>) -> Duration {
    let Some(at) = start_at else { return Duration::ZERO };
    while let Ok(left) = at.duration_since(SystemTime::now())
        && !left.is_zero()
    {
        tokio::time::sleep(left.min(POLL_INTERVAL)).await;
    }
    at.elapsed().unwrap_or_default()
}

/// Why a part is the limit of the load, if it started too late; `what` was not ready.
pub(crate) fn began_late(late: Duration, what: &str) -> Option<String> {
    (late > LATE_START).then(|| {
        let late = late.as_secs_f64();
        format!("it began {late:.1} s after `--start-at`: {what} not ready by then; choose a later time for all parts")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_begins_late_is_the_limit() {
        assert_eq!(began_late(Duration::from_millis(90), "its users were"), None);
        let why = began_late(Duration::from_millis(1_240), "its users were").unwrap();
        assert_eq!(why, "it began 1.2 s after `--start-at`: its users were not ready by then; choose a later time for all parts");
    }

    #[tokio::test]
    async fn a_past_start_is_not_waited_for() {
        assert_eq!(wait_until(None).await, Duration::ZERO);
        assert!(wait_until(Some(SystemTime::now() - Duration::from_secs(5))).await >= Duration::from_secs(5));
    }
}
