//! A load test's result as an outcome, as JSON and as a page. Everything is a function of the result.

pub(crate) mod chart;
mod charts;
mod facts;
mod html;
mod json;
mod k6;
mod outcome;
mod timeline;

pub use html::{Page, html};
pub use json::{NotAResult, read, read_part, schema, write};
pub use k6::k6;
pub use outcome::{baseline, outcome};
