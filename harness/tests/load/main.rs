//! `paycheck load` from outside: the binary loads targets that are wrong in one way each, and its result must say so; several
//! processes are one load together; `load notification` stands before merchants. One of them alone:
//! `cargo test -p harness --test load endings::`.
//! Nothing here depends on how fast the machine is: counts, classes, verdicts and exit codes are asked for.

#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod contract;
mod endings;
mod http2;
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
mod wrong_values;

#[path = "../../../emulator/tests/api/browser/mod.rs"]
mod browser;
#[path = "../support/mod.rs"]
mod support;
