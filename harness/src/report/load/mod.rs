//! A load test's result as an outcome, as JSON and as a page. Everything is a function of the result.

pub(crate) mod chart;
mod charts;
mod facts;
mod html;
mod json;
mod outcome;
mod timeline;

pub use html::{Page, html};
pub use json::{NotAResult, read, schema, write};
pub use outcome::{baseline, outcome};
