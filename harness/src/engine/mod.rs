//! Runs a plan against a target: sessions, transport, inbox, worlds, recorder, tape. It emits events and knows no output format.

pub mod client;
pub mod event;
pub mod inbox;
pub mod judged_target;
pub mod known_filter;
pub mod missing;
pub mod notification_observer;
pub(crate) mod open_clauses;
pub mod outcome;
pub mod push;
pub mod recorder;
pub(crate) mod request;
pub(crate) mod responsiveness;
pub mod runner;
pub(crate) mod subprocess;
pub mod tape;
#[cfg(test)]
pub(crate) mod testing;
pub mod transport;
pub mod world;
