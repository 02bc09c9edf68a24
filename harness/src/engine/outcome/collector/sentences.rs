//! What a run says of itself: its figures, and why it failed or passed.

use super::Collector;
use crate::base::text::counted;
use crate::engine::event::{ClauseOutcome, Standing};
use crate::engine::inbox::Unexpected;
use crate::engine::outcome::part::{Figure, Tone};
use crate::engine::outcome::standing_counts::StandingCounts;

impl Collector {
    /// The figures of the run.
    pub(super) fn figures(&self, tone: Tone) -> Vec<Figure> {
        let run = &self.finished;
        let traffic = format!("{}, {}", counted(run.requests, "request"), counted(run.notifications, "notification"));
        let mut figures = vec![Figure::new("traffic", Tone::Plain, traffic).timed(run.elapsed), self.cases(tone), self.clauses(tone)];
        figures.extend(self.transitions());
        figures.extend((run.notifications == 0 && self.unnotified > 0).then(|| silence(self.unnotified)));
        figures.extend(run.unexpected.iter().map(unexpected));
        figures
    }

    fn cases(&self, tone: Tone) -> Figure {
        let counts = self.finished.counts;
        let not_counted = [(self.only_known, "known"), (self.only_assumed, "against assumed rules only")];
        let not_counted = not_counted.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} more {why}"));
        // An outdated entry fails the run, and is no case of it.
        let outdated = (self.stale > 0).then(|| format!("and {} out of date", counted(self.stale, "known finding")));
        let not_counted: Vec<_> = not_counted.chain(outdated).collect();
        let not_counted = if not_counted.is_empty() { String::new() } else { format!(" ({})", not_counted.join(", ")) };
        let text = format!(
            "{} passed, {} failed{not_counted}, {} skipped, {} not judged",
            counts.passed,
            self.failed_cases(),
            counts.skipped,
            counts.not_judged
        );
        Figure::new("cases", tone, text)
    }

    fn transitions(&self) -> Option<Figure> {
        let rows = self.finished.rows.iter().filter(|row| self.has_api_of_row(&row.row));
        let (rows, elsewhere): (Vec<_>, Vec<_>) = rows.partition(|row| self.was_asked_of(&row.row));
        let mut open: Vec<_> = rows.iter().filter(|row| row.times == 0).map(|row| row.row.clone()).collect();
        let taken = rows.len() - open.len();
        // A run of a few cases takes few: the names of all others would say no more than their number.
        open.truncate(if open.len() <= taken { open.len() } else { 0 });
        let not_taken = if open.is_empty() { "" } else { "; not taken: " };
        let elsewhere = match elsewhere.len() {
            0 => String::new(),
            others => format!(" ({others} of other APIs not counted)"),
        };
        let text = format!("{taken} of {} taken{elsewhere}{not_taken}", rows.len());
        (!rows.is_empty()).then(|| Figure::new("transitions", Tone::Plain, text).naming(open))
    }

    /// The number of clauses by standing.
    fn clauses(&self, tone: Tone) -> Figure {
        let clauses = self.finished.clauses.iter().filter(|clause| self.has_api_of(&clause.id));
        Figure::new("clauses", tone, StandingCounts::of(clauses.map(|clause| &clause.standing)).to_string())
    }

    /// Why the run failed.
    pub(super) fn why_failed(&self, incomplete: bool) -> String {
        if self.stale == self.failed() {
            return format!("{} to be renewed or removed, nothing else was found", counted(self.stale, "known finding"));
        }
        let failed = |outcome: &&ClauseOutcome| matches!(outcome.standing, Standing::Failed { .. });
        let named = self.finished.clauses.iter().filter(failed).filter(|outcome| self.causes.name(&outcome.id)).count();
        let clauses = if named > 0 { named } else { self.causes.clauses_that_count() };
        let cases = counted(self.failed_cases(), "case");
        if clauses == 0 {
            return format!("the target does not do what was expected in {cases}");
        }
        let also = if incomplete { "; not everything could be judged" } else { "" };
        let outdated =
            if self.stale > 0 { format!("; {} to be renewed or removed", counted(self.stale, "known finding")) } else { String::new() };
        format!("the target breaks {} in {cases}{outdated}{also}", counted(clauses, "clause"))
    }

    /// Why the run passed.
    pub(super) fn why_passed(&self) -> String {
        let part = |count: usize, what: &str| if count == 0 { String::new() } else { format!("; {} {what}", counted(count, "case")) };
        let skipped = part(self.finished.counts.skipped, "skipped");
        let known = part(self.only_known, "known");
        let assumed = part(self.only_assumed, "differed from what is only assumed");
        let found = match (self.only_known, self.only_assumed) {
            (0, 0) => "nothing was found",
            (0, _) => "no documented rule was broken",
            (_, _) => "nothing new was found",
        };
        let not_judged = part(self.finished.counts.not_judged, "not judged");
        format!("{found} in {}{skipped}{not_judged}{known}{assumed}", counted(self.judged(), "case"))
    }
}

/// Where notifications arrived that belong to no case.
fn unexpected(unexpected: &Unexpected) -> Figure {
    let text = format!("{} arrived at {} for no case of this run", counted(unexpected.count, "notification"), unexpected.path);
    let more = if unexpected.about.len() < unexpected.count { ", …" } else { "" };
    let about = if unexpected.about.is_empty() { String::new() } else { format!(": about {}{more}", unexpected.about.join(", ")) };
    Figure::new("inbox", Tone::Warn, format!("{text}{about}"))
}

/// No notification has arrived at all, although cases have waited for one.
fn silence(cases: usize) -> Figure {
    let waited = counted(cases, "case");
    let text = format!(
        "no notification arrived in the whole run, though {waited} waited for one: the target may not reach the inbox; its portal must \
         have the address of `notifications` in the target file"
    );
    Figure::new("inbox", Tone::Bad, text)
}
