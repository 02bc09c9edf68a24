//! Load: many virtual users play scenarios against a target, and every response is judged.
//!
//! A [`profile`] names a kind of load ([`kinds`]) with its numbers. A [`load_test`] plays its runs: goose starts, ramps and stops the
//! virtual users, a [`schedule`] says when the iterations of open load are due, and a [`meter`] measures. The outcome is one value, the
//! [`result`].

pub mod baseline;
pub(crate) mod encoded_times;
#[cfg(test)]
pub(crate) mod example_results;
pub mod explain;
mod finding_groups;
mod generator_limit;
mod goose_adapter;
pub(crate) mod histogram;
pub mod interval_log;
pub(crate) mod keys;
pub mod kinds;
mod known_codes;
pub mod latency;
pub mod ledger;
pub mod live_page;
pub mod load_test;
pub mod merge;
pub mod meter;
pub mod metrics;
mod notification_accounting;
mod operation_index;
pub mod otlp;
pub mod outcome;
mod pacer;
mod partial;
pub(crate) mod percentile;
pub mod profile;
pub mod progress;
pub mod prometheus;
pub mod push;
pub mod resources;
pub mod result;
mod run_error;
pub mod run_loop;
pub mod run_plan;
mod run_state;
pub mod schedule;
pub mod shard;
mod silence;
mod start_at;
mod systematic_sampler;
pub mod threshold;
mod user_pool;
pub mod verdict;
mod virtual_user;
mod web_server;
mod worker_threads;
