//! What is told of a load test. Everything is a function of the result.

pub(crate) mod chart;
mod charts;
mod facts;
pub(crate) mod format;
mod html;
mod json;
#[cfg(test)]
pub(crate) mod sample;
mod terminal;
mod timeline;

pub use html::html;
pub use json::{NotAResult, read, schema, write};
pub use terminal::{SummaryOptions, summary};
