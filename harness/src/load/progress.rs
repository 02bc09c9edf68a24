//! Progress of a load test on a terminal: two lines that are redrawn. Without a terminal nothing is drawn, as with `verify`.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::base::figures::{count, count_of, rate, span, time};

/// The bar with the phase, and the numbers on a line of their own.
const TEMPLATE: &str = "{bar:30} {prefix}\n{wide_msg}";

/// The progress of a load test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadProgress {
    /// The phase: `warm-up`, `load`, `draining`, `load, trial at 400/s`.
    pub phase: String,
    /// The time since it began.
    pub elapsed: Duration,
    /// How long it takes; `None` where that is unknown.
    pub total: Option<Duration>,
    /// Users that play now.
    pub users: u64,
    /// Calls that ended in the last second; `None` at the end, where the interval is no whole second.
    pub rate: Option<f64>,
    /// The median response time of the last second in microseconds; `None` if fewer than 2 calls ended.
    pub p50: Option<u64>,
    /// The 99th percentile of the response times of the last second; `None` if fewer than 100 calls ended.
    pub p99: Option<u64>,
    /// Calls so far.
    pub requests: u64,
    /// Calls that failed so far.
    pub errors: u64,
    /// Iterations that started more than 10 ms late so far; `None` for closed load.
    pub delayed: Option<u64>,
    /// Notifications that are due and not received; `None` where no scenario waits for notifications.
    pub outstanding: Option<u64>,
}

/// The lines on the terminal, if there is one.
#[derive(Debug)]
pub struct ProgressLines(Option<ProgressBar>);

impl ProgressLines {
    /// Draws nothing: the output is not a terminal.
    pub fn hidden() -> Self {
        Self(None)
    }

    /// Draws on standard error.
    pub fn shown() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        Self(Some(bar.with_style(ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar()))))
    }

    /// Draws the progress.
    pub fn show(&self, now: &LoadProgress) {
        if let Some(bar) = &self.0 {
            bar.set_length(millis(now.total.unwrap_or_default()));
            bar.set_position(millis(now.elapsed.min(now.total.unwrap_or_default())));
            bar.set_prefix(stage(now));
            bar.set_message(numbers(now));
        }
    }

    /// Hides the lines while `write` writes other output.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the lines.
    pub fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The same on one line, for a log.
pub fn line(now: &LoadProgress) -> String {
    format!("{}; {}", stage(now), numbers(now))
}

/// `load, 12.0 s of 60.0 s, 40 users`
fn stage(now: &LoadProgress) -> String {
    let total = now.total.map(|total| format!(" of {}", span(total.as_secs_f64()))).unwrap_or_default();
    let users = count_of(now.users, "user");
    format!("{}, {}{total}, {users}", now.phase, span(now.elapsed.as_secs_f64()))
}

/// `200/s, p50 1.20 ms, p99 8.40 ms, 2,400 calls, none failed, 3 notifications outstanding`
fn numbers(now: &LoadProgress) -> String {
    let mut parts: Vec<_> = now.rate.map(rate).into_iter().collect();
    let quantiles = [("p50", now.p50), ("p99", now.p99)];
    parts.extend(quantiles.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", time(value? as f64)))));
    parts.push(count_of(now.requests, "call"));
    parts.push(if now.errors == 0 { "none failed".into() } else { format!("{} failed", count(now.errors)) });
    parts.extend(now.delayed.filter(|delayed| *delayed > 0).map(|delayed| format!("{} started late", count(delayed))));
    parts.extend(now.outstanding.map(|outstanding| format!("{} outstanding", count_of(outstanding, "notification"))));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> LoadProgress {
        LoadProgress {
            phase: "load".into(),
            elapsed: Duration::from_secs(12),
            total: Some(Duration::from_secs(60)),
            users: 40,
            rate: Some(200.0),
            p50: Some(1200),
            p99: Some(8400),
            requests: 2400,
            ..LoadProgress::default()
        }
    }

    #[test]
    fn progress_shows_phase_time_users_and_numbers() {
        assert_eq!(stage(&now()), "load, 12.0 s of 60.0 s, 40 users");
        assert_eq!(numbers(&now()), "200/s, p50 1.20 ms, p99 8.40 ms, 2,400 calls, none failed");
        let troubled = LoadProgress { errors: 3, delayed: Some(7), outstanding: Some(1200), ..now() };
        let expected = "200/s, p50 1.20 ms, p99 8.40 ms, 2,400 calls, 3 failed, 7 started late, 1,200 notifications outstanding";
        assert_eq!(numbers(&troubled), expected);
    }

    #[test]
    fn progress_leaves_out_unknown_numbers() {
        let first = LoadProgress { phase: "warm-up".into(), users: 1, delayed: Some(0), ..LoadProgress::default() };
        assert_eq!(line(&first), "warm-up, 0.0 s, 1 user; 0 calls, none failed");
    }

    #[test]
    fn the_bar_follows_the_time_and_never_passes_the_end() {
        let mut live = ProgressLines::shown();
        let at = |live: &ProgressLines| live.0.as_ref().map(|bar| (bar.position(), bar.length()));
        live.show(&now());
        assert_eq!(at(&live), Some((12_000, Some(60_000))));
        live.show(&LoadProgress { elapsed: Duration::from_secs(75), ..now() });
        assert_eq!(at(&live), Some((60_000, Some(60_000))));
        assert_eq!(live.aside(|| 5), 5);
        live.end();
        assert_eq!(at(&live), None);
    }

    #[test]
    fn without_a_terminal_nothing_is_drawn() {
        let mut live = ProgressLines::hidden();
        live.show(&now());
        assert_eq!(live.aside(|| 5), 5);
        live.end();
        assert!(live.0.is_none());
    }
}
