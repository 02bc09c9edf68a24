//! A table. On a terminal that is too narrow, columns are left out rather than numbers cut; elsewhere everything is shown.

use super::line::Line;
use crate::base::text::{columns, fit};
use crate::engine::outcome::{Column, Row, Tone};

/// Between two columns.
const GAP: usize = 2;
/// The minimum width of the first column before another one is left out.
const FIRST: usize = 20;

/// The heading and the rows, none wider than `width`: `headings` names the columns after the first.
pub(super) fn table(first: &str, headings: &[Column], rows: &[&Row], width: usize) -> Vec<Line> {
    let names = rows.iter().map(|row| columns(&row.name)).chain([columns(first)]).max().unwrap_or(0);
    let widths: Vec<_> = headings.iter().enumerate().map(|(index, heading)| widest(index, heading, rows)).collect();
    let shown = chosen(headings, &widths, width.saturating_sub(names.min(FIRST)));
    let used: usize = shown.iter().filter_map(|index| widths.get(*index)).map(|width| width + GAP).sum();
    let name = names.min(width.saturating_sub(used));
    let cells = |cell: &dyn Fn(usize) -> (Tone, String)| -> Vec<(Tone, String)> {
        shown.iter().map(|&index| right(cell(index), widths.get(index).copied().unwrap_or(0))).collect()
    };
    let heading = cells(&|index| (Tone::Faint, headings.get(index).map_or("", |h| h.heading).to_owned()));
    let mut lines = vec![line(Tone::Faint, first, name, heading)];
    for row in rows {
        let cells = cells(&|index| row.cells.get(index).cloned().unwrap_or((Tone::Plain, String::new())));
        lines.push(line(Tone::Plain, &row.name, name, cells));
    }
    lines
}

fn widest(index: usize, heading: &Column, rows: &[&Row]) -> usize {
    let cells = rows.iter().filter_map(|row| row.cells.get(index)).map(|(_, text)| columns(text));
    cells.chain([columns(heading.heading)]).max().unwrap_or(0)
}

/// The columns that fit, in their order.
fn chosen(headings: &[Column], widths: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<_> = headings.iter().map(|heading| heading.priority).enumerate().collect();
    order.sort_by_key(|(_, priority)| std::cmp::Reverse(*priority));
    let mut room = room;
    let mut shown = Vec::new();
    for (index, _) in order {
        let Some(left) = room.checked_sub(widths.get(index).map_or(0, |width| width + GAP)) else { break };
        room = left;
        shown.push(index);
    }
    shown.sort_unstable();
    shown
}

fn right((tone, text): (Tone, String), width: usize) -> (Tone, String) {
    let padding = " ".repeat(GAP + width.saturating_sub(columns(&text)));
    (tone, format!("{padding}{text}"))
}

fn line(tone: Tone, name: &str, width: usize, cells: Vec<(Tone, String)>) -> Line {
    let name = fit(name, width);
    let padding = " ".repeat(width.saturating_sub(columns(&name)));
    cells.into_iter().fold(Line::toned(tone, format!("{name}{padding}")), |line, (tone, text)| line.and(tone, text)).row()
}
