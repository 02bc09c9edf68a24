//! World files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness_fuzz::run("world", bytes));
