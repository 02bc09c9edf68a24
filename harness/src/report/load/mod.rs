//! Reports of a load test: outcome, JSON and page. All are pure functions of the result.

pub(crate) mod chart;
mod charts;
mod facts;
mod html;
mod json;
mod k6;
mod outcome;
mod percentiles_over_time;
mod timeline;

pub use html::{Page, html};
pub use json::{NotAResult, read, read_part, schema, write};
pub use k6::k6;
pub use outcome::{baseline, outcome};
