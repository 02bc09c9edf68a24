//! What happened in one instance, in order: the input of every check.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::contract::{About, Contracts, Operation};
use crate::exchange::{Direction, Exchange};

/// One entry of a record.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A call, or a notification.
    Exchange(Arc<Exchange>),
    /// Something in the world.
    World {
        /// The action.
        action: String,
        /// Its parameters.
        with: Map<String, Value>,
    },
}

/// What happened in one instance, in order.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Record {
    /// All exchanges.
    pub fn exchanges(&self) -> impl DoubleEndedIterator<Item = &Arc<Exchange>> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Exchange(exchange) => Some(exchange),
            Entry::World { .. } => None,
        })
    }

    /// All notifications.
    pub fn notifications(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.exchanges().filter(|e| e.direction == Direction::Notification)
    }

    /// The accepted call that created a resource, with its operation.
    pub fn creation<'r>(&'r self, contracts: &'r Contracts, resource: &str, id: &str) -> Option<(&'r Arc<Exchange>, &'r Operation)> {
        self.exchanges().find_map(|exchange| {
            let operation = contracts.operations.get(&exchange.operation)?;
            let created = operation.creates.as_ref().filter(|about| about.resource == resource)?;
            (accepted(contracts, operation, exchange) && created.id.text(exchange)? == id).then_some((exchange, operation))
        })
    }
}

/// Whether a call was answered with success.
pub fn accepted(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> bool {
    exchange.answered().is_some_and(|body| contracts.is_success(operation, body))
}

/// The identifier that an exchange names, as text.
pub fn identifier(about: &About, exchange: &Exchange) -> Option<String> {
    about.id.text(exchange).filter(|id| !id.is_empty())
}
