//! The predefined transfer that `test=true` asks for.

use jiff::Timestamp;
use jiff::civil::Date;

use super::{AccountNumber, Kind, Row, Statement, Sums, Transfer};
use crate::base::prague;
use crate::common::{CardType, Currency, Fees, TransId};

/// The sample, as of a day: two payments of the day before, one by card and one from a bank account.
pub(crate) fn transfer(date: Date) -> Transfer {
    let yesterday = date.yesterday().unwrap_or(date);
    let paid = |hour| prague::at(yesterday.at(hour, 30, 0, 0));
    let rows = vec![
        Row { card: Some(CardType::Visa), product: Some("sample-product".into()), ..row(paid(9), 1, "CARD_CZ_CSOB_2", 10_000) },
        row(paid(15), 2, "BANK_CZ_RB", 25_050),
    ];
    let rows: Vec<_> = rows.into_iter().map(|row| Row { fees: Fees::for_amount(row.confirmed, row.card, None), ..row }).collect();
    Transfer {
        id: 1,
        date,
        merchant: "sample".into(),
        counterparty: AccountNumber::plain(0, 0),
        outgoing: AccountNumber::plain(1, 0),
        variable_symbol: 123_456_789,
        currency: Currency::Czk,
        sums: Sums::add_up(&rows),
        rows,
        statement: Statement { number: 1, old_date: date, old_balance: 0 },
    }
}

fn row(paid: Timestamp, number: u32, method: &'static str, confirmed: i64) -> Row {
    Row {
        kind: Kind::Payment,
        created: paid,
        paid,
        id: TransId::from_random(u64::from(number)),
        method,
        product: None,
        label: "Ukázka".into(),
        email: "platce@example.com".into(),
        variable_symbol: u64::from(number),
        ref_id: format!("ukázka-{number}").into(),
        currency: Currency::Czk,
        confirmed,
        fees: Fees::default(),
        card: None,
    }
}
