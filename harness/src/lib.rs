//! Paycheck's engine: turns contracts, scenarios and profiles into a judgement of a target.

pub mod check;
pub mod cli;
pub mod contract;
pub mod event;
pub mod exchange;
pub mod exit;
pub mod explore;
pub mod format;
pub mod inbox;
mod incoming;
mod intake;
pub mod load;
pub mod notify;
pub mod qr;
pub mod record;
pub mod recorder;
pub mod report;
pub mod runner;
pub mod scenario;
pub mod source;
pub mod target;
pub mod transport;
pub mod values;
pub mod verdict;
pub mod watch;
pub mod world;
