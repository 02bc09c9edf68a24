//! Where the control API lives.

/// The first part of every path of the control API.
pub(crate) const PREFIX: &str = "/__emulator";
