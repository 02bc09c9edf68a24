//! A divergence: the target did what the model does not allow.

use serde_json::Value;

use crate::base::verdict::Finding;

/// Something the target did that the documents do not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The clauses it breaks, the most specific first.
    pub clauses: Vec<String>,
    /// The operation, or the action of the world.
    pub operation: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What the documents ask for.
    pub expected: Value,
    /// What was observed.
    pub got: Value,
    /// What detected it.
    pub detected_by: Detection,
}

/// What detected a divergence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detection {
    /// The model, in a response of the batch with this index.
    Response(usize),
    /// A check that is always on (contracts, echoes, facts), in the batch with this index.
    Finding(usize),
    /// A notification that did not arrive: the key of the entity, and its state.
    MissingNotification(usize, String),
    /// A notification that no transition asks for: the key of the entity, if it is known, and the state.
    UnexpectedNotification(Option<usize>, String),
    /// The state tables, which judge the sequence as a whole.
    StateTable,
}

impl Divergence {
    /// The clause that names it.
    pub fn clause(&self) -> &str {
        self.clauses.first().map_or("", String::as_str)
    }

    /// What divergences of the same cause have in common.
    pub fn cause(&self) -> (String, String) {
        (self.clause().to_owned(), self.operation.clone())
    }

    /// Whether another divergence, seen in a shorter sequence, shows the same defect: it breaks the same clause, or the same
    /// query shows the same wrong value. A wrong value is blamed on the last transition, which shrinking may have removed.
    pub(super) fn is_same_defect(&self, other: &Self) -> bool {
        let same_value = self.operation == other.operation && self.expected == other.expected && self.got == other.got;
        self.clause() == other.clause() || (same_value && self.expected.is_object())
    }

    /// The index of the batch after which nothing matters; none if the whole sequence does.
    pub fn last_batch(&self) -> Option<usize> {
        match self.detected_by {
            Detection::Response(batch) | Detection::Finding(batch) => Some(batch),
            Detection::MissingNotification(..) | Detection::UnexpectedNotification(..) | Detection::StateTable => None,
        }
    }

    /// A finding of a check that is always on.
    pub(super) fn from_finding(finding: Finding, detected_by: Detection) -> Self {
        Self {
            clauses: finding.clauses,
            operation: finding.operation,
            message: finding.message,
            expected: finding.expected.unwrap_or(Value::Null),
            got: finding.got.unwrap_or(Value::Null),
            detected_by,
        }
    }
}
