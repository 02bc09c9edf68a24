//! A terminal refund and its states: money goes to a card.

use jiff::Timestamp;

use super::{Card, RefundId, RefundOrder, Violation};
use crate::prague;

/// Where a refund stands, and what exists only there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The terminal waits for the card holder.
    Pending,
    /// The card was paid.
    Paid(Payout),
    /// Rejected, not completed or timed out.
    Cancelled,
}

/// What is known since the card was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payout {
    /// The card.
    pub card: Card,
    /// When.
    pub at: Timestamp,
    /// When it was reversed, if it was.
    pub reversed: Option<Timestamp>,
    /// Whether the bank has set it off against a transfer.
    pub transferred: bool,
}

/// A refund, from its creation on.
#[derive(Debug, Clone)]
pub struct Refund {
    /// Its identifier.
    pub id: RefundId,
    /// What was ordered.
    pub order: RefundOrder,
    /// Variable symbol, ten digits at most.
    pub variable_symbol: u64,
    /// When it was created.
    pub created: Timestamp,
    /// Where it stands.
    pub state: State,
}

impl State {
    /// The word of the document.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Paid(_) => "PAID",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl Refund {
    /// What is known since the card was paid.
    pub const fn payout(&self) -> Option<&Payout> {
        match &self.state {
            State::Paid(payout) => Some(payout),
            State::Pending | State::Cancelled => None,
        }
    }

    /// Reverses it, if it is paid and clocks in Prague still show the day it was paid on.
    pub(super) fn reverse(&mut self, now: Timestamp) -> Result<&Payout, Violation> {
        let State::Paid(payout) = &mut self.state else { return Err(Violation::NotPaid) };
        if payout.reversed.is_some() {
            return Err(Violation::AlreadyReversed);
        }
        if prague::date(payout.at) != prague::date(now) {
            return Err(Violation::AnotherDay);
        }
        payout.reversed = Some(now);
        Ok(payout)
    }
}
