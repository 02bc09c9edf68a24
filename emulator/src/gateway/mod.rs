//! The payment gateway of document 1: interface versions 1.0 (forms) and 2.0 (JSON) over one core.

pub(crate) mod core;
pub(crate) mod wire;
