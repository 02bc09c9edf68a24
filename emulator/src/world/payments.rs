//! Payments of a world: the core decides, here the effects are carried out.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use super::World;
use crate::common::merchant::MerchantSettings;
use crate::common::{Merchant, Movement, Refusal, Source, TransId};
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Creation, Effect, Interface, NOTHING, Order, Payment, Reason, Recurring, State, Violation, create};
use crate::world::Notification;

/// The rest of an action after the payment is unlocked.
#[derive(Default)]
struct CollectedEffects {
    waited_until: Option<(Timestamp, u64)>,
    finished: bool,
    notifications: Vec<Notification>,
    /// The merchant whose money moved, and the movements of the payment.
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
        Ok(self.enter(create(request, interface, merchant, self.ids.draw(), self.now())?))
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
            .and_then(|id| self.read_payment(id, |payment, _| recurring_order(payment, merchant, request)))
            .unwrap_or(Err(Violation::InitiationNotFound))?;
        let fails = order.test && order.email.as_deref() == Some(&self.settings.recurring_cancelled_email);
        let id = self.enter(Payment::new(order, interface, Arc::clone(merchant), self.ids.draw(), self.now()));
        self.with_payment(id, |payment, now| {
            let done = if fails { payment.fail(Reason::RejectedByBank) } else { payment.pay(Payer::default(), now) };
            ((), done.unwrap_or(NOTHING))
        });
        Ok(id)
    }

    /// Enters a new payment, which waits for its payer.
    fn enter(&self, payment: Payment) -> TransId {
        let (expires, sequence) = (payment.expires(), payment.sequence);
        let id = self.add_payment(payment);
        self.schedule.expect_payer(expires, sequence, id);
        id
    }

    /// Adds a payment. An older one that is forgotten for it no longer waits for its payer.
    pub(super) fn add_payment(&self, payment: Payment) -> TransId {
        let (id, forgotten) = self.payments.add(payment, &self.ids);
        if let Some(forgotten) = forgotten {
            self.schedule.stop_waiting(forgotten.expires(), forgotten.sequence);
        }
        id
    }

    /// Runs an action on a payment, which expires first if its time is over; `None` if there is no such payment.
    pub(crate) fn with_payment<R>(
        self: &Arc<Self>,
        id: TransId,
        action: impl FnOnce(&mut Payment, Timestamp) -> (R, &'static [Effect]),
    ) -> Option<R> {
        let now = self.now();
        let mut collected = CollectedEffects::default();
        let result = self.payments.with(id, |payment| {
            let expired = payment.expire(now);
            self.collect(payment, expired, &mut collected);
            let before = payment.movements();
            let (result, effects) = action(payment, now);
            self.collect(payment, effects, &mut collected);
            let moved = before..payment.movements();
            collected.moved = (!moved.is_empty()).then(|| (Arc::clone(&payment.merchant), moved));
            result
        });
        self.carry_out(id, collected, now);
        result
    }

    /// Reads a payment, which expires first if its time is over; `None` if there is no such payment.
    pub(crate) fn read_payment<R>(self: &Arc<Self>, id: TransId, read: impl FnOnce(&Payment, Timestamp) -> R) -> Option<R> {
        self.with_payment(id, |payment, now| (read(payment, now), NOTHING))
    }

    /// Runs an action of a merchant on a payment of its own.
    pub(crate) fn with_payment_of(
        self: &Arc<Self>,
        merchant: &Merchant,
        id: Option<TransId>,
        action: impl FnOnce(&mut Payment, Timestamp) -> Result<&'static [Effect], Violation>,
    ) -> Result<(), Refusal> {
        let done = id.and_then(|id| {
            self.with_payment(id, |payment, now| {
                if !payment.belongs_to(merchant.id()) {
                    return (Err(Violation::PaymentNotFound), NOTHING);
                }
                match action(payment, now) {
                    Ok(effects) => (Ok(()), effects),
                    Err(violation) => (Err(violation), NOTHING),
                }
            })
        });
        done.unwrap_or(Err(Violation::PaymentNotFound)).map_err(Refusal::from)
    }

    /// A view of the newest payments, in the order of creation, and how many older ones there are.
    pub(crate) fn newest_payments<R>(&self, most: usize, view: impl Fn(&Payment) -> R) -> (Vec<R>, usize) {
        self.payments.newest(most, view)
    }

    /// The number of payments.
    pub(crate) fn count_payments(&self) -> usize {
        self.payments.len()
    }

    /// Notifies the current state of a payment once more. `None`: no such payment; `Some(false)`: nothing was notified before.
    pub(crate) fn notify_again(self: &Arc<Self>, id: TransId) -> Option<bool> {
        self.with_payment(id, |payment, _| {
            let decided = payment.state != State::Pending;
            (decided, if decided { &[Effect::Notify] } else { NOTHING })
        })
    }

    fn collect(&self, payment: &Payment, effects: &[Effect], collected: &mut CollectedEffects) {
        for effect in effects {
            match effect {
                Effect::StopWaiting => collected.waited_until = Some((payment.expires(), payment.sequence)),
                Effect::Notify => collected.notifications.extend(self.notification_about(payment)),
                Effect::Finish => collected.finished = true,
            }
        }
    }

    /// The notification is written while the payment is locked, so that it reports exactly this state.
    fn notification_about(&self, payment: &Payment) -> Option<Notification> {
        // Endpoint and secret may have changed since the payment was created.
        let merchant = self.merchants.find(payment.merchant.id())?;
        let url = merchant.notification_url.clone()?;
        Some(Notification {
            trans_id: payment.id,
            status: payment.state.as_str(),
            url,
            body: self.notifier.write(payment, &self.as_notified(&merchant), &self.freedoms),
            contacts: merchant.settings.contact_emails.clone(),
            attempt: 0,
        })
    }

    /// Public clients expect the fee in each notification, as the status has it, although the document says "if set".
    fn as_notified<'m>(&self, merchant: &'m Merchant) -> Cow<'m, Merchant> {
        if !self.settings.tolerant || merchant.settings.fee.is_some() {
            return Cow::Borrowed(merchant);
        }
        let settings = MerchantSettings { fee: Some("unknown".to_owned()), ..merchant.settings.clone() };
        Cow::Owned(Merchant { settings, ..merchant.clone() })
    }

    fn carry_out(self: &Arc<Self>, id: TransId, collected: CollectedEffects, now: Timestamp) {
        if let Some((merchant, moved)) = collected.moved {
            for number in moved {
                self.note_movement(merchant.id(), Movement { source: Source::Gateway(id), number, at: now });
            }
        }
        if let Some((at, sequence)) = collected.waited_until {
            self.schedule.stop_waiting(at, sequence);
        }
        if collected.finished {
            self.payments.finish(id);
        }
        for notification in collected.notifications {
            self.send(notification);
        }
    }
}

fn recurring_order(payment: &Payment, merchant: &Merchant, request: &Recurring<'_>) -> Result<Order, Violation> {
    if payment.belongs_to(merchant.id()) { request.order(payment) } else { Err(Violation::InitiationNotFound) }
}
