//! A terminal payment and its states.

use std::borrow::Cow;

use jiff::Timestamp;

use super::{Card, PaymentOrder, Violation};
use crate::common::PaymentId;

/// The state of a payment, and what exists only in it. AUTHORIZED is documented as a state, but nothing leads there: the
/// methods for pre-authorizations are announced and not yet available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// The terminal waits for the card holder.
    Pending,
    /// The card was charged.
    Paid(Charge),
    /// Cancelled, rejected, not completed or timed out.
    Cancelled {
        /// The reason.
        reason: Cow<'static, str>,
    },
}

/// What is known since the card was charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charge {
    /// The card.
    pub(crate) card: Card,
    /// When.
    pub(crate) at: Timestamp,
    /// The batch it was charged in; once that is closed, the payment can't be reversed.
    pub(crate) batch: u32,
    /// What went back to the card holder, in order; a reversal last of all.
    pub(crate) returns: Vec<Return>,
    /// Whether it was reversed.
    pub(crate) reversed: bool,
    /// Whether the bank has paid it out.
    pub(crate) transferred: bool,
}

/// Money that went back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Return {
    /// Minor units.
    pub(crate) amount: i64,
    /// When.
    pub(crate) at: Timestamp,
}

/// A payment, from its creation on.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    /// Its identifier.
    pub(crate) id: PaymentId,
    /// What was ordered.
    pub(crate) order: PaymentOrder,
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
            Self::Cancelled { .. } => "CANCELLED",
        }
    }
}

impl Payment {
    /// What is known since the card was charged.
    pub(crate) const fn charge(&self) -> Option<&Charge> {
        match &self.state {
            State::Paid(charge) => Some(charge),
            State::Pending | State::Cancelled { .. } => None,
        }
    }

    /// Why it was cancelled, if it was.
    pub(crate) fn error_reason(&self) -> Option<&str> {
        match &self.state {
            State::Cancelled { reason } => Some(reason),
            State::Pending | State::Paid(_) => None,
        }
    }

    /// Whether this is its variable symbol: the one of the statements, or the reference, which may have been sent as one.
    pub(super) fn is_named(&self, symbol: &str) -> bool {
        *self.order.ref_id == *symbol || symbol.parse::<u64>().is_ok_and(|number| number == self.variable_symbol)
    }

    /// Reverses it, if it is paid, whole, and the open batch still the one it was charged in.
    pub(super) fn reverse(&mut self, open_batch: u32, now: Timestamp) -> Result<&Charge, Violation> {
        let State::Paid(charge) = &mut self.state else { return Err(Violation::NotPaid) };
        if charge.reversed {
            return Err(Violation::AlreadyReversed);
        }
        if charge.batch != open_batch {
            return Err(Violation::BatchClosed);
        }
        if !charge.returns.is_empty() {
            return Err(Violation::PartlyReturned);
        }
        charge.reversed = true;
        charge.returns.push(Return { amount: self.order.price, at: now });
        Ok(charge)
    }
}

impl Charge {
    /// What was returned to the card holder without a reversal, in minor units.
    pub(crate) fn amount_refunded(&self) -> i64 {
        if self.reversed { 0 } else { self.returns.iter().map(|returned| returned.amount).sum() }
    }
}
