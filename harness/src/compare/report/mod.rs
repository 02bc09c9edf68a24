//! A comparison for people, for CI and for other programs.

mod junit;
mod terminal;

use crate::compare::{Comparison, Difference, Side};

pub use junit::junit;
pub use terminal::{Options, terminal};

/// The result with its line end, as `paycheck compare --json FILE` writes it. An error is a fault of ours.
pub fn json(comparison: &Comparison) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(comparison)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Where a difference stands: `gateway.v2.status, answer body /price`.
fn place(difference: &Difference) -> String {
    let at = difference.at.as_ref().map(|at| format!(", {at}")).unwrap_or_default();
    format!("{}{at}", difference.operation)
}

fn name(side: Side) -> &'static str {
    match side {
        Side::A => "A",
        Side::B => "B",
    }
}

/// A value on one side, or that there is none.
fn shown(value: Option<&serde_json::Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
}
