//! The state of a world.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use jiff::Timestamp;

use super::devices::Devices;
use super::faults::Faults;
use super::merchants::Merchants;
use super::notifier::Notifier;
use super::operation::Operation;
use super::outages::Outages;
use super::outbox::Outbox;
use super::payer_mail::{PayerEmail, PayerMail};
use super::payment_store::PaymentStore;
use super::payouts::Payouts;
use super::qr_store::QrPayments;
use super::schedule::Schedule;
use super::settings::WorldSettings;
use crate::base::clock::Clock;
use crate::common::freedoms::{Behaviour, Freedoms};
use crate::common::{IdGenerator, Refusal};
use crate::gateway::core::Payment;
use crate::gateway::core::refund_pos::TerminalPayment;
use crate::terminal::core::Terminal;

/// Everything that belongs to one world. No lock in it is held across an `.await`.
pub(crate) struct World {
    pub(super) name: String,
    /// Where its APIs begin: nothing for the default world, `/w/{name}` for another.
    pub(super) path: String,
    pub(super) settings: WorldSettings,
    pub(super) freedoms: Freedoms,
    pub(super) clock: Clock,
    pub(super) ids: IdGenerator,
    pub(super) merchants: Merchants,
    pub(super) payments: PaymentStore<Payment>,
    pub(super) qr: QrPayments,
    pub(super) devices: Devices,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults<Operation, Refusal>,
    pub(super) outages: Outages,
    /// Payments that `refundPos` can refund, in the order they were made.
    pub(super) terminal_payments: Mutex<Vec<TerminalPayment>>,
    /// The terminal of each merchant, by the identifier of the merchant.
    pub(super) terminals: BTreeMap<String, Mutex<Terminal>>,
    pub(super) payouts: Payouts,
    pub(super) outbox: Outbox,
    pub(super) payer_mail: PayerMail,
    pub(super) notifier: Arc<dyn Notifier>,
    /// One `clock.advances` at a time.
    pub(super) advancing: tokio::sync::Mutex<()>,
}

impl World {
    /// Ends the world: its deliveries are aborted, and no more notifications are sent.
    pub(crate) fn close(&self) {
        self.outbox.close();
        self.schedule.clear();
    }

    /// Sends a mail to a payer.
    pub(crate) fn mail_payer(&self, email: PayerEmail) {
        self.payer_mail.send(email);
    }

    /// The mail to the address of a payer.
    pub(crate) fn payer_mail(&self, address: &str) -> Vec<PayerEmail> {
        self.payer_mail.to(address)
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where its APIs begin: nothing for the default world, `/w/{name}` for another.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The settings it was opened with.
    pub(crate) const fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Its choices where the documents leave one.
    pub(crate) const fn freedoms(&self) -> &Freedoms {
        &self.freedoms
    }

    /// Whether it behaves in this way.
    pub(crate) fn behaves(&self, behaviour: Behaviour) -> bool {
        self.freedoms.include(behaviour)
    }

    /// The time in it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether its time passes by `clock.advances` alone.
    pub(crate) const fn has_virtual_clock(&self) -> bool {
        self.clock.is_virtual()
    }

    /// Its merchants.
    pub(crate) const fn merchants(&self) -> &Merchants {
        &self.merchants
    }

    /// Faults placed in its gateway, terminals and transfers.
    pub(crate) const fn faults(&self) -> &Faults<Operation, Refusal> {
        &self.faults
    }

    /// Its QR payments.
    pub(crate) const fn qr(&self) -> &QrPayments {
        &self.qr
    }

    /// Its devices.
    pub(crate) const fn devices(&self) -> &Devices {
        &self.devices
    }

    /// Its outages.
    pub(crate) const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Its notifications.
    pub(crate) const fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// The number of notifications that wait to be sent again.
    pub(crate) fn scheduled(&self) -> usize {
        self.schedule.notifications()
    }

    /// The HTTP status of errors; not shown in the documents, so a setting.
    pub(crate) fn error_status(&self) -> StatusCode {
        StatusCode::from_u16(self.settings.error_status).unwrap_or(StatusCode::OK)
    }

    /// Whether a caller at this address is accepted.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        self.settings.allowed_addresses.as_ref().is_none_or(|allowed| allowed.contains(&address))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Wakes the timekeeper, which finds its world gone.
        self.schedule.clear();
    }
}
