//! Load: many virtual users play scenarios against a target, and every answer is judged.
//!
//! goose is the engine: it starts, ramps and stops the users. Around it: the intended starts of open
//! load ([`schedule`]), what was measured ([`meter`]), and what is told of it ([`result`]).

pub mod profile;
pub mod result;
