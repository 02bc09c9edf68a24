//! The end of a run on one screen, whatever was found.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::style::{Line, Tone};
use crate::event::{ClauseOutcome, RunFinished, RunStarted, Standing};
use crate::exit::Exit;
use crate::report::Tally;
use crate::report::findings::{Findings, Group};
use crate::report::text::{columns, counted, fit, fit_middle, list_within};
use crate::verdict::{Finding, Verdict};

/// Lines of the whole summary.
pub(super) const MAX_LINES: usize = 40;
/// Causes shown.
const GROUPS: usize = 6;
/// Lines of a cause that is only named.
const SHORT_GROUP: usize = 2;
/// Causes shown among the assumed ones.
const ASSUMED: usize = 2;
/// Causes shown among the accepted ones.
const KNOWN: usize = 3;
/// Reasons shown of each kind.
const REASONS: usize = 3;
/// Details shown.
const DETAILS: usize = 4;
/// The column at which the second column of the overview begins.
const LABEL: usize = 14;

/// Why instances were skipped or not judged, each reason with its count.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    skipped: Grouped,
    broken: Grouped,
}

/// Reasons, each with what it is the reason for.
type Grouped = BTreeMap<String, Count>;

/// For how many a reason holds.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    instances: usize,
    clauses: usize,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.instances, self.clauses) {
            (0, 0) => Ok(()),
            (instances, 0) => write!(f, "{}: ", counted(instances, "instance")),
            (0, clauses) => write!(f, "{}: ", counted(clauses, "clause")),
            (instances, clauses) => write!(f, "{}, {}: ", counted(instances, "instance"), counted(clauses, "clause")),
        }
    }
}

impl Reasons {
    /// Counts the reason of one instance.
    pub(super) fn take(&mut self, verdict: &Verdict) {
        let (reasons, reason) = match verdict {
            Verdict::Skipped { reason } => (&mut self.skipped, reason),
            Verdict::Broken { reason } => (&mut self.broken, reason),
            Verdict::Passed | Verdict::Failed { .. } => return,
        };
        reasons.entry(reason.clone()).or_default().instances += 1;
    }
}

/// The line at the beginning.
pub(super) fn opening(started: &RunStarted) -> Line {
    let what = format!("{} of {}", counted(started.instances, "instance"), counted(started.scenarios, "scenario"));
    Line::toned(Tone::Strong, "Paycheck".into()).and(Tone::Plain, format!(" checks {} with {what} (seed {})", started.target, started.seed))
}

/// Everything the summary is made of.
pub(super) struct Summary<'r> {
    pub(super) started: Option<&'r RunStarted>,
    pub(super) run: &'r RunFinished,
    pub(super) findings: &'r Findings,
    pub(super) reasons: &'r Reasons,
    pub(super) tally: &'r Tally,
    pub(super) details: &'r [String],
    pub(super) width: usize,
}

