//! Rows and transfers for tests, and ways to make them up.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::common::{CardType, Currency, Fees, TransId};

pub(crate) fn noon() -> Timestamp {
    "2026-01-15T12:00:00Z".parse().unwrap()
}

pub(crate) fn row(confirmed: i64) -> Row {
    Row {
        kind: if confirmed < 0 { Kind::Refund } else { Kind::Payment },
        created: noon(),
        paid: noon(),
        id: TransId::from_digits("AB12CD34EF56").unwrap(),
        method: "CARD_CZ_CSOB_2",
        product: None,
        label: "Žluté boty".into(),
        email: "jan@example.com".into(),
        variable_symbol: 42,
        ref_id: "2026001".into(),
        currency: Currency::Czk,
        confirmed,
        fees: if confirmed < 0 { Fees::default() } else { Fees::for_amount(confirmed, Some(CardType::Visa), None) },
        card: Some(CardType::Visa),
    }
}

/// The first transfer to a merchant, of these rows.
pub(crate) fn transfer(rows: Vec<Row>) -> Transfer {
    let payee = Payee { currency: Currency::Czk, account: Some("19-2000145399/0800".into()) };
    let transfer = AccountBook::new(None).transfer("100001", "2026-01-16".parse().unwrap(), payee, rows, 100_001);
    Transfer::clone(&transfer)
}

/// Any row, with any text.
pub(crate) fn any_row() -> impl Strategy<Value = Row> {
    let money = (any::<bool>(), 1..100_000_000_i64, any::<u64>(), any::<bool>());
    (money, ".{0,24}", ".{1,16}", proptest::option::of(".{0,8}"), 0..86_400_i64).prop_map(|(money, ref_id, label, product, second)| {
        let (back, amount, symbol, by_card) = money;
        let card = by_card.then(|| CardType::for_symbol(symbol));
        let row = row(if back { -amount } else { amount });
        Row {
            fees: if back { Fees::default() } else { Fees::for_amount(amount, card, None) },
            paid: noon() + SignedDuration::from_secs(second),
            id: TransId::from_random(symbol),
            variable_symbol: symbol % 10_000_000_000,
            ref_id: ref_id.into(),
            label: label.into(),
            product: product.map(Box::from),
            card,
            ..row
        }
    })
}
