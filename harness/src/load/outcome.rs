//! How a load test ended.

use super::result::LoadResult;

/// How a load test, or one run of it, ended.
#[derive(Clone, Debug)]
pub struct LoadOutcome {
    /// What was measured and found.
    pub result: LoadResult,
    /// Calls were made, and no connection could be opened for any of them.
    pub unreachable: bool,
}
