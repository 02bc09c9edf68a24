//! Opens a world.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::advance::keep_time;
use super::agenda::Agenda;
use super::faults::Faults;
use super::fleet::Fleet;
use super::ledger::Ledger;
use super::merchants::Merchants;
use super::notifier::Notifier;
use super::outages::Outages;
use super::outbox::Outbox;
use super::payouts::Payouts;
use super::qr_desk::QrDesk;
use super::settings::{ClockKind, WorldSettings};
use super::{SettingsError, World};
use crate::base::clock::Clock;
use crate::common::IdGenerator;
use crate::terminal::core::Terminal;

impl World {
    /// Opens a world whose APIs begin at `path`. Has to be called within a Tokio runtime.
    pub(super) fn open(
        name: String,
        path: String,
        settings: WorldSettings,
        notifier: Arc<dyn Notifier>,
    ) -> Result<Arc<Self>, SettingsError> {
        let settings = settings.completed()?;
        let notifier = match settings.trust.as_deref() {
            Some(pem) => notifier.trusting(pem)?,
            None => notifier,
        };
        let ids = id_generator(&name, &settings);
        let merchants = Merchants::new(&settings.merchants)?;
        let world = Arc::new(Self {
            name,
            path,
            clock: clock(&settings),
            qr: QrDesk::new(&ids, settings.keep_finished),
            fleet: Fleet::new(&ids, &merchants, settings.keep_finished)?,
            ids,
            merchants,
            ledger: Ledger::new(settings.keep_finished),
            agenda: Agenda::default(),
            faults: Faults::default(),
            outages: Outages::default(),
            terminal_payments: Mutex::default(),
            terminals: terminals(&settings),
            payouts: Payouts::new(&settings),
            outbox: Outbox::new(settings.keep_finished),
            notifier,
            advancing: tokio::sync::Mutex::new(()),
            settings,
        });
        if !world.clock.is_virtual() {
            keep_time(&world);
        }
        Ok(world)
    }
}

fn clock(settings: &WorldSettings) -> Clock {
    match settings.clock {
        ClockKind::Real => Clock::Real,
        ClockKind::Virtual => Clock::standing_at(settings.start),
    }
}

fn id_generator(name: &str, settings: &WorldSettings) -> IdGenerator {
    match (settings.seed, settings.clock) {
        (Some(seed), _) => IdGenerator::seeded(seed),
        (None, ClockKind::Virtual) => IdGenerator::named(name),
        (None, ClockKind::Real) => IdGenerator::secret(),
    }
}

/// A terminal without a past for each merchant.
fn terminals(settings: &WorldSettings) -> BTreeMap<String, Mutex<Terminal>> {
    let terminal = || Mutex::new(Terminal::new(settings.keep_finished));
    settings.merchants.iter().map(|merchant| (merchant.merchant.clone(), terminal())).collect()
}
