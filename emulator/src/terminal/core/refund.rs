//! A terminal refund and its states: money goes to a card.

use jiff::Timestamp;

use super::{Card, RefundOrder, Violation};
use crate::base::prague;
use crate::common::RefundId;

/// The state of a refund, and what exists only in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// The terminal waits for the card holder.
    Pending,
    /// The card was paid.
    Paid(Payout),
    /// Rejected, not completed or timed out.
    Cancelled,
}

/// What is known since the card was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Payout {
    /// The card.
    pub(crate) card: Card,
    /// When.
    pub(crate) at: Timestamp,
    /// When it was reversed, if it was.
    pub(crate) reversed: Option<Timestamp>,
    /// Whether the bank has set it off against a transfer.
    pub(crate) transferred: bool,
}

/// A refund, from its creation on.
#[derive(Debug, Clone)]
pub(crate) struct Refund {
    /// Its identifier.
    pub(crate) id: RefundId,
    /// What was ordered.
    pub(crate) order: RefundOrder,
    /// Variable symbol, ten digits at most.
    pub(crate) variable_symbol: u64,
    /// When it was created.
    pub(crate) created: Timestamp,
    /// Its state.
    pub(crate) state: State,
}

impl State {
    /// The name in the document.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Paid(_) => "PAID",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl Refund {
    /// What is known since the card was paid.
    pub(crate) const fn payout(&self) -> Option<&Payout> {
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
