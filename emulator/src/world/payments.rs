//! Payments of a world: the core decides, here the effects are carried out.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use super::World;
use crate::delivery::Letter;
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{
    Creation, Effect, Interface, Merchant, Order, Payment, Reason, Recurring, Refusal, State, TransId, Violation, create,
};
use crate::gateway::wire::notification;
use crate::transfers::core::{Movement, Source};

/// What a deed leaves to do once the payment is let go.
#[derive(Default)]
struct Aftermath {
    waited_until: Option<(Timestamp, u64)>,
    finished: bool,
    letters: Vec<Letter>,
    /// Whose money moved, and which movements of the payment that were.
    moved: Option<(Arc<Merchant>, Range<usize>)>,
}

impl World {
    /// Creates a payment for a merchant.
    pub(crate) fn create(
        self: &Arc<Self>,
        merchant: &Arc<Merchant>,
        interface: Interface,
        request: &Creation<'_>,
    ) -> Result<TransId, Violation> {
        Ok(self.enter(create(request, interface, merchant, self.lots.mint(), self.now())?))
    }

    /// Repeats an initiation payment in the background: the card pays at once, without the payer.
    pub(crate) fn repeat(
        self: &Arc<Self>,
        merchant: &Arc<Merchant>,
        interface: Interface,
        request: &Recurring<'_>,
    ) -> Result<TransId, Violation> {
        request.check(merchant)?;
        let order = request
            .init_recurring_id
            .and_then(TransId::parse)
            .and_then(|id| self.with_payment(id, |payment, _| (initiated(payment, merchant, request), <&[_]>::default())))
            .unwrap_or(Err(Violation::InitiationNotFound))?;
        let fails = order.test && order.email.as_deref() == Some(&self.settings.recurring_cancelled_email);
        let id = self.enter(Payment::new(order, interface, Arc::clone(merchant), self.lots.mint(), self.now()));
        self.with_payment(id, |payment, now| {
            let done = if fails { payment.fail(Reason::RejectedByBank) } else { payment.pay(Payer::default(), now) };
            ((), done.unwrap_or_default())
        });
        Ok(id)
    }

    /// Enters a new payment, which waits for its payer.
    fn enter(&self, payment: Payment) -> TransId {
        let mut payment = Box::new(payment);
        let (expires, sequence) = (payment.expires(), payment.sequence);
        loop {
            let id = payment.id;
            let Err(same_code) = self.ledger.insert(payment) else {
                self.agenda.expect_payer(expires, sequence, id);
                return id;
            };
            // Two lots in 36¹² were the same: draw again.
            payment = same_code;
            payment.id = self.lots.mint().id;
        }
    }

    /// Does something with a payment, first letting it expire if its time is over; `None` if there is no such payment.
    pub(crate) fn with_payment<R>(
        self: &Arc<Self>,
        id: TransId,
        deed: impl FnOnce(&mut Payment, Timestamp) -> (R, &'static [Effect]),
    ) -> Option<R> {
        let now = self.now();
        let mut aftermath = Aftermath::default();
        let answer = self.ledger.with(id, |payment| {
            let expired = payment.expire(now);
            self.note(payment, expired, &mut aftermath);
            let before = payment.movements();
            let (answer, effects) = deed(payment, now);
            self.note(payment, effects, &mut aftermath);
            let moved = before..payment.movements();
            aftermath.moved = (!moved.is_empty()).then(|| (Arc::clone(&payment.merchant), moved));
            answer
        });
        self.carry_out(id, aftermath, now);
        answer
    }

    /// A merchant does something with a payment of its own.
    pub(crate) fn with_payment_of(
        self: &Arc<Self>,
        merchant: &Merchant,
        id: Option<TransId>,
        deed: impl FnOnce(&mut Payment, Timestamp) -> Result<&'static [Effect], Violation>,
    ) -> Result<(), Refusal> {
        let done = id.and_then(|id| {
            self.with_payment(id, |payment, now| {
                if !payment.belongs_to(merchant.id()) {
                    return (Err(Violation::PaymentNotFound), Default::default());
                }
                match deed(payment, now) {
                    Ok(effects) => (Ok(()), effects),
                    Err(violation) => (Err(violation), Default::default()),
                }
            })
        });
        done.unwrap_or(Err(Violation::PaymentNotFound)).map_err(Refusal::from)
    }

    /// Something of every payment, in the order of creation.
    pub(crate) fn list_payments<R>(&self, view: impl Fn(&Payment) -> R) -> Vec<R> {
        self.ledger.list(view)
    }

    /// How many payments there are.
    pub(crate) fn count_payments(&self) -> usize {
        self.ledger.len()
    }

    /// Pushes the current state of a payment once more. `None`: no such payment; `Some(false)`: nothing was pushed before.
    pub(crate) fn notify_again(self: &Arc<Self>, id: TransId) -> Option<bool> {
        self.with_payment(id, |payment, _| {
            let decided = payment.state != State::Pending;
            (decided, if decided { [Effect::Notify].as_slice() } else { Default::default() })
        })
    }

    fn note(&self, payment: &Payment, effects: &[Effect], aftermath: &mut Aftermath) {
        for effect in effects {
            match effect {
                Effect::StopWaiting => aftermath.waited_until = Some((payment.expires(), payment.sequence)),
                Effect::Notify => aftermath.letters.extend(self.letter_about(payment)),
                Effect::Finish => aftermath.finished = true,
            }
        }
    }

    /// The notification is written while the payment is held, so that it tells of exactly this state.
    fn letter_about(&self, payment: &Payment) -> Option<Letter> {
        // Endpoint and secret may have changed since the payment was created.
        let merchant = self.merchants.find(payment.merchant.id())?;
        let url = merchant.notification_url.clone()?;
        let (media_type, body) = notification::write(payment, &merchant);
        Some(Letter {
            trans_id: payment.id,
            status: payment.state.word(),
            url,
            media_type,
            body: body.into(),
            contacts: merchant.settings.contact_emails.clone(),
            attempt: 0,
        })
    }

    fn carry_out(self: &Arc<Self>, id: TransId, aftermath: Aftermath, now: Timestamp) {
        if let Some((merchant, moved)) = aftermath.moved {
            for number in moved {
                self.note_movement(merchant.id(), Movement { source: Source::Gateway(id), number, at: now });
            }
        }
        if let Some((at, sequence)) = aftermath.waited_until {
            self.agenda.stop_waiting(at, sequence);
        }
        if aftermath.finished {
            self.ledger.finish(id);
        }
        for letter in aftermath.letters {
            self.send(letter);
        }
    }
}

fn initiated(payment: &Payment, merchant: &Merchant, request: &Recurring<'_>) -> Result<Order, Violation> {
    if payment.belongs_to(merchant.id()) { request.order(payment) } else { Err(Violation::InitiationNotFound) }
}
