//! QR payments of a world: the core decides, here time passes and codes are minted.

use jiff::Timestamp;

use super::ledger::Ledger;
use super::{Faults, World};
use crate::gateway::core::{Minted, TransId};
use crate::lots::Lots;
use crate::qr::core::{QrPayment, State, Violation};
use crate::qr::wire::{Failure, QrCall};
use crate::wire::jwt::Signer;

/// What the key of the tokens is for.
const KEY: u64 = 0;

/// The QR payments of a world, and what belongs to their API alone.
pub(crate) struct QrDesk {
    ledger: Ledger<QrPayment>,
    faults: Faults<QrCall, Failure>,
    signer: Signer,
}

impl QrDesk {
    /// No payments yet; of finished ones, so many are going to be kept.
    pub(super) fn new(lots: &Lots, keep_finished: Option<usize>) -> Self {
        Self { ledger: Ledger::new(keep_finished), faults: Faults::default(), signer: Signer::new(&lots.key(KEY)) }
    }

    /// Faults placed in its calls.
    pub(crate) const fn faults(&self) -> &Faults<QrCall, Failure> {
        &self.faults
    }

    /// Signs its tokens.
    pub(crate) const fn signer(&self) -> &Signer {
        &self.signer
    }
}

impl World {
    /// Enters the payment that `creation` makes of a fresh code and the time.
    pub(crate) fn create_qr(&self, creation: impl FnOnce(Minted, Timestamp) -> Result<QrPayment, Violation>) -> Result<TransId, Violation> {
        let mut payment = Box::new(creation(self.lots.mint(), self.now())?);
        let (due, sequence) = (payment.next_change(), payment.sequence);
        loop {
            let id = payment.id;
            let Err(same_code) = self.qr.ledger.insert(payment) else {
                if let Some(at) = due {
                    self.agenda.expect_qr(at, sequence, id);
                }
                return Ok(id);
            };
            // Two lots in 36¹² were the same: draw again.
            payment = same_code;
            payment.id = self.mint_code();
        }
    }

    /// A code for something else than a payment.
    pub(crate) fn mint_code(&self) -> TransId {
        self.lots.mint().id
    }

    /// Does something with a payment, first letting time pass; `None` if there is no such payment.
    pub(crate) fn with_qr<R>(&self, id: TransId, deed: impl FnOnce(&mut QrPayment, Timestamp) -> R) -> Option<R> {
        let now = self.now();
        let (answer, finished) = self.qr.ledger.with(id, |payment| {
            let (was_pending, due) = (payment.state == State::Pending, payment.next_change());
            payment.pass(now);
            let answer = deed(payment, now);
            self.reschedule(payment, due);
            (answer, was_pending && payment.state != State::Pending)
        })?;
        if finished {
            self.qr.ledger.finish(id);
        }
        Some(answer)
    }

    /// Moves the payment in the agenda if time changes it at another time than before.
    fn reschedule(&self, payment: &QrPayment, before: Option<Timestamp>) {
        let next = payment.next_change();
        if next == before {
            return;
        }
        if let Some(at) = before {
            self.agenda.stop_waiting(at, payment.sequence);
        }
        if let Some(at) = next {
            self.agenda.expect_qr(at, payment.sequence, payment.id);
        }
    }

    /// Something of every QR payment, in the order of creation, as it is now.
    pub(crate) fn list_qr<R>(&self, view: impl Fn(&QrPayment) -> R) -> Vec<R> {
        let ids = self.qr.ledger.list(|payment| payment.id);
        ids.into_iter().filter_map(|id| self.with_qr(id, |payment, _| view(payment))).collect()
    }
}
