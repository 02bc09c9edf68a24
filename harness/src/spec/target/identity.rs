//! The identities that every target knows.

/// The identity whose credentials are sent unless a step asks for others.
pub const MAIN: &str = "main";
/// Sends no credentials.
pub const NOBODY: &str = "nobody";
