//! What went over the wire in one case, in order.

use std::sync::Arc;

use crate::exchange::{Direction, Exchange, Outcome, TransportFailureKind};

/// The exchanges of one case.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) exchanges: Vec<Arc<Exchange>>,
}

impl Log {
    /// Takes an exchange in and answers it with its number.
    pub(super) fn add(&mut self, mut exchange: Exchange) -> Arc<Exchange> {
        exchange.number = self.exchanges.len();
        let exchange = Arc::new(exchange);
        self.exchanges.push(Arc::clone(&exchange));
        exchange
    }

    /// Whether letters were sent and none of them got an answer.
    pub(super) fn is_silent(&self) -> bool {
        let mut letters = self.letters().peekable();
        letters.peek().is_some() && letters.all(|letter| letter.answer().is_none())
    }

    /// Letters for which nobody listened.
    pub(super) fn refused(&self) -> usize {
        let refused = |letter: &&Arc<Exchange>| match &letter.outcome {
            Outcome::Failed(failure) => failure.kind == TransportFailureKind::Connect,
            Outcome::Answer(_) => false,
        };
        self.letters().filter(refused).count()
    }

    /// How many letters were sent.
    pub(super) fn sent(&self) -> usize {
        self.letters().count()
    }

    fn letters(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.exchanges.iter().filter(|exchange| exchange.direction == Direction::Notification)
    }
}
