//! The files read before the first request: contracts, scenarios, targets.

pub mod contract;
pub mod scenario;
pub mod target;
