//! Bank transfers of document 2: what was paid in production is paid out by day, listed, and written into statements.

pub(crate) mod core;
pub(crate) mod wire;
