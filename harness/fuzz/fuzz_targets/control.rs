//! Requests to the control API of the emulator.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness_fuzz::run("control", bytes));
