//! Tapes: the recording of a run in a file, so that it can be judged, mutated and compared later without the target.
//! Secrets are masked in it as in every record.

mod entry;
mod file;

use crate::base::verdict::Verdict;
use crate::engine::event::{CaseFinished, CaseName};
use crate::engine::judged_target::JudgedTarget;
use crate::judge::record::RecordEntry;

pub use file::{NotATape, Writer, read, read_from};

/// What a run recorded.
#[derive(Clone, Debug)]
pub struct Tape {
    /// The judged target.
    pub judged: JudgedTarget,
    /// The seed of everything random.
    pub seed: u64,
    /// The cases, in the order of the plan.
    pub cases: Vec<TapedCase>,
    /// The line in which it breaks off, if the run died there.
    pub cut: Option<usize>,
}

/// The recording of one case.
#[derive(Clone, Debug)]
pub struct TapedCase {
    /// Its name.
    pub name: CaseName,
    /// How it ended.
    pub verdict: Verdict,
    /// Everything that happened, in order.
    pub entries: Vec<RecordEntry>,
}

impl TapedCase {
    /// Returns what a tape keeps of a case.
    pub fn from_case(case: &CaseFinished) -> Self {
        Self { name: case.name.clone(), verdict: case.verdict.clone(), entries: case.entries.clone() }
    }
}
