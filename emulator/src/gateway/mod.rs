//! The payment gateway of document 1: interface versions 1.0 (forms) and 2.0 (JSON) over one core.

pub mod core;
pub(crate) mod wire;
