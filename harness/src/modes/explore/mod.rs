//! Model-based testing: random sequences of calls and world actions, in which every response is compared with an executable model
//! of the documents. A sequence that diverges is shrunk, and written as a scenario.
//!
//! The models are data (`contracts/models/`, described in `docs/explore.md`); this module knows no API.

mod boundary;
mod command;
mod counterexample;
mod description;
mod divergence;
mod error;
mod executor;
mod expectation;
mod explanation;
mod exploration;
mod generator;
mod model;
mod notifications;
mod outcome;
mod permutations;
mod prediction;
mod read;
mod script;
mod sequence;
mod shrink;
mod state;
mod trace;

pub use counterexample::Counterexample;
pub use divergence::{Detection, Divergence};
pub use error::{ExploreError, ModelError};
pub use exploration::{Exploration, ExplorationLimits, explore};
pub use model::Model;
pub use outcome::{WrittenCounterexample, heading, outcome};
pub use read::read_all;

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test")]
mod tests;
