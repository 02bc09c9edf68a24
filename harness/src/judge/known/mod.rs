//! Findings that a team has accepted for a while. `docs/known-findings.md` is the manual of the file.
//!
//! An entry accepts one finding and has an owner, a reason and a last day. Until then the finding is reported and does not count;
//! after it, or once it no longer occurs, the entry itself is a failure.

mod entry;
mod read;
mod schema;

pub use entry::KnownFinding;
pub use read::{parse, read};
pub use schema::schema;

/// Takes the place of the API in the names of cases about outdated entries.
pub const SUITE: &str = "known-findings";

/// The known findings of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The path as the user would type it.
    pub path: String,
    /// Its entries, in the order of the file.
    pub entries: Vec<KnownFinding>,
}
