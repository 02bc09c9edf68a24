//! Bank transfers of document 2: what was paid in production is paid out by day, listed, and told in statements.

pub mod core;
pub(crate) mod wire;
