//! The lowest room: tools that know nothing about payments.

pub(crate) mod access;
pub(crate) mod clock;
pub(crate) mod iso8601;
pub(crate) mod journal;
pub(crate) mod jwt;
pub(crate) mod log;
pub(crate) mod mix;
pub(crate) mod prague;
pub(crate) mod sync;
pub(crate) mod wire_enum;
pub(crate) mod yaml;
