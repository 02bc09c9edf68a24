//! What is known in a run of the answers at assumed paths.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::spec::contract::Operation;
use crate::wire::exchange::Exchange;

/// An answer without what repeats the path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Answer {
    pub(super) status: u16,
    text: String,
}

impl Answer {
    pub(super) fn of(exchange: &Exchange, path: &str) -> Option<Self> {
        let response = exchange.response()?;
        Some(Self { status: response.status, text: response.body.text.replace(path, "") })
    }
}

/// Answers of operations, each with whether an unknown path has it too.
type Answers = HashMap<(String, Answer), Arc<OnceCell<bool>>>;

/// What is known of the answers at assumed paths.
#[derive(Debug, Default)]
pub(super) struct UnknownPaths {
    /// The operations that are there.
    there: Mutex<BTreeSet<String>>,
    answers: Mutex<Answers>,
}

impl UnknownPaths {
    pub(super) fn note_there(&self, operation: &Operation) {
        self.there.lock().unwrap_or_else(PoisonError::into_inner).insert(operation.id.clone());
    }

    pub(super) fn knows(&self, operation: &Operation) -> bool {
        self.there.lock().unwrap_or_else(PoisonError::into_inner).contains(&operation.id)
    }

    pub(super) fn cell(&self, operation: &Operation, answer: &Answer) -> Arc<OnceCell<bool>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(answers.entry((operation.id.clone(), answer.clone())).or_default())
    }
}
