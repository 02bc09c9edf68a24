//! What was explored and what was found, on one screen.

use std::fmt::Write as _;

use serde_json::Value;

use super::play::Made;
use super::run::{Explored, Found};
use crate::scenario::Template;

/// So many rows that were never taken are named.
const NAMED: usize = 6;

/// One stride, for people.
pub(super) fn told(made: &[Made<'_>]) -> String {
    made.iter().map(one).collect::<Vec<_>>().join("   ‖   ")
}

fn one(made: &Made<'_>) -> String {
    let prepared = &made.prepared;
    // What can only be so, such as the thing that it is done to, needs no words.
    let tells = |ways: &Vec<Template>| ways.len() > 1 || ways.iter().all(|way| way.names().is_empty());
    let inputs = prepared.inputs.iter().filter(|(name, _)| prepared.action.with.get(*name).is_some_and(tells));
    let inputs: Vec<String> = inputs.map(|(name, value)| format!("{name}={}", plain(value))).collect();
    let identity = if prepared.identity == crate::target::MAIN { String::new() } else { format!(" as {}", prepared.identity) };
    let on = prepared.on.map(|key| format!(" #{key}")).unwrap_or_default();
    let created = made.created.as_ref().map(|_| format!(" → #{}", prepared.key)).unwrap_or_default();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" {}", inputs.join(" ")) };
    format!("{}{on}{inputs}{identity}{created}", prepared.name)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The lines about one model.
pub fn lines(explored: &Explored) -> String {
    let mut out = String::new();
    let taken = explored.rows.iter().filter(|(_, times)| *times > 0).count();
    let _ = writeln!(
        out,
        "{:<10} {:>6} sequences  {:>8} steps  {:>5} races  {taken} of {} rows taken",
        explored.api,
        explored.sequences,
        explored.steps,
        explored.races,
        explored.rows.len()
    );
    let never: Vec<&str> = explored.rows.iter().filter(|(_, times)| *times == 0).map(|(row, _)| row.as_str()).collect();
    if !never.is_empty() {
        let more = never.len().saturating_sub(NAMED);
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = never.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "           never taken: {named}{and}");
    }
    for (action, reason) in &explored.barred {
        let _ = writeln!(out, "           {action}: {reason}");
    }
    out
}

/// The lines about one cause; `file` is where its script was written.
pub fn found(found: &Found, file: &str, target: Option<&str>) -> String {
    let divergence = &found.divergence;
    let mut out = String::new();
    let _ = writeln!(out, "✗ {}  {}", divergence.clause(), divergence.message);
    let _ = writeln!(out, "    expected {}, got {}", plain(&divergence.expected), plain(&divergence.got));
    let _ = writeln!(
        out,
        "    seen in {} of the sequences, first in number {} with {} moves; shortest with {}:",
        found.times, found.sequence, found.length, found.shortest
    );
    for (index, line) in found.moves.iter().enumerate() {
        let _ = writeln!(out, "      {} {line}", index + 1);
    }
    let target = target.map(|target| format!(" --target {target}")).unwrap_or_default();
    let _ = writeln!(out, "    paycheck verify {file}{target}");
    out
}
