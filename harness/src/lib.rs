//! Paycheck's engine: turns contracts, scenarios and profiles into a judgement of a target.
//!
//! Nine rooms, from the lowest to the highest; a room uses the rooms below it.

pub mod base;
pub mod cli;
pub mod engine;
pub mod judge;
pub mod load;
pub mod modes;
pub mod report;
pub mod spec;
pub mod wire;
