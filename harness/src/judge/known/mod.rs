//! Findings that somebody has accepted for a while. `docs/known-findings.md` is the manual of the file.
//!
//! An entry speaks of one finding and has an owner, a reason and a last day. Until then the finding is told
//! and does not count; after it, or once it no longer occurs, the entry itself is a failure.

mod entry;
mod read;
mod schema;

pub use entry::Entry;
pub use read::{parse, read};
pub use schema::schema;

/// What stands for the API in the names of cases that speak of entries which are out of date.
pub const SUITE: &str = "known-findings";

/// The known findings of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The path as the user would type it.
    pub path: String,
    /// Its entries, in the order of the file.
    pub entries: Vec<Entry>,
}
