//! The exchanges of one case, in order.

use std::sync::Arc;

use crate::wire::exchange::{Direction, Exchange};

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

    /// The notifications among them.
    pub(crate) fn notifications(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.exchanges.iter().filter(|exchange| exchange.direction == Direction::Notification)
    }
}
