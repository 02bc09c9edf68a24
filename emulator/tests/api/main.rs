//! The emulator from outside, in one program: each of these as a program of its own would take longer to build than to run.
//! One of them alone: `cargo test -p emulator --test api terminal::`.
#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod browser;
mod common;

mod console;
mod control;
mod device;
mod gateway_services;
mod gateway_v1;
mod gateway_v2;
mod journal;
mod log;
mod notifications;
mod payer_page;
mod qr;
mod server;
mod terminal;
mod tolerant;
mod transfers;
