//! Fills a world with many payments at once, as if a busy day had passed.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::World;
use crate::base::mix::mix;
use crate::base::prague;
use crate::common::{Currency, Identifiers, Merchant, Movement, Source};
use crate::gateway::core::creation::Mode;
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Creation, Interface, Payment, Violation, create};

/// Goods, with an identifier and a price in whole units of money.
const GOODS: [(&str, &str, u64); 8] = [
    ("Žluté boty", "boty-38", 1_290),
    ("Kniha", "kniha", 349),
    ("Jízdní kolo", "kolo-21", 18_900),
    ("Hrnek", "hrnek", 199),
    ("Předplatné", "predplatne-12", 990),
    ("Vstupenka \"A\"", "vstupenka;A", 450),
    ("Čaj", "caj-100", 129),
    ("Dárkový poukaz", "poukaz", 500),
];

/// People, and their mailbox.
const PEOPLE: [(&str, &str); 8] = [
    ("Jan Novák", "jan.novak"),
    ("Eva Svobodová", "eva.svobodova"),
    ("Jiří Dvořák", "jiri.dvorak"),
    ("Šárka Němcová", "sarka.nemcova"),
    ("Ondřej Kříž", "ondrej.kriz"),
    ("Zdeňka Růžičková", "zdenka.ruzickova"),
    ("Ľubomír Ďurica", "lubomir.durica"),
    ("Anna Łukasz", "anna.lukasz"),
];

impl World {
    /// Makes paid production payments of a merchant, created and paid in the course of today. No notifications are sent.
    pub(crate) fn fill(&self, merchant: &Arc<Merchant>, payments: u32, currency: Currency) -> Result<(), Violation> {
        for _ in 0..payments {
            let movement = self.add_paid(merchant, currency)?;
            self.note_movement(merchant.id(), movement);
        }
        Ok(())
    }

    /// Adds one such payment; its money is in no book yet.
    pub(super) fn add_paid(&self, merchant: &Arc<Merchant>, currency: Currency) -> Result<Movement, Violation> {
        let now = self.now();
        let morning = prague::at(prague::date(now).into());
        let (payment, paid) = sample_payment(merchant, currency, self.ids.draw(), morning, now)?;
        let id = self.add_payment(payment);
        self.payments.finish(id);
        Ok(Movement { source: Source::Gateway(id), number: 0, at: paid })
    }
}

/// Makes up a payment from its identifiers, and when it was paid.
fn sample_payment(
    merchant: &Arc<Merchant>,
    currency: Currency,
    ids: Identifiers,
    morning: Timestamp,
    now: Timestamp,
) -> Result<(Payment, Timestamp), Violation> {
    let mut state = ids.id.number();
    let mut draw = |sides: u64| {
        state = mix(state);
        state % sides.max(1)
    };
    let (label, name, units) = one_of(&GOODS, draw(8));
    let (full_name, mailbox) = one_of(&PEOPLE, draw(8));
    let price = i64::try_from(units * 100 + draw(100) * 100 + draw(4) * 25).unwrap_or_default();
    let elapsed = u64::try_from(now.duration_since(morning).as_secs()).unwrap_or_default();
    let created = later(morning, draw(elapsed + 1));
    let paid = later(created, draw(600)).min(now);
    let email = format!("{mailbox}{}@example.com", ids.sequence % 1_000);
    let ref_id = format!("{:010}", ids.sequence + 2_600_000_000);
    let request = Creation {
        mode: Mode::Background,
        country: Some(country_of(currency)),
        price: Some(if currency.is_whole(price) { price } else { price / 100 * 100 }),
        curr: Some(currency.as_str()),
        label: Some(label),
        ref_id: Some(&ref_id),
        method: Some("ALL"),
        email: Some(&email),
        full_name: Some(full_name),
        name: (draw(3) > 0).then_some(name),
        ..Creation::default()
    };
    let mut payment = create(&request, Interface::V2, merchant, ids, created)?;
    let methods = u64::try_from(payment.order.methods.methods().count()).unwrap_or(1);
    let method = payment.order.methods.methods().nth(usize::try_from(draw(methods)).unwrap_or_default());
    payment.pay(Payer { method, ..Payer::default() }, paid)?;
    Ok((payment, paid))
}

fn one_of<T: Copy + Default, const N: usize>(table: &[T; N], drawn: u64) -> T {
    usize::try_from(drawn).ok().and_then(|at| table.get(at).copied()).unwrap_or_default()
}

fn later(at: Timestamp, seconds: u64) -> Timestamp {
    at.saturating_add(SignedDuration::from_secs(i64::try_from(seconds).unwrap_or_default())).unwrap_or(Timestamp::MAX)
}

/// A country that goes with the currency.
const fn country_of(currency: Currency) -> &'static str {
    match currency {
        Currency::Czk => "CZ",
        Currency::Eur => "SK",
        Currency::Pln => "PL",
        Currency::Huf | Currency::Usd | Currency::Gbp | Currency::Ron | Currency::Nok | Currency::Sek => "ALL",
    }
}
