//! A part of a split load.

use crate::load::result::LoadResult;

/// The result of a part, and where it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultPart {
    /// The file's path as the user typed it.
    pub file: String,
    /// What is in it.
    pub result: LoadResult,
}
