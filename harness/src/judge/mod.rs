//! Pure checks, from recorded exchanges to findings, and the findings that a team has accepted.

pub mod check;
pub(crate) mod items;
pub mod known;
pub mod record;