impl Summary<'_> {
    /// The lines, never more than [`MAX_LINES`]: what surrounds the findings is bounded by itself, and
    /// they get the room that is left.
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines = vec![Line::empty()];
        lines.extend(self.checked());
        lines.extend(self.overview());
        let (known, assumed, end) = (self.known(), self.assumed(), self.end());
        let room = MAX_LINES.saturating_sub(lines.len() + known.len() + assumed.len() + end.len());
        lines.extend(self.found(room));
        lines.extend(known);
        lines.extend(assumed);
        lines.extend(end);
        lines
    }

    fn checked(&self) -> [Line; 2] {
        let (target, seed) = self.started.map_or(("the target", None), |s| (s.target.as_str(), Some(s.seed)));
        let seed = seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
        let run = self.run;
        let volume = format!(
            "{}, {}, {}, {}, {}",
            counted(self.started.map_or(0, |s| s.scenarios), "scenario"),
            counted(self.started.map_or(0, |s| s.instances), "instance"),
            counted(run.requests, "request"),
            counted(run.notifications, "notification"),
            duration(run.elapsed),
        );
        [Line::toned(Tone::Strong, format!("Checked {target}{seed}")), labelled("", Tone::Plain, volume)]
    }

    fn overview(&self) -> Vec<Line> {
        let mut lines = vec![self.instances(), self.clauses()];
        lines.extend(self.rows());
        lines.extend(grouped("skipped", &self.skipped()));
        lines.extend(grouped("not judged", &self.reasons.broken));
        lines.extend(grouped("missing", &self.missing()));
        lines
    }

    /// Reasons for which instances and clauses were skipped.
    fn skipped(&self) -> Grouped {
        let mut skipped = self.reasons.skipped.clone();
        for clause in &self.run.clauses {
            if let Standing::Skipped { reason } = &clause.standing {
                skipped.entry(reason.clone()).or_default().clauses += 1;
            }
        }
        skipped
    }

    fn missing(&self) -> Grouped {
        self.run.inconclusive.iter().map(|reason| (reason.clone(), Count::default())).collect()
    }

    fn instances(&self) -> Line {
        let counts = self.run.counts;
        let not_counted = [(self.tally.only_known(), "known"), (self.tally.only_assumed(), "against assumed rules only")];
        let not_counted: Vec<_> = not_counted.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} more {why}")).collect();
        let not_counted = if not_counted.is_empty() { String::new() } else { format!(" ({})", not_counted.join(", ")) };
        let failed = self.tally.failed();
        let text =
            format!("{} passed, {failed} failed{not_counted}, {} skipped, {} not judged", counts.passed, counts.skipped, counts.broken);
        labelled("instances", self.tone(), text)
    }

    fn clauses(&self) -> Line {
        let standings = Standings::of(&self.run.clauses);
        let Standings { passed, failed, known, skipped, unchecked, untouched } = standings;
        let failed = if known > 0 { format!("{failed} failed, {known} known") } else { format!("{failed} failed") };
        let text = format!("{passed} passed, {failed}, {skipped} skipped, {unchecked} not checkable, {untouched} untouched");
        labelled("clauses", self.tone(), text)
    }

    fn rows(&self) -> Option<Line> {
        let rows = &self.run.rows;
        let missing: Vec<_> = rows.iter().filter(|row| row.taken == 0).map(|row| row.row.as_str()).collect();
        let text = format!("{} of {} transition rows taken", rows.len() - missing.len(), rows.len());
        let text = match missing.as_slice() {
            [] => text,
            names => {
                let used = LABEL + columns(&text) + "; not taken: ".len();
                format!("{text}; not taken: {}", list_within(names, self.width.saturating_sub(used)))
            }
        };
        (!rows.is_empty()).then(|| labelled("rows", Tone::Plain, text))
    }

    /// The causes that count: all of the first ones in full as far as there is room, the others by name.
    fn found(&self, room: usize) -> Vec<Line> {
        let groups = self.findings.counting();
        if groups.is_empty() {
            return Vec::new();
        }
        let title = format!("{} of failure found", counted(groups.len(), "cause"));
        let mut lines = vec![Line::empty(), Line::toned(Tone::Bad, title)];
        let mut room = room.saturating_sub(lines.len() + 1);
        let shown = groups.len().min(GROUPS).min(room / SHORT_GROUP);
        for (index, group) in groups.iter().take(shown).enumerate() {
            let reserved = (shown - index - 1) * SHORT_GROUP;
            let block = self.group(group, room.saturating_sub(reserved));
            room = room.saturating_sub(block.len());
            lines.extend(block);
        }
        let cut = groups.iter().take(shown).any(|group| self.is_cut(&group.finding));
        lines.extend(self.more(groups.len() - shown, cut));
        lines
    }

    /// Where to find what is not shown here.
    fn more(&self, hidden: usize, cut: bool) -> Option<Line> {
        let hidden = (hidden > 0).then(|| format!("and {}", counted(hidden, "more cause")));
        let cut = cut.then(|| "lines cut with … in whole".to_owned());
        let what: Vec<_> = hidden.into_iter().chain(cut).collect();
        let place = if self.details.is_empty() { "ask for a report file" } else { "see the files below" };
        (!what.is_empty()).then(|| Line::toned(Tone::Faint, format!("{}: {place}", what.join("; "))))
    }

    /// Whether a text of the finding, the command line above all, is longer than a line.
    fn is_cut(&self, finding: &Finding) -> bool {
        let values = [&finding.expected, &finding.got].into_iter().flatten().map(ToString::to_string);
        let texts = finding.curl.iter().cloned().chain(values);
        texts.chain([finding.message.clone()]).any(|text| columns(&text) + FACT > self.width)
    }

    /// One cause in at most so many lines: the name, the sentence, and what else there is room for.
    fn group(&self, group: &Group, room: usize) -> Vec<Line> {
        let finding = &group.finding;
        let mut lines = vec![title(group), Line::plain(format!("  {}", finding.message))];
        let facts = self.facts(group);
        if lines.len() + facts.len() <= room {
            lines.extend(facts);
        }
        lines
    }

    fn facts(&self, group: &Group) -> Vec<Line> {
        let finding = &group.finding;
        let at = finding.at.as_deref().map(|at| format!("{at} of ")).unwrap_or_default();
        let mut lines = vec![fact("at", &format!("{at}{}, first in {}", finding.operation, group.first))];
        lines.extend(self.compared(finding));
        if let Some(curl) = &finding.curl {
            let room = self.width.saturating_sub(FACT);
            lines.push(Line::toned(Tone::Faint, format!("{:<FACT$}{}", "  again", fit_middle(curl, room))));
        }
        lines
    }

    /// Expected and got on one line if both fit, else on a line each.
    fn compared(&self, finding: &Finding) -> Vec<Line> {
        let expected = finding.expected.as_ref().map(|value| shown(value, self.width));
        let got = finding.got.as_ref().map(|value| shown(value, self.width));
        match (expected, got) {
            (Some(expected), Some(got)) => {
                let together = format!("{expected}, got {got}");
                if columns(&together) + FACT <= self.width {
                    return vec![fact("expected", &together)];
                }
                vec![fact("expected", &expected), fact("got", &got)]
            }
            (Some(expected), None) => vec![fact("expected", &expected)],
            (None, Some(got)) => vec![fact("got", &got)],
            (None, None) => Vec::new(),
        }
    }

    fn known(&self) -> Vec<Line> {
        let groups = self.findings.known();
        if groups.is_empty() {
            return Vec::new();
        }
        let heading = format!("{} (accepted, does not count)", counted(groups.len(), "known finding"));
        let mut lines = vec![Line::empty(), Line::toned(Tone::Warn, heading)];
        for group in groups.iter().take(KNOWN) {
            let by = group.finding.known.as_ref().map(|by| format!("until {}, {}: ", by.expires, by.owner)).unwrap_or_default();
            let name = format!("{}, {}", group.finding.clause(), counted(group.instances, "instance"));
            lines.push(Line::plain(format!("  {name}: {by}{}", group.finding.message)));
        }
        if groups.len() > KNOWN {
            lines.push(Line::toned(Tone::Faint, format!("  and {} more", groups.len() - KNOWN)));
        }
        lines
    }

    fn assumed(&self) -> Vec<Line> {
        let groups = self.findings.assumed();
        if groups.is_empty() {
            return Vec::new();
        }
        let heading = format!("{} against rules we assume (does not count)", counted(groups.len(), "finding"));
        let mut lines = vec![Line::empty(), Line::toned(Tone::Warn, heading)];
        for group in groups.iter().take(ASSUMED) {
            let finding = &group.finding;
            let why = finding.assumed.as_deref().unwrap_or_default();
            let name = format!("{}, {}", finding.clause(), counted(group.instances, "instance"));
            lines.push(Line::plain(format!("  {name}: {} (assumed: {why})", finding.message)));
        }
        if groups.len() > ASSUMED {
            lines.push(Line::toned(Tone::Faint, format!("  and {} more", groups.len() - ASSUMED)));
        }
        lines
    }

    fn end(&self) -> Vec<Line> {
        let mut lines = vec![Line::empty()];
        lines.extend(self.details.iter().take(DETAILS).map(|detail| Line::toned(Tone::Faint, detail.clone())));
        if self.details.len() > DETAILS {
            lines.push(Line::toned(Tone::Faint, format!("and {}", counted(self.details.len() - DETAILS, "more file"))));
        }
        lines.push(self.verdict());
        lines
    }

    fn tone(&self) -> Tone {
        match self.tally.exit() {
            Exit::Passed => Tone::Good,
            Exit::Findings => Tone::Bad,
            Exit::Inconclusive | Exit::InvalidInput | Exit::Unreachable | Exit::Internal | Exit::Interrupted => Tone::Warn,
        }
    }

    fn verdict(&self) -> Line {
        let (word, text) = match self.tally.exit() {
            Exit::Findings => ("FAILED", self.why_failed()),
            Exit::Passed => ("PASSED", self.why_passed()),
            Exit::Inconclusive | Exit::InvalidInput | Exit::Unreachable | Exit::Internal | Exit::Interrupted => {
                ("INCONCLUSIVE", self.why_inconclusive())
            }
        };
        Line::toned(self.tone(), word.into()).and(Tone::Plain, format!(": {text}"))
    }

    fn why_failed(&self) -> String {
        let stale = self.tally.stale();
        if stale == self.tally.failed() {
            return format!("{} to be renewed or removed, nothing else was found", counted(stale, "known finding"));
        }
        let failed = |outcome: &&ClauseOutcome| matches!(outcome.standing, Standing::Failed { .. });
        let named = self.run.clauses.iter().filter(failed).filter(|outcome| self.findings.broke(&outcome.id)).count();
        let clauses = if named > 0 { named } else { self.findings.causes() };
        let instances = counted(self.tally.failed(), "instance");
        if clauses == 0 {
            return format!("the target does not do what was expected in {instances}");
        }
        let also = if self.tally.missing().is_empty() { "" } else { "; not everything could be judged" };
        format!("the target breaks {} in {instances}{also}", counted(clauses, "clause"))
    }

    fn why_passed(&self) -> String {
        let skipped = match self.run.counts.skipped {
            0 => String::new(),
            count => format!("; {} skipped", counted(count, "instance")),
        };
        let assumed = match self.tally.only_assumed() {
            0 => String::new(),
            count => format!("; {} broke assumed rules only", counted(count, "instance")),
        };
        let known = match self.tally.only_known() {
            0 => String::new(),
            count => format!("; {} known", counted(count, "instance")),
        };
        let found = if assumed.is_empty() && known.is_empty() { "nothing was found" } else { "nothing that counts was found" };
        format!("{found} in {}{skipped}{known}{assumed}", counted(self.tally.judged(), "instance"))
    }

    fn why_inconclusive(&self) -> String {
        let missing = self.tally.missing();
        let more = match missing.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {})", counted(more, "more reason")),
        };
        let first = missing.first().map_or("evidence is missing", String::as_str);
        let room = self.width.saturating_sub("INCONCLUSIVE: ".len() + more.len());
        format!("{}{more}", fit(first, room))
    }
}

