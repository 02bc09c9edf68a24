//! What came of fuzzing, for a screen.

use indexmap::IndexMap;

use super::report::{Cause, Counts, OperationReport};
use crate::report::style::{Line, Tone};
use crate::report::text::{columns, counted, fit_middle, list_within};

/// As many causes are shown; the files have all of them.
const SHOWN: usize = 10;
/// Columns before the text of a line.
const LABEL: usize = 13;

/// A cause, and the operations that have it.
struct Shared<'r> {
    first: &'r Cause,
    operations: Vec<&'r str>,
    times: usize,
}

/// The lines. The causes that most operations have come first.
pub(crate) fn lines(target: &str, seed: u64, reports: &[OperationReport], width: usize) -> Vec<Line> {
    let mut lines = vec![Line::toned(Tone::Strong, format!("Fuzzed {target}, seed {seed}"))];
    lines.extend(totals(reports, width));
    let shared = shared(reports);
    for cause in shared.iter().take(SHOWN) {
        lines.push(Line::empty());
        lines.extend(cause_lines(cause, width));
    }
    if shared.len() > SHOWN {
        lines.push(labelled("", Tone::Faint, format!("and {} more causes; `--out` has all of them", shared.len() - SHOWN)));
    }
    lines.extend(reasons("skipped", reports, |report| report.skipped.as_deref(), width));
    lines.extend(reasons("ended early", reports, |report| report.stopped.as_deref(), width));
    lines
}

fn totals(reports: &[OperationReport], width: usize) -> Vec<Line> {
    let mut counts = Counts::default();
    reports.iter().for_each(|report| counts.add(&report.counts));
    let fuzzed = reports.iter().filter(|report| report.counts.sent > 0);
    let (operations, begun) = (fuzzed.clone().count(), fuzzed.filter(|report| report.accepted).count());
    let Counts { sent, accepted, refused, elsewhere, by_http, silent, own } = counts;
    let of = format!("{}, {begun} of them from a request that succeeds", counted(operations, "operation"));
    let answers = format!(
        "{accepted} accepted, {refused} refused as documented, {by_http} refused by HTTP, {elsewhere} elsewhere, {silent} not answered"
    );
    let mut lines = vec![labelled("operations", Tone::Plain, of), labelled("requests", Tone::Plain, counted(sent, "made-up request"))];
    let answers = wrapped(&answers, width.saturating_sub(LABEL)).into_iter();
    lines.extend(answers.enumerate().map(|(index, text)| labelled(if index == 0 { "answers" } else { "" }, Tone::Plain, text)));
    if own > 0 {
        lines.push(labelled("", Tone::Warn, format!("{own} times the target says by a documented code that it has failed itself")));
    }
    let causes = shared(reports).len();
    let (tone, verdict) = if causes == 0 { (Tone::Good, "nothing found".to_owned()) } else { (Tone::Bad, counted(causes, "cause")) };
    lines.push(labelled("found", tone, verdict));
    lines
}

/// The same thing after the same changes is one thing, whichever the operation is.
fn shared(reports: &[OperationReport]) -> Vec<Shared<'_>> {
    let mut found: IndexMap<(String, Option<String>, String), Shared<'_>> = IndexMap::new();
    for report in reports {
        for cause in &report.causes {
            let key = (cause.finding.message.clone(), cause.finding.at.clone(), cause.edits.join("; "));
            let shared = found.entry(key).or_insert_with(|| Shared { first: cause, operations: Vec::new(), times: 0 });
            shared.operations.push(&report.operation);
            shared.times += cause.times;
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|shared| std::cmp::Reverse(shared.operations.len()));
    found
}

fn cause_lines(shared: &Shared<'_>, width: usize) -> Vec<Line> {
    let (cause, room) = (shared.first, width.saturating_sub(LABEL));
    let finding = &cause.finding;
    let at = finding.at.as_deref().map(|at| format!(" ({at})")).unwrap_or_default();
    let changes = if cause.edits.is_empty() { "the valid request, nothing changed".to_owned() } else { cause.edits.join("; ") };
    let again = if cause.again || cause.edits.is_empty() { "" } else { ", not seen again" };
    let mut lines = vec![
        Line::toned(Tone::Bad, format!("{:<LABEL$}", "FOUND")).and(Tone::Plain, format!("{}{at}", finding.message)),
        labelled("operations", Tone::Plain, list_within(&shared.operations, room)),
        labelled("when", Tone::Plain, changes),
        labelled(
            "clause",
            Tone::Plain,
            format!("{}, {}, first in number {}{again}", finding.clause(), counted(shared.times, "request"), cause.request),
        ),
    ];
    let compared = [("expected", &finding.expected), ("got", &finding.got)];
    lines.extend(compared.iter().filter_map(|(label, value)| Some(labelled(label, Tone::Plain, value.as_ref()?.to_string()))));
    lines.extend(finding.curl.iter().map(|line| labelled("again", Tone::Faint, fit_middle(line, room))));
    let files: Vec<&str> = cause.files.iter().map(|(name, _)| name.as_str()).collect();
    if !files.is_empty() {
        lines.push(labelled("files", Tone::Faint, list_within(&files, room)));
    }
    lines
}

fn reasons<'r>(
    label: &str,
    reports: &'r [OperationReport],
    reason: impl Fn(&'r OperationReport) -> Option<&'r str>,
    width: usize,
) -> Vec<Line> {
    let mut by: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for report in reports {
        if let Some(reason) = reason(report) {
            by.entry(reason).or_default().push(&report.operation);
        }
    }
    let room = width.saturating_sub(LABEL);
    let told = |(reason, operations): (&str, Vec<&str>)| {
        let first = labelled(label, Tone::Warn, list_within(&operations, room));
        let rest = wrapped(reason, room).into_iter().map(|text| labelled("", Tone::Plain, text));
        std::iter::once(first).chain(rest).collect::<Vec<_>>()
    };
    by.into_iter().flat_map(told).collect()
}

/// A text in lines of whole words: what opens something to the reader must not be cut off.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| columns(line) + 1 + columns(word) <= room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

fn labelled(label: &str, tone: Tone, text: String) -> Line {
    Line::toned(Tone::Faint, format!("{label:<LABEL$}")).and(tone, text)
}
