//! Mutation testing of the checks: would a green run have been red? What it recorded is changed in one place at a time,
//! and the checks, which need no server, judge it again.
//!
//! A *mutant* is one change at one place in one kind of response or notification of one operation
//! (`gateway.v2.status [0 PAID] /price: one more`). It is applied wherever the run recorded such a response, one response
//! at a time, until a check notices it. A mutant that no check notices is either allowed by the documents, which the
//! contract states with the reason, or a blind spot.

mod allowance;
mod attribution;
mod body;
mod candidate;
mod delivery;
mod mutant;
mod mutated;
mod mutation_run;
mod outcome;
mod score;
mod threads;
mod transport;
mod value;
mod wire;

pub(crate) use mutation_run::{Recordings, run_mutants};
pub(crate) use outcome::Mutation;
pub use score::{BlindSpot, FORMAT, Fate, MutantOutcome, MutationResult, Score, schema};
pub(crate) use threads::Threads;

#[cfg(test)]
mod tests;
