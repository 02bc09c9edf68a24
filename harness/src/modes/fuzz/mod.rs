//! Fuzzing: valid requests with changes that no client would make, and the responses that a target may give.
//!
//! Operations, valid requests and what is documented are data; this knows values that are often read wrongly, and
//! HTTP. The guide is `docs/fuzz.md`.

mod edit;
mod fuzz_case;
mod judge;
mod mutations;
mod outcome;
mod raw_request;
mod report;
mod run;
mod saved;
mod sender;
mod shrink;
mod spelling;
mod start;
mod tally;
mod wire;

pub use outcome::{heading, outcome};
pub use report::{FuzzCause, FuzzCounts, OperationReport};
pub use run::{Fuzzed, Options, run};
pub use tally::Tally;
