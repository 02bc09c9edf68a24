//! The progress of a long command: a regular line on standard error, unless the command draws a bar of its own.

use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::base::text::counted;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::Event;
use crate::engine::outcome::wall_time;

/// The interval of the lines in a pipe or in the log of a CI.
pub(super) const IN_A_PIPE: Duration = Duration::from_secs(30);
/// The interval of the lines at a terminal.
pub(super) const AT_A_TERMINAL: Duration = Duration::from_secs(10);

/// The progress that a command reports; shared with the task that prints it.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress(Arc<Mutex<String>>);

impl Progress {
    /// Sets the progress.
    pub(super) fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The progress of a run of cases.
#[derive(Debug, Default)]
pub(super) struct CaseCount {
    planned: usize,
    finished: usize,
    failed: usize,
}

impl CaseCount {
    /// Processes an event, and returns the progress.
    pub(super) fn after(&mut self, event: &Event) -> String {
        match event {
            Event::RunStarted(run) => self.planned = run.cases,
            Event::CaseFinished(case) => {
                self.finished += 1;
                self.failed += usize::from(counts(&case.verdict));
            }
            Event::RunFinished(_) => {}
        }
        let failed = if self.failed == 0 { "none failed".to_owned() } else { format!("{} failed", self.failed) };
        format!("{} of {} ended, {failed} so far", self.finished, counted(self.planned, "case"))
    }
}

/// Whether a case has failed. Known and assumed findings do not count.
pub(super) fn counts(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed { findings } if findings.iter().any(Finding::counts))
}

/// Writes a line at every interval, until it is aborted.
pub(super) async fn report_regularly(command: &str, progress: Progress, every: Duration, mut out: impl Write) -> Infallible {
    let begun = Instant::now();
    loop {
        tokio::time::sleep(every).await;
        // An unread line cannot be helped.
        let _ = writeln!(out, "{}", line(command, &progress.get(), begun.elapsed()));
    }
}

/// `verify  312 of 1463 cases ended, none failed so far, 30.0 s`
fn line(command: &str, progress: &str, elapsed: Duration) -> String {
    let progress = if progress.is_empty() { "still running" } else { progress };
    format!("{command}  {progress}, {}", wall_time(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::event::{CaseFinished, CaseName};

    #[tokio::test(start_paused = true)]
    async fn a_line_comes_every_half_minute_and_none_before() {
        let (progress, mut out) = (Progress::default(), Vec::new());
        let _ =
            tokio::time::timeout(Duration::from_millis(29_900), report_regularly("verify", progress.clone(), IN_A_PIPE, &mut out)).await;
        assert!(out.is_empty());
        progress.set("312 of 1463 cases ended, none failed so far".to_owned());
        let _ = tokio::time::timeout(Duration::from_secs(95), report_regularly("verify", progress.clone(), IN_A_PIPE, &mut out)).await;
        let printed = String::from_utf8(out).unwrap();
        assert_eq!(
            printed.lines().collect::<Vec<_>>(),
            ["30.0 s", "1 min 00 s", "1 min 30 s"].map(|time| format!("verify  312 of 1463 cases ended, none failed so far, {time}"))
        );
    }

    #[test]
    fn what_says_nothing_of_itself_is_still_running() {
        assert_eq!(line("explore", "", Duration::from_secs(60)), "explore  still running, 1 min 00 s");
    }

    #[test]
    fn cases_are_counted_as_they_end() {
        let mut count = CaseCount { planned: 2, ..CaseCount::default() };
        let name = CaseName { api: "gateway".to_owned(), scenario: "create".to_owned(), case: String::new() };
        let case = |verdict| Event::CaseFinished(Arc::new(CaseFinished { verdict, ..CaseFinished::begun(name.clone(), "t".to_owned()) }));
        let finding = Finding::new("gateway.create.code", "gateway.v1.create", "found");
        assert_eq!(count.after(&case(Verdict::Passed)), "1 of 2 cases ended, none failed so far");
        assert_eq!(count.after(&case(Verdict::Failed { findings: vec![finding] })), "2 of 2 cases ended, 1 failed so far");
    }
}
