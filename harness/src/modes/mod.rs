//! The commands that play against a target, one module each.

pub mod compare;
pub(crate) mod coverage;
pub mod explore;
pub mod fuzz;
pub mod mutate;
pub mod notify;
pub mod preflight;
pub mod reach;
pub mod verify;
