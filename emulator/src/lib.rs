//! Emulator.

pub mod gateway;
mod wire;
mod words;
