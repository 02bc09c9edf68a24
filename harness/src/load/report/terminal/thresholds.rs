//! The thresholds, those that do not hold first.

use crate::load::report::format::measured;
use crate::load::result::{LoadResult, LoadVerdict, ThresholdResult};
use crate::report::style::{Line, Tone};
use crate::report::text::{columns, counted};

/// The rules with what was measured, in at most so many lines.
pub(super) fn thresholds(result: &LoadResult, room: usize) -> Vec<Line> {
    let mut sorted: Vec<_> = result.thresholds.iter().collect();
    sorted.sort_by_key(|threshold| order(threshold.verdict));
    // The heading and the blank line before it.
    let shown = if sorted.len() + 2 <= room { sorted.len() } else { room.saturating_sub(3).min(sorted.len()) };
    if sorted.is_empty() || shown == 0 {
        return Vec::new();
    }
    let width = sorted.iter().take(shown).map(|t| columns(&t.rule)).max().unwrap_or(0);
    let mut lines = vec![Line::empty(), Line::toned(Tone::Faint, "thresholds".into())];
    lines.extend(sorted.iter().take(shown).map(|threshold| line(threshold, width)));
    if shown < sorted.len() {
        lines.push(Line::toned(Tone::Faint, format!("and {}", counted(sorted.len() - shown, "more threshold"))));
    }
    lines
}

fn order(verdict: LoadVerdict) -> u8 {
    match verdict {
        LoadVerdict::Failed => 0,
        LoadVerdict::Inconclusive => 1,
        LoadVerdict::Passed => 2,
    }
}

/// `  ✗ gateway.v1.create p99 < 1ms  1.79 ms`
fn line(threshold: &ThresholdResult, width: usize) -> Line {
    let (tone, mark) = mark(threshold.verdict);
    let observed = threshold.observed.map_or_else(|| "too little was measured".into(), |number| measured(number, threshold.unit));
    let padding = " ".repeat(width.saturating_sub(columns(&threshold.rule)));
    Line::toned(tone, format!("  {mark} ")).and(Tone::Plain, format!("{}{padding}  {observed}", threshold.rule))
}

fn mark(verdict: LoadVerdict) -> (Tone, char) {
    match verdict {
        LoadVerdict::Passed => (Tone::Good, '✓'),
        LoadVerdict::Failed => (Tone::Bad, '✗'),
        LoadVerdict::Inconclusive => (Tone::Warn, '?'),
    }
}
