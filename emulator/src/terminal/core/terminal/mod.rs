//! A terminal: its transactions and its open batch.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::batch::Batch;
use super::history::History;
use super::payment::{self, Charge, Payment, Return};
use super::refund::{self, Payout, Refund};
use super::{Card, ClosingError, PaymentOrder, RefundOrder, Totals, Violation};
use crate::base::prague;
use crate::common::{Identifiers, Movement, PaymentId, RefundId, TerminalStatus, TransactionId};

/// How long a terminal waits for the card holder. The document says that payments time out, not when.
pub(crate) const PATIENCE: SignedDuration = SignedDuration::from_mins(5);

/// The reason of a payment that was not completed in time.
const TIMED_OUT: &str = "CUSTOMER_TIMEOUT";

/// Why a card holder or a bank can't do something with a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Impossible {
    /// There is no such transaction.
    Unknown,
    /// Only a pending transaction can be completed. Its state.
    NotPending(&'static str),
    /// Only of a paid payment money can go back. Its state.
    NotPaid(&'static str),
    /// A reversed payment has gone back already.
    Reversed,
    /// The amount exceeds what is left of the payment: this, in minor units.
    BeyondPrice(i64),
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("there is no such transaction"),
            Self::NotPending(state) => write!(f, "it is {state}, not PENDING"),
            Self::NotPaid(state) => write!(f, "it is {state}, not PAID"),
            Self::Reversed => f.write_str("it was reversed, all of it has gone back already"),
            Self::BeyondPrice(left) => write!(f, "only {left} minor units of it are left"),
        }
    }
}

/// The result of a closing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Closing {
    /// The number of the batch that was closed.
    pub(crate) number: u32,
    /// Totals of the currencies used.
    pub(crate) totals: Vec<Totals>,
}

/// A terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    payments: History<PaymentId, Payment>,
    refunds: History<RefundId, Refund>,
    batch: Batch,
    /// Transactions and when the terminal gives them up, soonest first. Those completed since are still among them.
    waiting: VecDeque<(Timestamp, TransactionId)>,
    /// The number of transactions that wait for their card holder.
    pending: usize,
}

impl Terminal {
    /// A terminal without a past, which keeps all finished transactions, or only the last `keep_finished`.
    pub(crate) fn new(keep_finished: Option<usize>) -> Self {
        Self {
            payments: History::new(keep_finished),
            refunds: History::new(keep_finished),
            batch: Batch::default(),
            waiting: VecDeque::new(),
            pending: 0,
        }
    }

    /// The same terminal, whose reversals take back what they reverse.
    pub(crate) fn netting(self, netted: bool) -> Self {
        Self { batch: Batch::netting(netted), ..self }
    }

    /// Starts a payment. `None`: the identifier drawn is taken.
    pub(crate) fn create_payment(&mut self, order: &PaymentOrder, ids: Identifiers, now: Timestamp) -> Option<PaymentId> {
        let id = PaymentId::new(ids.id);
        if self.payments.has(id) {
            return None;
        }
        let variable_symbol = symbol(&order.ref_id, ids);
        self.payments.insert(id, Payment { id, order: order.clone(), variable_symbol, created: now, state: payment::State::Pending });
        self.expect_card_holder(TransactionId::Payment(id), now);
        Some(id)
    }

    /// Starts a refund. `None`: the identifier drawn is taken.
    pub(crate) fn create_refund(&mut self, order: &RefundOrder, ids: Identifiers, now: Timestamp) -> Option<RefundId> {
        let id = RefundId::new(ids.id);
        if self.refunds.has(id) {
            return None;
        }
        let variable_symbol = symbol(&order.ref_id, ids);
        self.refunds.insert(id, Refund { id, order: order.clone(), variable_symbol, created: now, state: refund::State::Pending });
        self.expect_card_holder(TransactionId::Refund(id), now);
        Some(id)
    }

    /// A payment as it stands.
    pub(crate) fn payment(&mut self, id: PaymentId, now: Timestamp) -> Result<&Payment, Violation> {
        self.give_up_waiting(now);
        self.payments.get(id).ok_or(Violation::PaymentNotFound)
    }

