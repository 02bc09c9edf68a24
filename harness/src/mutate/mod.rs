//! Would a green run have been red? What it recorded is broken in one place at a time, and the checks, which
//! need no server, are asked again.
//!
//! A *mutant* is a lie that a target could tell: one change, at one place, in one kind of answer or
//! notification of one operation (`gateway.v2.status [0 PAID] /price: one more`). It is told wherever the run
//! has such an answer, one answer at a time, until somebody notices. A mutant that nobody notices is either
//! allowed by the documents, which the contract says with the reason, or a blind spot.

mod aim;
mod body;
mod delivery;
mod draft;
mod freedom;
mod hunt;
mod mutant;
mod place;
mod report;
mod score;
mod value;
mod wire;

pub(crate) use hunt::{Ground, hunt};
pub(crate) use report::{Told, junit, terminal};
pub use score::{BlindSpot, Fate, MutantOutcome, MutationResult, Score, schema};

#[cfg(test)]
mod tests;
