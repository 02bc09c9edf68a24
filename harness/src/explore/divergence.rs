//! Where a target went another way than the model.

use serde_json::Value;

use crate::verdict::Finding;

/// Where a target went another way than the documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The clauses that are broken, the most specific first.
    pub clauses: Vec<String>,
    /// The operation, or the action of the world.
    pub operation: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What the documents ask for.
    pub expected: Value,
    /// What was there.
    pub got: Value,
    /// How it was seen.
    pub sight: Sight,
}

/// How a divergence was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// By the answer to this stride.
    Answer(usize),
    /// By what is always on, at this stride.
    Finding(usize),
    /// A notification that did not come: the thing and its state.
    Missing(usize, String),
    /// A notification that nothing has brought about: the thing, if it is known, and the state.
    Unexpected(Option<usize>, String),
    /// By what the transition tables say of the whole sequence.
    Table,
}

impl Divergence {
    /// The clause that it is named after.
    pub fn clause(&self) -> &str {
        self.clauses.first().map_or("", String::as_str)
    }

    /// What groups divergences of one cause.
    pub fn cause(&self) -> (String, String) {
        (self.clause().to_owned(), self.operation.clone())
    }

    /// Whether another one is what is left of this one in a shorter sequence: the same clause, or the same that is
    /// read. What is read wrongly is blamed on what was done last, and that may be what has been left out.
    pub(super) fn leaves(&self, other: &Self) -> bool {
        let reads_the_same = self.operation == other.operation && self.expected == other.expected && self.got == other.got;
        self.clause() == other.clause() || (reads_the_same && self.expected.is_object())
    }

    /// The stride after which nothing matters, if there is one.
    pub fn last_stride(&self) -> Option<usize> {
        match self.sight {
            Sight::Answer(stride) | Sight::Finding(stride) => Some(stride),
            Sight::Missing(..) | Sight::Unexpected(..) | Sight::Table => None,
        }
    }

    /// What something that is always on has found.
    pub(super) fn of_finding(finding: Finding, sight: Sight) -> Self {
        Self {
            clauses: finding.clauses,
            operation: finding.operation,
            message: finding.message,
            expected: finding.expected.unwrap_or(Value::Null),
            got: finding.got.unwrap_or(Value::Null),
            sight,
        }
    }
}
