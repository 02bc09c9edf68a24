//! Results of loads.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness_fuzz::run("load_result", bytes));
