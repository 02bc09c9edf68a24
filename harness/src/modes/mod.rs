//! What is played against a target, and what is made of it: one module a command.

pub mod compare;
pub(crate) mod coverage;
pub mod explore;
pub mod fuzz;
pub mod mutate;
pub mod notify;
pub mod preflight;
pub mod reach;
pub mod verify;
