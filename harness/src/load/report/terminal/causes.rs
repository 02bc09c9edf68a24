//! What was found, grouped by cause.

use serde_json::Value;

use crate::load::report::format::count;
use crate::load::result::{Cause, ErrorKind, Example, LoadResult};
use crate::report::style::{Line, Tone};
use crate::report::text::{columns, counted, fit, fit_middle};

/// Lines of a cause that is only named.
const SHORT: usize = 2;
/// The column at which a fact's text begins.
const FACT: usize = 12;

/// The causes in at most so many lines: all are named first, then told in full as far as there is room.
pub(super) fn causes(result: &LoadResult, width: usize, room: usize) -> Vec<Line> {
    let causes = &result.findings;
    if causes.is_empty() || room < 3 + SHORT {
        return Vec::new();
    }
    let mut lines = vec![Line::empty(), Line::toned(Tone::Bad, format!("{} of failure found", counted(causes.len(), "cause")))];
    // The last line may have to say that there are more.
    let mut room = room.saturating_sub(lines.len() + 1);
    let shown = causes.len().min(room / SHORT);
    for (index, cause) in causes.iter().take(shown).enumerate() {
        let block = told(cause, width, room.saturating_sub((shown - index - 1) * SHORT));
        room = room.saturating_sub(block.len());
        lines.extend(block);
    }
    if shown < causes.len() {
        lines.push(Line::toned(Tone::Faint, format!("and {}: see the report files", counted(causes.len() - shown, "more cause"))));
    }
    lines
}

fn told(cause: &Cause, width: usize, room: usize) -> Vec<Line> {
    let mut lines = vec![title(cause), Line::plain(format!("  {}", cause.message))];
    let facts = cause.examples.first().map(|example| facts(example, width)).unwrap_or_default();
    if lines.len() + facts.len() <= room {
        lines.extend(facts);
    }
    lines
}

fn title(cause: &Cause) -> Line {
    let name = match (cause.clauses.first(), cause.kind) {
        (Some(clause), _) => clause.as_str(),
        (None, ErrorKind::Transport) => "no answer",
        (None, ErrorKind::Contract | ErrorKind::Business) => "an expectation of the scenario",
    };
    let times = if cause.count == 1 { "once".into() } else { format!("{} times", count(cause.count)) };
    Line::toned(Tone::Strong, name.to_owned()).and(Tone::Plain, format!("  {times}, {}", cause.operation))
}

fn facts(example: &Example, width: usize) -> Vec<Line> {
    let at = example.at.as_deref().map(|at| format!("{at}, ")).unwrap_or_default();
    let mut lines = vec![fact("at", &format!("{at}after {:.1} s", example.second))];
    let value = |value: &Value| fit(&value.to_string(), width);
    match (&example.expected, &example.got) {
        (Some(expected), Some(got)) => {
            let together = format!("{}, got {}", value(expected), value(got));
            if columns(&together) + FACT <= width {
                lines.push(fact("expected", &together));
            } else {
                lines.extend([fact("expected", &value(expected)), fact("got", &value(got))]);
            }
        }
        (Some(expected), None) => lines.push(fact("expected", &value(expected))),
        (None, Some(got)) => lines.push(fact("got", &value(got))),
        (None, None) => {}
    }
    if let Some(curl) = &example.curl {
        lines.push(Line::toned(Tone::Faint, format!("{:<FACT$}{}", "  again", fit_middle(curl, width.saturating_sub(FACT)))));
    }
    lines
}

fn fact(label: &str, text: &str) -> Line {
    Line::toned(Tone::Faint, format!("{:<FACT$}", format!("  {label}"))).and(Tone::Plain, text.to_owned())
}
