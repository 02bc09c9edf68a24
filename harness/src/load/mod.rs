//! Load: many virtual users play scenarios against a target, and every answer is judged.
//!
//! goose is the engine: it starts, ramps and stops the users. Around it: the intended starts of open
//! load ([`schedule`]), what was measured ([`meter`]), and what is told of it ([`result`]).

pub mod baseline;
mod causes;
pub mod drive;
mod engine;
pub mod execute;
mod histogram;
pub mod hlog;
mod lanes;
pub mod latency;
pub mod ledger;
pub mod live;
pub mod merge;
pub mod meter;
mod notices;
mod pacer;
mod part;
pub mod profile;
pub mod prometheus;
pub mod push;
pub mod report;
pub mod resources;
pub mod result;
mod run;
mod sampler;
pub mod schedule;
mod search;
pub mod shape;
pub mod threshold;
mod user;
pub mod verdict;
