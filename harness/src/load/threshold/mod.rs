//! Thresholds: conditions on the numbers of a load, for example `gateway.v2.status p99 < 50ms`.
//!
//! ```text
//! threshold  -> [ operation ] metric comparison bound
//! comparison -> "<" | "<=" | "=" | ">=" | ">"
//! ```
//!
//! They are parsed before the first request and evaluated on the result.

mod calls;
mod evaluate;
mod parse;
mod rule;
#[cfg(test)]
mod tests;
mod unjudged;

pub use evaluate::{evaluate, evaluate_recorded};
pub use parse::{ThresholdError, parse};
pub(crate) use parse::{parse_written, read};
pub use rule::{Comparator, Metric, Threshold};
