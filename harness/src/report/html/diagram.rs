//! A transition table as a drawing: states in columns by their distance from the first one, with the transitions between them.

use std::fmt::Write as _;

use indexmap::IndexMap;

use crate::base::text::markup_escaped;
use crate::engine::outcome::{ProvedTable, Transition};

const WIDTH: i32 = 150;
const HEIGHT: i32 = 36;
const ACROSS: i32 = 250;
const DOWN: i32 = 104;
/// Room around the drawing, in which loops and returning lines run.
const MARGIN: i32 = 64;

/// Stands for states that the document does not name.
const ANY_STATE: &str = "any state";

/// Transitions between the same two states.
#[derive(Default)]
struct Line {
    all: usize,
    taken: usize,
}

/// The position of a state: its column and its row.
type Places<'t> = IndexMap<&'t str, (i32, i32)>;

/// The drawing. It holds nothing but numbers and names from the contracts.
pub(super) fn svg(table: &ProvedTable) -> String {
    let places = places(table);
    let right = places.values().map(|(column, _)| *column).max().unwrap_or_default();
    let low = places.values().map(|(_, row)| *row).max().unwrap_or_default();
    let (width, height) = (2 * MARGIN + right * ACROSS + WIDTH, 2 * MARGIN + low * DOWN + HEIGHT);
    let mut out = format!(
        "<svg class=\"states\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\" role=\"img\" aria-label=\"transitions of {}\">",
        markup_escaped(&table.resource)
    );
    for ((from, to), line) in lines(table) {
        let Some(to) = places.get(to).copied() else { continue };
        draw(&mut out, from.map(|from| places.get(from).copied().unwrap_or(to)), to, &line);
    }
    for (name, place) in &places {
        let (x, y) = corner(*place);
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/><text class=\"state\" x=\"{}\" y=\"{}\">{}</text>",
            x + WIDTH / 2,
            y + HEIGHT / 2 + 5,
            markup_escaped(name)
        );
    }
    out + "</svg>"
}

/// Places each state one column right of the first state that leads to it.
fn places(table: &ProvedTable) -> Places<'_> {
    let mut columns: IndexMap<&str, i32> = IndexMap::new();
    columns.extend(table.transitions.iter().filter(|transition| transition.from.is_none()).map(|transition| (target(transition), 0)));
    if columns.is_empty() {
        columns.extend(table.states.first().map(|first| (first.as_str(), 0)));
    }
    let mut at = 0;
    while let Some((state, column)) = columns.get_index(at).map(|(state, column)| (*state, *column)) {
        for transition in table.transitions.iter().filter(|transition| transition.from.as_deref() == Some(state)) {
            columns.entry(target(transition)).or_insert(column + 1);
        }
        at += 1;
    }
    // Unreachable states are at the end.
    let last = columns.values().copied().max().unwrap_or_default() + 1;
    for state in &table.states {
        columns.entry(state).or_insert(last);
    }
    let mut used: IndexMap<i32, i32> = IndexMap::new();
    let mut places = Places::new();
    for (state, column) in columns {
        let row = used.entry(column).or_insert(0);
        places.insert(state, (column, *row));
        *row += 1;
    }
    places
}

fn lines(table: &ProvedTable) -> IndexMap<(Option<&str>, &str), Line> {
    let mut lines: IndexMap<(Option<&str>, &str), Line> = IndexMap::new();
    for transition in &table.transitions {
        let line = lines.entry((transition.from.as_deref(), target(transition))).or_default();
        line.all += 1;
        line.taken += usize::from(transition.times > 0);
    }
    lines
}

/// Where a transition leads.
fn target(transition: &Transition) -> &str {
    transition.to.as_deref().unwrap_or(ANY_STATE)
}

fn corner((column, row): (i32, i32)) -> (i32, i32) {
    (MARGIN + column * ACROSS, MARGIN + row * DOWN)
}

fn draw(out: &mut String, from: Option<(i32, i32)>, to: (i32, i32), line: &Line) {
    let (path, (x, y)) = path(from, to);
    let class = if line.taken == 0 { "open" } else { "taken" };
    let _ = write!(
        out,
        "<path class=\"{class}\" d=\"{path}\"/><text class=\"{class}\" x=\"{x}\" y=\"{y}\">{} of {}</text>",
        line.taken, line.all
    );
}

/// The line from one state to another with its arrow, and the position of its numbers.
fn path(from: Option<(i32, i32)>, to: (i32, i32)) -> (String, (i32, i32)) {
    let (x, y) = corner(to);
    let middle = y + HEIGHT / 2;
    let Some(from) = from else {
        return (format!("M{} {middle} H{x} m-8 -5 l8 5 l-8 5", x - 44), (x - 30, middle - 8));
    };
    let (from_x, from_y) = corner(from);
    let from_middle = from_y + HEIGHT / 2;
    if from == to {
        let (left, right) = (x + WIDTH / 2 - 18, x + WIDTH / 2 + 18);
        return (format!("M{left} {y} C{left} {0} {right} {0} {right} {y} m-5 -8 l5 8 l5 -8", y - 40), (x + WIDTH / 2, y - 34));
    }
    if from.0 < to.0 {
        let start = from_x + WIDTH;
        let half = (x - start) / 2;
        let curve = format!("M{start} {from_middle} C{} {from_middle} {} {middle} {x} {middle} m-8 -5 l8 5 l-8 5", start + half, x - half);
        return (curve, (start + half, i32::midpoint(from_middle, middle) - 8));
    }
    // Back, or within a column: along the lower edges.
    let (start, end) = (from_x + WIDTH / 2 + 30, x + WIDTH / 2 + 30);
    let (from_low, low) = (from_y + HEIGHT, y + HEIGHT);
    let deep = from_low.max(low) + 44;
    (format!("M{start} {from_low} C{start} {deep} {end} {deep} {end} {low} m-5 8 l5 -8 l5 8"), (i32::midpoint(start, end), deep - 8))
}
