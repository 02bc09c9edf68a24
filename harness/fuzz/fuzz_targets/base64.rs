//! Statements in Base64.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness_fuzz::run("base64", bytes));
