//! The end of a timeline, where an interval is no whole one.

use std::time::Duration;

use super::result::Moment;

/// How often the meter is read: the length of a whole interval.
pub(crate) const SAMPLING_INTERVAL: Duration = Duration::from_secs(1);

/// How much shorter than a second an interval may be, and how much longer than the measured time a timeline, in seconds: nothing is read
/// exactly when it is due.
const SLACK: f64 = 0.1;

/// The timeline of a load that was measured for so many seconds, its partial intervals marked. The first interval never is: a load may
/// be shorter than a second.
pub(super) fn marked(mut timeline: Vec<Moment>, measured: f64) -> Vec<Moment> {
    timeline.iter_mut().skip(1).rev().take_while(|moment| is_partial(moment, measured)).for_each(|moment| moment.partial = true);
    timeline
}

/// Whether an interval is shorter than one second, or contains time in which the last iterations were awaited.
fn is_partial(moment: &Moment, measured: f64) -> bool {
    moment.seconds < SAMPLING_INTERVAL.as_secs_f64() - SLACK || moment.at + moment.seconds > measured + SLACK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial(intervals: &[(f64, f64)], measured: f64) -> Vec<bool> {
        let timeline = intervals.iter().map(|&(at, seconds)| Moment { at, seconds, ..Moment::default() }).collect();
        marked(timeline, measured).iter().map(|moment| moment.partial).collect()
    }

    #[test]
    fn only_the_end_of_a_timeline_is_partial() {
        assert_eq!(partial(&[(0.0, 1.0), (1.0, 1.05), (2.05, 0.95)], 3.0), [false, false, false]);
        assert_eq!(partial(&[(0.0, 1.0), (1.0, 1.05), (2.05, 0.45)], 2.5), [false, false, true]);
        assert_eq!(partial(&[(0.0, 1.0), (1.0, 0.5), (1.5, 1.0)], 2.5), [false, false, false], "a whole one came after it");
        assert_eq!(partial(&[(0.0, 0.3)], 0.3), [false], "there is no other");
        assert_eq!(partial(&[], 0.0), [false; 0]);
    }

    #[test]
    fn the_time_in_which_the_last_iterations_are_awaited_is_not_measured() {
        assert_eq!(partial(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (3.0, 0.2)], 1.5), [false, true, true, true]);
    }
}
