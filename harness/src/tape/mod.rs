//! Tapes: what a run recorded, kept in a file, so that it can be judged, broken and compared later without
//! the target. Secrets are masked in it as in every record.

mod entry;
mod file;
mod judged;

use crate::event::{InstanceFinished, InstanceName};
use crate::record::Entry;
use crate::verdict::Verdict;

pub use file::{NotATape, Writer, read};
pub use judged::Judged;

/// What a run recorded.
#[derive(Clone, Debug)]
pub struct Tape {
    /// Who was judged.
    pub judged: Judged,
    /// The seed of everything random.
    pub seed: u64,
    /// The instances, in the order of the plan.
    pub instances: Vec<TapedInstance>,
}

/// What was recorded of one instance.
#[derive(Clone, Debug)]
pub struct TapedInstance {
    /// Its name.
    pub name: InstanceName,
    /// How it ended.
    pub verdict: Verdict,
    /// Everything that happened, in order.
    pub entries: Vec<Entry>,
}

impl TapedInstance {
    /// What is kept of an instance.
    pub fn of(instance: &InstanceFinished) -> Self {
        Self { name: instance.name.clone(), verdict: instance.verdict.clone(), entries: instance.entries.clone() }
    }
}
