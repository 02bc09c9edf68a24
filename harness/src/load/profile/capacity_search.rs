//! `capacity-search`: looks for the highest rate at which all thresholds hold.

use super::{Kind, bounds};
use crate::source::{Diagnostic, Fields, Node, Problems};

/// As in the file.
pub(super) const NAME: &str = "capacity-search";

/// How near the search goes without being told.
const PRECISION: f64 = 0.05;

/// Reads its keys.
pub(super) fn read(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    let to_node = fields.peek("to");
    let from = bounds::rate(fields, "from", problems);
    let to = bounds::rate(fields, "to", problems);
    let hold = bounds::time(fields, "hold", problems);
    let precision = fields.take("precision");
    let precision = precision.map_or(Some(PRECISION), |node| bounds::within(node, "precision", 0.01..=0.5, problems));
    let users = bounds::users(fields, problems);
    // The list itself is read as of every kind.
    if let Some(node) = fields.require("thresholds", problems).filter(|node| node.list().is_some_and(<[Node]>::is_empty)) {
        let problem = Diagnostic::at(node, "a capacity search looks for the highest rate at which its thresholds hold; it needs some");
        problems.add(problem.help("for example thresholds: [errors = 0, p99 < 100ms]"));
    }
    let (from, to) = (from?, to?);
    if let (true, Some(node)) = (to <= from, to_node) {
        problems.add(Diagnostic::at(node, format!("`to` is the highest rate that is tried; it must be above `from`, which is {from}")));
    }
    Some(Kind::CapacitySearch { from, to, hold: hold?, precision: precision?, users: users? })
}
