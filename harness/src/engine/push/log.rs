//! The exchanges of one case, in order.

use std::sync::Arc;

use crate::wire::exchange::{Direction, Exchange, ExchangeOutcome, TransportFailureKind};

/// The exchanges of one case.
#[derive(Debug, Default)]
pub(crate) struct ExchangeLog {
    pub(crate) exchanges: Vec<Arc<Exchange>>,
}

impl ExchangeLog {
    /// Adds an exchange and returns it with its number.
    pub(crate) fn add(&mut self, mut exchange: Exchange) -> Arc<Exchange> {
        exchange.number = self.exchanges.len();
        let exchange = Arc::new(exchange);
        self.exchanges.push(Arc::clone(&exchange));
        exchange
    }

    /// Whether notifications were sent, and none of them got a response.
    pub(crate) fn got_no_response(&self) -> bool {
        let mut notifications = self.notifications().peekable();
        notifications.peek().is_some() && notifications.all(|exchange| exchange.response().is_none())
    }

    /// The number of notifications that could not be sent, because the endpoint refused the connection.
    pub(crate) fn refused(&self) -> usize {
        let refused = |exchange: &&Arc<Exchange>| match &exchange.outcome {
            ExchangeOutcome::Failed(failure) => failure.kind == TransportFailureKind::Connect,
            ExchangeOutcome::Response(_) => false,
        };
        self.notifications().filter(refused).count()
    }

    /// The number of notifications that were sent.
    pub(crate) fn sent(&self) -> usize {
        self.notifications().count()
    }

    fn notifications(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.exchanges.iter().filter(|exchange| exchange.direction == Direction::Notification)
    }
}
