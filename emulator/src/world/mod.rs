//! A world: an isolated universe of merchants, payments, faults, notifications and time.

mod advance;
mod agenda;
mod faults;
mod fill;
mod fleet;
mod ledger;
mod merchants;
mod outages;
mod outbox;
mod payments;
mod payouts;
mod qr;
mod settings;
mod terminal;
mod terminals;
mod worlds;

use std::net::IpAddr;
use std::sync::Arc;

use http::StatusCode;
use jiff::Timestamp;

pub(crate) use advance::AdvanceError;
pub(crate) use faults::{Fault, Faults, Operation, Trouble};
pub(crate) use fleet::{Fleet, Terms};
pub(crate) use outages::{Outage, OutageKind, Outages};
pub(crate) use outbox::{Answer, Attempt, Mail};
pub use settings::{ClockKind, RetrySettings, WorldSettings};
pub(crate) use worlds::{DEFAULT_WORLD, WorldError, Worlds};

pub(crate) use qr::QrDesk;

use crate::clock::Clock;
use crate::delivery::Courier;
use crate::gateway::core::Payment;
use crate::lots::Lots;
use crate::trust::Trust;
use agenda::Agenda;
use ledger::Ledger;
use merchants::Merchants;
use outbox::Outbox;
use payouts::Payouts;
use terminal::TerminalPayments;
use terminals::Terminals;

/// Everything that belongs to one world. No lock in it is held across an `.await`.
pub(crate) struct World {
    name: String,
    settings: WorldSettings,
    clock: Clock,
    lots: Lots,
    merchants: Merchants,
    ledger: Ledger<Payment>,
    qr: QrDesk,
    fleet: Fleet,
    agenda: Agenda,
    faults: Faults,
    outages: Outages,
    terminal_payments: TerminalPayments,
    terminals: Terminals,
    payouts: Payouts,
    outbox: Outbox,
    courier: Courier,
    /// One `clock.advances` at a time.
    turn: tokio::sync::Mutex<()>,
}

impl World {
    /// A new world; the error is a sentence about its settings. Has to be called within a Tokio runtime.
    pub(crate) fn open(name: String, settings: WorldSettings, courier: Courier) -> Result<Arc<Self>, String> {
        let settings = settings.completed()?;
        let courier = match settings.trust.as_deref() {
            Some(pem) => courier.trusting(Trust::in_pem(pem)?),
            None => courier,
        };
        let clock = match settings.clock {
            ClockKind::Real => Clock::Real,
            ClockKind::Virtual => Clock::standing_at(settings.start),
        };
        let lots = match (settings.seed, settings.clock) {
            (Some(seed), _) => Lots::seeded(seed),
            (None, ClockKind::Virtual) => Lots::named(&name),
            (None, ClockKind::Real) => Lots::secret(),
        };
        let merchants = Merchants::new(&settings.merchants)?;
        let world = Arc::new(Self {
            name,
            clock,
            qr: QrDesk::new(&lots, settings.keep_finished),
            fleet: Fleet::new(&lots, &merchants, settings.keep_finished)?,
            lots,
            merchants,
            ledger: Ledger::new(settings.keep_finished),
            agenda: Agenda::default(),
            faults: Faults::default(),
            outages: Outages::default(),
            terminal_payments: TerminalPayments::default(),
            terminals: terminals::of(&settings),
            payouts: Payouts::of(&settings),
            outbox: Outbox::new(settings.keep_finished),
            courier,
            turn: tokio::sync::Mutex::new(()),
            settings,
        });
        if !world.clock.is_virtual() {
            advance::keep_time(&world);
        }
        Ok(world)
    }

    /// Ends the world: its deliveries are aborted, nothing is sent any more.
    pub(crate) fn close(&self) {
        self.outbox.close();
        self.agenda.clear();
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where its APIs begin: nothing for the default world, `/w/{name}` for another.
    pub(crate) fn prefix(&self) -> String {
        if self.name == DEFAULT_WORLD { String::new() } else { format!("/w/{}", self.name) }
    }

    /// What it was opened with.
    pub(crate) const fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// The time in it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Its merchants.
    pub(crate) const fn merchants(&self) -> &Merchants {
        &self.merchants
    }

    /// Faults placed in it.
    pub(crate) const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Its QR payments.
    pub(crate) const fn qr(&self) -> &QrDesk {
        &self.qr
    }

    /// Its devices.
    pub(crate) const fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// Its outages.
    pub(crate) const fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Its notifications.
    pub(crate) const fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// How many retries wait for their time.
    pub(crate) fn scheduled(&self) -> usize {
        self.agenda.deliveries()
    }

    /// HTTP status of errors; not shown in the documents, so a setting.
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
        self.agenda.clear();
    }
}
