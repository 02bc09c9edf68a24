//! What a person sees of a load test: one screen, the verdict last.

mod causes;
mod comparison;
mod operations;
mod table;
mod thresholds;

use super::facts::{Fact, Standing, facts, identity};
use crate::load::baseline::Comparison;
use crate::load::result::{LoadResult, LoadVerdict};
use crate::report::style::{Line, Style, Tone};
use crate::report::text::{columns, counted, fit};

/// Lines of the whole summary.
const MAX_LINES: usize = 40;
/// The column at which the text of a fact begins.
const LABEL: usize = 14;
/// Report files named.
const DETAILS: usize = 4;
/// Reasons told besides the first.
const REASONS: usize = 2;

/// How the summary is written.
#[derive(Clone, Debug, Default)]
pub struct SummaryOptions<'c> {
    /// Whether ANSI colours are wanted.
    pub colours: bool,
    /// Columns; 0 if unknown.
    pub width: u16,
    /// Lines telling where the whole story is: `json: target/load.json`.
    pub details: Vec<String>,
    /// What it is held against, if anything.
    pub comparison: Option<&'c Comparison>,
}

/// The summary, with a line end after each line.
pub fn summary(result: &LoadResult, options: &SummaryOptions<'_>) -> String {
    let style = Style::new(options.colours, options.width);
    lines(result, options, style.width()).iter().map(|line| style.render(line) + "\n").collect()
}

/// A part of the summary: the lines that it needs at least, and what it tells in at most so many.
type Section<'s> = (usize, Box<dyn Fn(usize) -> Vec<Line> + 's>);

/// Head and end are bounded by themselves; what is between them shares the room that is left.
fn lines(result: &LoadResult, options: &SummaryOptions<'_>, width: usize) -> Vec<Line> {
    let (mut lines, end) = (head(result), end(result, &options.details, width));
    let sections: [Section<'_>; 4] = [
        (5, Box::new(|room| operations::operations(result, width, room))),
        (5, Box::new(|room| thresholds::thresholds(result, room))),
        (3, Box::new(|room| options.comparison.map(|c| comparison::comparison(c, room)).unwrap_or_default())),
        (5, Box::new(|room| causes::causes(result, width, room))),
    ];
    let wanted: Vec<_> = sections.iter().map(|(least, tell)| (*least, tell(usize::MAX).len())).collect();
    let rooms = shared(MAX_LINES.saturating_sub(lines.len() + end.len()), &wanted);
    lines.extend(sections.iter().zip(rooms).flat_map(|((_, tell), room)| tell(room)));
    lines.extend(end);
    lines
}

/// Everybody gets the least that it needs, then, the last one first, as much as it wants.
fn shared(mut room: usize, wanted: &[(usize, usize)]) -> Vec<usize> {
    let mut rooms = Vec::with_capacity(wanted.len());
    for (least, wants) in wanted {
        let given = (*least).min(*wants).min(room);
        room -= given;
        rooms.push(given);
    }
    for ((_, wants), given) in wanted.iter().zip(&mut rooms).rev() {
        let more = wants.saturating_sub(*given).min(room);
        room -= more;
        *given += more;
    }
    rooms
}

fn head(result: &LoadResult) -> Vec<Line> {
    let mut lines = vec![Line::empty(), Line::toned(Tone::Strong, format!("Loaded {}", identity(result)))];
    if !result.title.is_empty() {
        lines.push(Line::plain(format!("  {}", result.title)));
    }
    lines.extend(facts(result).iter().map(fact));
    lines
}

fn fact(fact: &Fact) -> Line {
    let tone = match fact.standing {
        Standing::Plain => Tone::Plain,
        Standing::Good => Tone::Good,
        Standing::Bad => Tone::Bad,
        Standing::Doubtful => Tone::Warn,
    };
    Line::plain(format!("{:<LABEL$}", format!("  {}", fact.label))).and(tone, fact.text.clone())
}

fn end(result: &LoadResult, details: &[String], width: usize) -> Vec<Line> {
    let mut lines = vec![Line::empty()];
    lines.extend(details.iter().take(DETAILS).map(|detail| Line::toned(Tone::Faint, detail.clone())));
    if details.len() > DETAILS {
        lines.push(Line::toned(Tone::Faint, format!("and {}", counted(details.len() - DETAILS, "more file"))));
    }
    lines.extend(result.reasons.iter().skip(1).take(REASONS).map(|reason| Line::plain(format!("also: {reason}"))));
    lines.push(verdict(result, width));
    lines
}

fn verdict(result: &LoadResult, width: usize) -> Line {
    let (tone, word) = match result.verdict {
        LoadVerdict::Passed => (Tone::Good, "PASSED"),
        LoadVerdict::Failed => (Tone::Bad, "FAILED"),
        LoadVerdict::Inconclusive => (Tone::Warn, "INCONCLUSIVE"),
    };
    let more = match result.reasons.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {})", counted(more, "more reason")),
    };
    let room = width.saturating_sub(word.len() + 2 + columns(&more));
    let text = result.reasons.first().map_or_else(|| held(result), |reason| fit(reason, room));
    Line::toned(tone, word.into()).and(Tone::Plain, format!(": {text}{more}"))
}

fn held(result: &LoadResult) -> String {
    match result.thresholds.len() {
        0 => "nothing was found; no thresholds were asked for".into(),
        thresholds => format!("nothing was found, {} held", counted(thresholds, "threshold")),
    }
}

#[cfg(test)]
mod tests;
