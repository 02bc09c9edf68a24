//! QR payments of a world: the core decides, here time passes and codes are drawn.

use jiff::Timestamp;

use super::World;
use crate::common::freedoms::Behaviour;
use crate::common::{Identifiers, Movement, Source, TransId};
use crate::qr::core::{QrPayment, State, Violation};

/// From here on, who reads numbers as floating ones takes some for others.
const EXACT: u64 = 1 << 53;

impl World {
    /// Enters the payment that `creation` makes from new identifiers and the time.
    pub(crate) fn create_qr_payment(
        &self,
        creation: impl FnOnce(Identifiers, Timestamp) -> Result<QrPayment, Violation>,
    ) -> Result<TransId, Violation> {
        let mut ids = self.ids.draw();
        if self.behaves(Behaviour::QrIdsNumbers) {
            ids.id = TransId::from_random(ids.id.number() % EXACT);
        }
        let payment = creation(ids, self.now())?;
        let (due, sequence, rejected) = (payment.next_change(), payment.sequence, payment.state != State::Pending);
        let (id, forgotten) = self.qr.payments.add(payment, &self.ids);
        if let Some(forgotten) = forgotten
            && let Some(at) = forgotten.next_change()
        {
            self.schedule.stop_waiting(at, forgotten.sequence);
        }
        if let Some(at) = due {
            self.schedule.expect_qr_payment(at, sequence, id);
        }
        if rejected {
            self.qr.payments.finish(id);
        }
        Ok(id)
    }

    /// Draws a code for something other than a payment.
    pub(crate) fn draw_code(&self) -> TransId {
        self.ids.draw().id
    }

    /// Brings a payment up to date and runs an action on it; `None` if there is no such payment.
    pub(crate) fn with_qr_payment<R>(&self, id: TransId, action: impl FnOnce(&mut QrPayment, Timestamp) -> R) -> Option<R> {
        let now = self.now();
        let (result, finished, moved) = self.qr.payments.with(id, |payment| {
            let (was_pending, due, before) = (payment.state == State::Pending, payment.next_change(), payment.movements());
            payment.update(now);
            let result = action(payment, now);
            self.reschedule(payment, due);
            let numbers = payment.movements().into_iter().filter(|number| !before.contains(number));
            let moved: Vec<_> = numbers.map(|number| (payment.order.merchant.clone(), number)).collect();
            (result, was_pending && payment.state != State::Pending, moved)
        })?;
        // A book is locked before payments, so money is entered once the payment is free again.
        for (merchant, number) in moved {
            self.note_movement(&merchant, Movement { source: Source::Qr(id), number, at: now });
        }
        if finished {
            self.qr.payments.finish(id);
        }
        Some(result)
    }

    /// Moves the payment in the schedule if time changes it at another time than before.
    fn reschedule(&self, payment: &QrPayment, before: Option<Timestamp>) {
        let next = payment.next_change();
        if next == before {
            return;
        }
        if let Some(at) = before {
            self.schedule.stop_waiting(at, payment.sequence);
        }
        if let Some(at) = next {
            self.schedule.expect_qr_payment(at, payment.sequence, payment.id);
        }
    }

    /// A view of every QR payment, in the order of creation, as it is now.
    pub(crate) fn list_qr_payments<R>(&self, view: impl Fn(&QrPayment) -> R) -> Vec<R> {
        self.newest_qr_payments(usize::MAX, view).0
    }

    /// A view of the newest QR payments, likewise, and how many older ones there are.
    pub(crate) fn newest_qr_payments<R>(&self, most: usize, view: impl Fn(&QrPayment) -> R) -> (Vec<R>, usize) {
        let (ids, older) = self.qr.payments.newest(most, |payment| payment.id);
        let rows = ids.into_iter().filter_map(|id| self.with_qr_payment(id, |payment, _| view(payment))).collect();
        (rows, older)
    }
}
