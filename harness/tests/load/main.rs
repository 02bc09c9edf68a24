//! End-to-end tests of `paycheck load`: targets that are wrong in one way each, loads split over several processes, and loads on
//! merchants. One module alone: `cargo test -p harness --test load endings::`.
//! Nothing here depends on the speed of the machine: the tests check counts, kinds of errors, verdicts and exit codes.

#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod contract;
mod endings;
mod http2;
mod https;
mod live_page;
mod load_notification;
mod notifications;
mod open_model;
mod outputs;
mod over_ssh;
mod safety;
mod server;
mod shards;
mod shipped;
mod stage;
mod tokens;
mod wrong_values;

#[path = "../../../emulator/tests/api/browser/mod.rs"]
mod browser;
#[path = "../support/mod.rs"]
mod support;
