//! How a load test ended.

use super::result::LoadResult;

/// How a load test, or one run of it, ended.
#[derive(Clone, Debug)]
pub struct LoadOutcome {
    /// The result.
    pub result: LoadResult,
    /// Whether calls were made and none got a response, or none any longer.
    pub unreachable: bool,
}
