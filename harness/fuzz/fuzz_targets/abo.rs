//! Statements of accounts.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness_fuzz::run("abo", bytes));
