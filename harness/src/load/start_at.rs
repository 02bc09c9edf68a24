//! The instant at which all parts of a split load begin.

use std::time::{Duration, SystemTime};

/// Parts that begin further apart than this are not the load that was asked for.
const APART: Duration = Duration::from_millis(100);
/// A clock may be set while a part waits: it looks again after this time.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Waits for an instant, if there is one. Returns how much later it is then.
pub(crate) async fn wait_until(start_at: Option<SystemTime>) -> Duration {
    let Some(at) = start_at else { return Duration::ZERO };
    while let Ok(left) = at.duration_since(SystemTime::now())
        && !left.is_zero()
    {
        tokio::time::sleep(left.min(LOOK_AGAIN)).await;
    }
    at.elapsed().unwrap_or_default()
}

/// Why a part that began so late is the limit of the load, if it is; `what` was not ready.
pub(crate) fn began_late(late: Duration, what: &str) -> Option<String> {
    (late > APART).then(|| format!("it began {:.1} s after `--start-at`: {what} not ready by then", late.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_begins_late_is_the_limit() {
        assert_eq!(began_late(Duration::from_millis(90), "its users were"), None);
        let why = began_late(Duration::from_millis(1_240), "its users were").unwrap();
        assert_eq!(why, "it began 1.2 s after `--start-at`: its users were not ready by then");
    }

    #[tokio::test]
    async fn a_past_start_is_not_waited_for() {
        assert_eq!(wait_until(None).await, Duration::ZERO);
        assert!(wait_until(Some(SystemTime::now() - Duration::from_secs(5))).await >= Duration::from_secs(5));
    }
}