/// Clauses by what is known of them.
#[derive(Default)]
struct Standings {
    passed: usize,
    failed: usize,
    known: usize,
    skipped: usize,
    unchecked: usize,
    untouched: usize,
}

impl Standings {
    fn of(clauses: &[ClauseOutcome]) -> Self {
        let mut counts = Self::default();
        for clause in clauses {
            *match clause.standing {
                Standing::Passed { .. } => &mut counts.passed,
                Standing::Failed { .. } => &mut counts.failed,
                Standing::Known { .. } => &mut counts.known,
                Standing::Skipped { .. } => &mut counts.skipped,
                Standing::Unchecked { .. } => &mut counts.unchecked,
                Standing::Untouched => &mut counts.untouched,
            } += 1;
        }
        counts
    }
}

/// The column at which a fact's text begins.
const FACT: usize = 12;

fn fact(label: &str, text: &str) -> Line {
    Line::toned(Tone::Faint, format!("{:<FACT$}", format!("  {label}"))).and(Tone::Plain, text.to_owned())
}

fn labelled(label: &str, tone: Tone, text: String) -> Line {
    Line::plain(format!("{:<LABEL$}", format!("  {label}"))).and(tone, text)
}

fn title(group: &Group) -> Line {
    let clause = match group.finding.clause() {
        "" => "an expectation of the scenario",
        id => id,
    };
    let step = group.finding.step.as_deref().map(|step| format!(", {step}")).unwrap_or_default();
    Line::toned(Tone::Strong, clause.to_owned()).and(Tone::Plain, format!("  {}{step}", counted(group.instances, "instance")))
}

/// The reasons most often met, each on a line with its count.
fn grouped(label: &str, reasons: &Grouped) -> Vec<Line> {
    let mut sorted: Vec<_> = reasons.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse((count.instances, count.clauses)));
    let mut lines = Vec::new();
    for (index, (reason, count)) in sorted.iter().take(REASONS).enumerate() {
        let label = if index == 0 { label } else { "" };
        let more = match sorted.len() - REASONS.min(sorted.len()) {
            more if more > 0 && index == REASONS - 1 => format!("(and {}) ", counted(more, "more reason")),
            _ => String::new(),
        };
        lines.push(labelled(label, Tone::Warn, format!("{more}{count}{reason}")));
    }
    lines
}

/// A value on one line, never longer than the screen is wide.
fn shown(value: &Value, width: usize) -> String {
    fit(&value.to_string(), width)
}

fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds < 60 { format!("{:.1} s", elapsed.as_secs_f64()) } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}