    /// A refund as it stands.
    pub(crate) fn refund(&mut self, id: RefundId, now: Timestamp) -> Result<&Refund, Violation> {
        self.give_up_waiting(now);
        self.refunds.get(id).ok_or(Violation::RefundNotFound)
    }

    /// Reverses a payment of the open batch.
    pub(crate) fn cancel_payment(&mut self, id: PaymentId, now: Timestamp) -> Result<Movement, Violation> {
        self.give_up_waiting(now);
        let payment = self.payments.get_mut(id).ok_or(Violation::PaymentNotFound)?;
        let (price, currency) = (payment.order.price, payment.order.currency);
        let number = payment.reverse(self.batch.number(), now)?.returns.len();
        self.batch.reverse_payment(currency, price);
        Ok(Movement::terminal_payment(id, number, now))
    }

    /// Reverses a refund of today.
    pub(crate) fn cancel_refund(&mut self, id: RefundId, now: Timestamp) -> Result<Movement, Violation> {
        self.give_up_waiting(now);
        let refund = self.refunds.get_mut(id).ok_or(Violation::RefundNotFound)?;
        refund.reverse(now)?;
        self.batch.reverse_refund(refund.order.currency, refund.order.price);
        Ok(Movement::terminal_refund(id, 1, now))
    }

    /// The card holder completes a transaction: the card is charged, or paid if it is a refund.
    pub(crate) fn complete(&mut self, id: TransactionId, card: Option<Card>, now: Timestamp) -> Result<Movement, Impossible> {
        self.give_up_waiting(now);
        let year = prague::date(now).year();
        let movement = match id {
            TransactionId::Payment(id) => {
                let payment = pending_payment(&mut self.payments, id)?;
                let card = card.unwrap_or_else(|| Card::for_symbol(payment.variable_symbol, year));
                let batch = self.batch.number();
                payment.state =
                    payment::State::Paid(Charge { card, at: now, batch, returns: Vec::new(), reversed: false, transferred: false });
                self.batch.credit(payment.order.currency, payment.order.price);
                Movement::terminal_payment(id, 0, now)
            }
            TransactionId::Refund(id) => {
                let refund = pending_refund(&mut self.refunds, id)?;
                let card = card.unwrap_or_else(|| Card::for_symbol(refund.variable_symbol, year));
                refund.state = refund::State::Paid(Payout { card, at: now, reversed: None, transferred: false });
                self.batch.debit(refund.order.currency, refund.order.price);
                Movement::terminal_refund(id, 0, now)
            }
        };
        self.finish(id);
        Ok(movement)
    }

    /// A transaction comes to nothing: it is rejected, or the card holder leaves it.
    pub(crate) fn fail(&mut self, id: TransactionId, reason: Option<Cow<'static, str>>, now: Timestamp) -> Result<(), Impossible> {
        self.give_up_waiting(now);
        self.fail_pending(id, reason.unwrap_or(Cow::Borrowed(TIMED_OUT)))
    }

    /// The payment of this variable symbol whose card was charged on this day in Prague; a reversed one has no money to give back. Of
    /// several it is the first: "Need not be unique."
    pub(crate) fn charged_on(&self, day: Date, symbol: &str) -> Option<PaymentId> {
        let is_meant = |payment: &&Payment| {
            let charge = payment.charge().filter(|charge| !charge.reversed);
            charge.is_some_and(|charge| prague::date(charge.at) == day) && payment.is_named(symbol)
        };
        self.payments.all().filter(is_meant).map(|payment| (payment.created, payment.id)).min().map(|(_, id)| id)
    }

    /// Money of a paid payment goes back to the card holder, outside of this API and of the batch. What has gone back
    /// altogether, in minor units.
    pub(crate) fn return_money(&mut self, id: PaymentId, amount: i64, now: Timestamp) -> Result<(Movement, i64), Impossible> {
        self.give_up_waiting(now);
        let payment = self.payments.get_mut(id).ok_or(Impossible::Unknown)?;
        let word = payment.state.as_str();
        let payment::State::Paid(charge) = &mut payment.state else { return Err(Impossible::NotPaid(word)) };
        if charge.reversed {
            return Err(Impossible::Reversed);
        }
        let left = payment.order.price - charge.amount_refunded();
        if amount > left {
            return Err(Impossible::BeyondPrice(left));
        }
        charge.returns.push(Return { amount, at: now });
        Ok((Movement::terminal_payment(id, charge.returns.len(), now), charge.amount_refunded()))
    }

