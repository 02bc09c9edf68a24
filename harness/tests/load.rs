//! `paycheck load` from outside: the binary loads targets that are wrong in one way each, and its result must say so.
//! Nothing here depends on how fast the machine is: counts, classes, verdicts and exit codes are asked for.

#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod support;

#[path = "../../emulator/tests/api/browser/mod.rs"]
mod browser;
#[path = "load/contract.rs"]
mod contract;
#[path = "load/endings.rs"]
mod endings;
#[path = "load/live_page.rs"]
mod live_page;
#[path = "load/notifications.rs"]
mod notifications;
#[path = "load/open_model.rs"]
mod open_model;
#[path = "load/outputs.rs"]
mod outputs;
#[path = "load/safety.rs"]
mod safety;
#[path = "load/server.rs"]
mod server;
#[path = "load/shipped.rs"]
mod shipped;
#[path = "load/stage.rs"]
mod stage;
#[path = "load/wrong_values.rs"]
mod wrong_values;
