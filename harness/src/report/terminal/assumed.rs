//! Findings against assumed rules, which do not count. One assumption may excuse dozens of them, so they are shown by assumption.

use indexmap::IndexMap;

use super::line::Line;
use crate::base::text::counted;
use crate::engine::outcome::{Cause, Tone, Weight};

/// Assumptions shown on a terminal.
const SHOWN: usize = 3;

/// How a cause is shown whole.
pub(super) type Block<'b> = &'b dyn Fn(&Cause) -> Vec<Line>;

/// The lines of an outcome's assumed findings: each assumption with the number of its findings and, if `whole`, with these: a line each,
/// or what `block` makes of one.
pub(super) fn assumed(causes: &[Cause], whole: bool, block: Option<Block<'_>>) -> Vec<Line> {
    let mut by_reason: IndexMap<&str, Vec<&Cause>> = IndexMap::new();
    for cause in causes {
        if let Weight::Assumed(why) = &cause.weight {
            by_reason.entry(why.trim_end_matches('.')).or_default().push(cause);
        }
    }
    if by_reason.is_empty() {
        return Vec::new();
    }
    let all: usize = by_reason.values().map(Vec::len).sum();
    let counts = if all == 1 { "does" } else { "do" };
    let title = format!("{} against rules we assume ({counts} not count)", counted(all, "finding"));
    let mut lines = vec![Line::empty(), Line::toned(Tone::Warn, title)];
    let shown = if whole { by_reason.len() } else { SHOWN };
    for (why, causes) in by_reason.iter().take(shown) {
        lines.push(Line::plain(format!("  {}: {why}", counted(causes.len(), "finding"))));
        for cause in causes.iter().copied().filter(|_| whole) {
            lines.extend(block.map_or_else(|| vec![one(cause)], |block| block(cause)));
        }
    }
    let hidden = by_reason.len() - by_reason.len().min(shown);
    lines.extend((hidden > 0).then(|| Line::toned(Tone::Faint, format!("  and {} (all with -v)", counted(hidden, "more assumption")))));
    lines
}

/// A finding on a line.
fn one(cause: &Cause) -> Line {
    let operation = cause.evidence.as_ref().map(|evidence| evidence.finding.operation.as_str()).filter(|id| !id.is_empty());
    let at = operation.map(|id| format!(" at {id}")).unwrap_or_default();
    Line::plain(format!("    {}{at}, {}: {}", cause.name, cause.seen, cause.message))
}
