//! Everything that judges and measures no time, in one program: each of these as a program of its own would take longer to
//! build than to run. One of them alone: `cargo test -p harness --test judging explore::`.
#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

/// The program's own: the tests judge in this process what the program judges in its own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod addresses;
mod assumed_places;
mod broken_target;
mod ci_kit;
mod clauses;
mod codes;
mod command_line;
mod compare;
mod conditional_fields;
mod coverage;
mod dependencies;
mod deploy;
mod documented_freedom;
mod drivers;
mod emulated_target;
mod environment_proxy;
mod everyday;
mod excuses;
mod explore;
mod explored_live;
mod explored_strangers;
mod first_files;
mod front_door;
mod fuzzed_strangers;
mod guarantees;
mod guide;
mod hostile_bytes;
mod http_versions;
mod known_findings;
mod late_captures;
mod late_card_holders;
mod late_payers;
mod left_open;
mod live_breaks;
mod live_shop;
mod live_targets;
mod misbehaving_servers;
mod mutate;
mod notify;
mod ordinary_secrets;
mod outputs;
mod outputs_survive;
mod polling;
mod preflight;
mod rate_limits;
mod reach;
mod readme;
mod report_page;
mod reports;
mod restricted_shops;
mod rooms;
mod same_verdicts;
mod secret_spellings;
mod secrets;
mod seen_red;
mod shells;
mod shop_settings;
mod signals;
mod slow_shops;
mod standards;
mod stated_layouts;
mod stated_settings;
mod strangers;
mod time_that_passes;
mod transcripts;
mod twins;
mod unreachable;

#[macro_use]
mod tampering;

mod allowances;
mod breaks;

#[path = "../../../emulator/tests/api/browser/mod.rs"]
mod browser;
mod planted;
#[path = "../support/mod.rs"]
mod support;
