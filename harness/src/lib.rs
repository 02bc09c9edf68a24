//! Paycheck's engine: turns contracts, scenarios and profiles into a judgement of a target.

pub mod contract;
pub mod event;
pub mod exchange;
pub mod exit;
pub mod report;
pub mod source;
pub mod verdict;
