//! Whole responses, recorded and judged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness_fuzz::run("response", bytes));
