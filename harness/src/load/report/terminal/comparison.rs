//! The comparison with an earlier run: what differs, and how much does not.

use crate::load::baseline::{Change, Comparison, Difference, OperationChange, ThresholdChange};
use crate::load::report::format::{digits, percent, rate, time};
use crate::load::result::{LoadVerdict, ThresholdResult};
use crate::report::style::{Line, Tone};
use crate::report::text::counted;

/// Why the two may not be comparable, at most so many reasons.
const CAVEATS: usize = 2;

/// The comparison in at most so many lines.
pub(super) fn comparison(comparison: &Comparison, room: usize) -> Vec<Line> {
    let mut lines = vec![Line::empty(), Line::toned(Tone::Faint, format!("against {}", comparison.before))];
    lines.extend(caveats(&comparison.caveats));
    let mut changes: Vec<_> = comparison.thresholds.iter().filter_map(threshold).collect();
    changes.extend(comparison.operations.iter().flat_map(operation));
    changes.sort_by_key(|(difference, _)| u8::from(*difference != Difference::Worse));
    // The last line counts what is not shown.
    let shown = room.saturating_sub(lines.len() + 1).min(changes.len());
    let hidden = changes.len() - shown;
    lines.extend(changes.into_iter().take(shown).map(|(_, line)| line));
    lines.push(rest(comparison, hidden));
    lines.truncate(room);
    lines
}

fn caveats(caveats: &[String]) -> Vec<Line> {
    let more = caveats.len().saturating_sub(CAVEATS);
    let shown = caveats.iter().take(CAVEATS).enumerate().map(|(index, caveat)| {
        let more = if more > 0 && index + 1 == CAVEATS { format!(" (and {})", counted(more, "more difference")) } else { String::new() };
        Line::toned(Tone::Warn, format!("  means little: {caveat}{more}"))
    });
    shown.collect()
}

type Told = (Difference, Line);

fn threshold(change: &ThresholdChange) -> Option<Told> {
    let text = format!("{} {} → {}", change.rule, word(change.before.as_ref()), word(change.after.as_ref()));
    told(change.difference, text)
}

fn word(threshold: Option<&ThresholdResult>) -> &'static str {
    match threshold.map(|t| t.verdict) {
        Some(LoadVerdict::Passed) => "passed",
        Some(LoadVerdict::Failed) => "failed",
        Some(LoadVerdict::Inconclusive) => "inconclusive",
        None => "absent",
    }
}

/// A number of one operation: what it is called, what became of it, how it is told.
type Number = (&'static str, Change, fn(f64) -> String);

fn numbers(operation: &OperationChange) -> [Number; 4] {
    [("p99", operation.p99, time), ("p50", operation.p50, time), ("errors", operation.errors, percent), ("rate", operation.rate, rate)]
}

fn operation(operation: &OperationChange) -> Vec<Told> {
    let line = |(name, change, tell): Number| {
        let tell = |number: Option<f64>| number.map_or_else(|| "–".into(), tell);
        let ratio = change.ratio().map(|ratio| format!(" (×{})", digits(ratio))).unwrap_or_default();
        told(change.difference, format!("{} {name} {} → {}{ratio}", operation.operation, tell(change.before), tell(change.after)))
    };
    numbers(operation).into_iter().filter_map(line).collect()
}

/// Only what differs is worth a line.
fn told(difference: Difference, text: String) -> Option<Told> {
    let (tone, word) = match difference {
        Difference::Worse => (Tone::Bad, "worse"),
        Difference::Better => (Tone::Good, "better"),
        Difference::NotShown | Difference::Unknown => return None,
    };
    Some((difference, Line::toned(tone, format!("  {word:<7}")).and(Tone::Plain, text)))
}

/// How many numbers and thresholds there is no line for, and why.
fn rest(comparison: &Comparison, hidden: usize) -> Line {
    let numbers = comparison.operations.iter().flat_map(numbers).map(|(_, change, _)| change.difference);
    let all: Vec<_> = numbers.chain(comparison.thresholds.iter().map(|t| t.difference)).collect();
    let of = |difference| all.iter().filter(|d| **d == difference).count();
    let mut text = format!("  no difference shown in {} of {}", of(Difference::NotShown), counted(all.len(), "number"));
    match of(Difference::Unknown) {
        0 => {}
        unknown => text.push_str(&format!(", {unknown} can't be told")),
    }
    if hidden > 0 {
        text.push_str(&format!("; {}", counted(hidden, "further difference")));
    }
    Line::toned(Tone::Faint, text)
}
