//! Exploration: random sequences of calls and actions of the world, every answer held against an executable model
//! of the documents. What goes another way is made short and written as a scenario.
//!
//! The models are data (`contracts/models/`, described in `docs/explore.md`); this knows none of the APIs.

mod divergence;
mod model;
mod moves;
mod notices;
mod orders;
mod play;
mod predict;
mod read;
pub mod report;
mod run;
mod script;
mod shrink;
mod state;
mod walk;
mod wanted;

pub use divergence::{Divergence, Sight};
pub use model::Model;
pub use play::Trouble;
pub use read::read_all;
pub use run::{Explored, Extent, Found, explore};

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test")]
mod tests;
