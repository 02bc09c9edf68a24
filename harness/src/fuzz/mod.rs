//! Fuzzing: valid requests with changes that no client would make, and what a target may answer to them.
//!
//! Operations, valid requests and what is documented are data; this knows values that are often read wrongly, and
//! HTTP. The guide is `docs/fuzz.md`.

mod draft;
mod edit;
mod judge;
mod menu;
mod report;
mod route;
mod run;
mod saved;
mod sender;
mod shrink;
mod spelling;
mod start;
mod subject;
mod terminal;
mod trust;
mod wire;

pub use report::{Cause, Counts, OperationReport};
pub use run::{Options, run};
pub(crate) use terminal::lines;
