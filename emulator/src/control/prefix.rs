//! Where the control API lives.

/// The first part of every path of the control API.
pub(crate) const PREFIX: &str = "/__emulator";

/// The first part of the paths of the console: one a world.
pub(crate) const CONSOLE: &str = "/__emulator/console/";
