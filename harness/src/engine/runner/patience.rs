//! Waiting for what time brings, where nothing can move the clock.

use std::time::Duration;

use crate::base::skip::SkipReason;

/// How long the next notification is waited for, and why the case ends there if nothing comes: the documents give no schedule that it
/// could be late by, unless the target file states one.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    pub(super) within: Duration,
    pub(super) if_nothing_comes: SkipReason,
}

impl Patience {
    /// The time that an action lets pass at most (`asked`), as far as the target file lets a case wait.
    pub(super) fn new(asked: Option<Duration>, bound: Duration) -> Self {
        let within = asked.map_or(bound, |asked| bound.min(asked));
        Self { within, if_nothing_comes: SkipReason::NothingCame { within } }
    }

    /// Why the case ends if nothing has come; none if what did not come is a finding. That is so of a repetition (`attempt`, from 2) whose
    /// time is over by the `schedule` of the target file.
    pub(super) fn ends(self, attempt: Option<usize>, schedule: Schedule) -> Option<SkipReason> {
        let latest = schedule.longest.and_then(|longest| longest.checked_add(schedule.under_way));
        let is_overdue = attempt.is_some_and(|attempt| attempt > 1) && latest.is_some_and(|latest| latest <= self.within);
        (!is_overdue).then_some(self.if_nothing_comes)
    }
}

/// What a target file says of the time that repetitions take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// How long the gateway waits at most before it repeats a notification; none if that is not stated.
    pub(super) longest: Option<Duration>,
    /// How long a notification is on its way at most.
    pub(super) under_way: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_repetition_that_is_late_by_a_stated_schedule_is_missed() {
        let seconds = Duration::from_secs;
        let ends = |attempt, longest: Option<u64>, bound| {
            let schedule = Schedule { longest: longest.map(seconds), under_way: seconds(5) };
            Patience::new(Some(seconds(86_400)), seconds(bound)).ends(attempt, schedule).is_some()
        };
        assert!(!ends(Some(2), Some(60), 65) && !ends(Some(3), Some(60), 600));
        assert!(ends(Some(2), Some(60), 64), "it may still be on its way");
        assert!(ends(Some(2), None, 600), "no schedule is stated");
        assert!(ends(Some(1), Some(60), 600) && ends(None, Some(60), 600), "the schedule is not about the first one");
    }
}