    /// The state of the terminal, which is set to `as_set` in the world: while it waits for a card holder, a connected one is
    /// busy.
    pub(crate) fn status(&mut self, as_set: TerminalStatus, now: Timestamp) -> TerminalStatus {
        self.give_up_waiting(now);
        if as_set == TerminalStatus::Online && self.pending > 0 { TerminalStatus::Busy } else { as_set }
    }

    /// Closes the batch, unless the state set in the world prevents it. A transaction that is
    /// still pending doesn't: it will count in the batch it is completed in.
    pub(crate) fn close(&mut self, as_set: TerminalStatus) -> Result<Closing, ClosingError> {
        if let Some(error) = ClosingError::from_status(as_set) {
            return Err(error);
        }
        let (number, totals) = self.batch.close();
        Ok(Closing { number, totals })
    }

    /// A payment, for the bank to pay out.
    pub(crate) fn payment_mut(&mut self, id: PaymentId) -> Option<&mut Payment> {
        self.payments.get_mut(id)
    }

    /// A refund, for the bank to set off.
    pub(crate) fn refund_mut(&mut self, id: RefundId) -> Option<&mut Refund> {
        self.refunds.get_mut(id)
    }

    fn expect_card_holder(&mut self, id: TransactionId, now: Timestamp) {
        self.give_up_waiting(now);
        self.waiting.push_back((now.saturating_add(PATIENCE).unwrap_or(Timestamp::MAX), id));
        self.pending += 1;
    }

    /// Cancels what is pending for too long.
    fn give_up_waiting(&mut self, now: Timestamp) {
        while let Some((_, id)) = self.waiting.pop_front_if(|(until, _)| *until <= now) {
            // It may have been completed in time.
            let _ = self.fail_pending(id, Cow::Borrowed(TIMED_OUT));
        }
    }

    fn fail_pending(&mut self, id: TransactionId, reason: Cow<'static, str>) -> Result<(), Impossible> {
        match id {
            TransactionId::Payment(id) => pending_payment(&mut self.payments, id)?.state = payment::State::Cancelled { reason },
            TransactionId::Refund(id) => pending_refund(&mut self.refunds, id)?.state = refund::State::Cancelled,
        }
        self.finish(id);
        Ok(())
    }

    fn finish(&mut self, id: TransactionId) {
        self.pending -= 1;
        match id {
            TransactionId::Payment(id) => self.payments.finish(id),
            TransactionId::Refund(id) => self.refunds.finish(id),
        }
    }
}

/// "Merchant reference or variable symbol": a reference that can be a variable symbol is one.
fn symbol(ref_id: &str, ids: Identifiers) -> u64 {
    let is_symbol = (1..=10).contains(&ref_id.len()) && ref_id.bytes().all(|b| b.is_ascii_digit());
    ref_id.parse().ok().filter(|_| is_symbol).unwrap_or_else(|| u64::from(ids.variable_symbol))
}

fn pending_payment(payments: &mut History<PaymentId, Payment>, id: PaymentId) -> Result<&mut Payment, Impossible> {
    let payment = payments.get_mut(id).ok_or(Impossible::Unknown)?;
    match payment.state {
        payment::State::Pending => Ok(payment),
        payment::State::Paid(_) | payment::State::Cancelled { .. } => Err(Impossible::NotPending(payment.state.as_str())),
    }
}

fn pending_refund(refunds: &mut History<RefundId, Refund>, id: RefundId) -> Result<&mut Refund, Impossible> {
    let refund = refunds.get_mut(id).ok_or(Impossible::Unknown)?;
    match refund.state {
        refund::State::Pending => Ok(refund),
        refund::State::Paid(_) | refund::State::Cancelled => Err(Impossible::NotPending(refund.state.as_str())),
    }
}

#[cfg(test)]
mod tests;
