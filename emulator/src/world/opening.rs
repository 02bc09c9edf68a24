//! Opens a world.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jiff::SignedDuration;

use super::advance::keep_time;
use super::devices::Devices;
use super::faults::Faults;
use super::merchants::Merchants;
use super::notifier::Notifier;
use super::outages::Outages;
use super::outbox::Outbox;
use super::payer_mail::PayerMail;
use super::payment_store::PaymentStore;
use super::payouts::Payouts;
use super::qr_store::QrPayments;
use super::schedule::Schedule;
use super::settings::{ClockKind, WorldSettings};
use super::{SettingsError, World};
use crate::base::clock::Clock;
use crate::common::IdGenerator;
use crate::common::freedoms::{Behaviour, FreedomSettings, Freedoms};
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
        let freedoms = Freedoms::choose(settings.freedoms.as_ref().unwrap_or(&FreedomSettings::default()))?;
        let notifier = match settings.trust.as_deref() {
            Some(pem) => notifier.trusting(pem)?,
            None => notifier,
        };
        let ids = id_generator(&name, &settings);
        let merchants = Merchants::new(&settings.merchants)?;
        let world = Arc::new(Self {
            name,
            path,
            clock: clock(&settings, &freedoms),
            qr: QrPayments::new(&ids, settings.keep_finished),
            devices: Devices::new(&ids, &merchants, settings.keep_finished)?,
            ids,
            merchants,
            payments: PaymentStore::new(settings.keep_finished),
            schedule: Schedule::default(),
            faults: Faults::default(),
            outages: Outages::default(),
            terminal_payments: Mutex::default(),
            terminals: terminals(&settings, &freedoms),
            payouts: Payouts::new(&settings),
            outbox: Outbox::new(settings.keep_finished),
            payer_mail: PayerMail::new(settings.keep_finished),
            notifier,
            advancing: tokio::sync::Mutex::new(()),
            settings,
            freedoms,
        });
        if !world.clock.is_virtual() {
            keep_time(&world);
        }
        Ok(world)
    }
}

/// A virtual clock may go two minutes wrong.
fn clock(settings: &WorldSettings, freedoms: &Freedoms) -> Clock {
    const SKEW: SignedDuration = SignedDuration::from_mins(2);
    // A world that states its time has it.
    let stated = settings.start != WorldSettings::default().start;
    let skewed = match settings.clock {
        ClockKind::Real => return Clock::Real,
        ClockKind::Virtual if stated => return Clock::standing_at(settings.start),
        ClockKind::Virtual if freedoms.include(Behaviour::ClockAhead) => settings.start.checked_add(SKEW),
        ClockKind::Virtual if freedoms.include(Behaviour::ClockBehind) => settings.start.checked_sub(SKEW),
        ClockKind::Virtual => return Clock::standing_at(settings.start),
    };
    Clock::standing_at(skewed.unwrap_or(settings.start))
}

fn id_generator(name: &str, settings: &WorldSettings) -> IdGenerator {
    match (settings.seed, settings.clock) {
        (Some(seed), _) => IdGenerator::seeded(seed),
        (None, ClockKind::Virtual) => IdGenerator::named(name),
        (None, ClockKind::Real) => IdGenerator::secret(),
    }
}

/// A terminal without a past for each merchant.
fn terminals(settings: &WorldSettings, freedoms: &Freedoms) -> BTreeMap<String, Mutex<Terminal>> {
    let netted = freedoms.include(Behaviour::ClosingReversalsNetted);
    let terminal = || Mutex::new(Terminal::new(settings.keep_finished).netting(netted));
    settings.merchants.iter().map(|merchant| (merchant.merchant.clone(), terminal())).collect()
}
