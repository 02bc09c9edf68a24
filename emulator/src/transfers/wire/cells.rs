//! The row of a transfer as the document shows it: 22 keys, exact, with their diacritics.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::base::prague;
use crate::transfers::core::{Kind, Row, Transfer};

/// A value in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell<'a> {
    /// A number.
    Integer(i64),
    /// Text; amounts and dates are text too.
    Text(Cow<'a, str>),
    /// Nothing, where the document allows it.
    Null,
}

/// The keys of a row, in the order of the document; the first, `typ`, is in the detail only.
pub(super) const KEYS: [&str; 22] = [
    "typ",
    "Merchant",
    "Datum založení",
    "Datum zaplacení",
    "Datum převodu",
    "Měsíc fakturace",
    "ID Service",
    "Metoda",
    "Produkt",
    "Popis",
    "E-mail plátce",
    "Variabilní symbol plátce",
    "Variabilní symbol převodu",
    "ID od klienta",
    "Měna",
    "Potvrzená částka",
    "Převedená částka",
    "Poplatek celkem",
    "Poplatek mezibankovní",
    "Poplatek asociace",
    "Poplatek zpracovatel",
    "Typ karty",
];

/// What the document leaves open about rows, in the detail and in CSV.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    /// Amounts have four decimals, not two.
    pub(super) four_decimals: bool,
    /// A row of the monthly fee comes before those of the payments.
    pub(super) fee_first: bool,
}

impl Style {
    /// Minor units as a decimal number with a comma.
    pub(super) fn money(self, minor: i64) -> String {
        money(minor) + if self.four_decimals { "00" } else { "" }
    }

    /// What is at this place of a statement, if anything is.
    pub(super) fn row_at(self, transfer: &Transfer, number: usize) -> Option<[Cell<'_>; 22]> {
        match number.checked_sub(usize::from(self.fee_first)) {
            None => Some(monthly_fee(transfer, self)),
            Some(at) => transfer.rows.get(at).map(|row| cells(transfer, row, self)),
        }
    }

    /// How many rows there are.
    pub(super) fn rows(self, transfer: &Transfer) -> usize {
        transfer.rows.len() + usize::from(self.fee_first)
    }
}

/// The `typ` of a monthly fee.
const MONTHLY_FEE: i64 = 3;

/// A row that is no payment: a monthly fee of nothing, which leaves every sum as it is.
fn monthly_fee(transfer: &Transfer, style: Style) -> [Cell<'_>; 22] {
    KEYS.map(|key| match key {
        "typ" => Cell::Integer(MONTHLY_FEE),
        "Merchant" => text(&transfer.merchant),
        "Datum převodu" => written(transfer.date.to_string()),
        "Variabilní symbol převodu" => written(symbol(transfer)),
        "Měna" => text(transfer.currency.as_str()),
        "Měsíc fakturace" | "Produkt" => Cell::Null,
        key if key.starts_with("Poplatek") || key.ends_with("částka") => written(style.money(0)),
        _ => text(""),
    })
}

/// The values of a row, in the order of the keys.
fn cells<'r>(transfer: &'r Transfer, row: &'r Row, style: Style) -> [Cell<'r>; 22] {
    [
        Cell::Integer(row.kind as i64),
        text(&transfer.merchant),
        written(date_time(row.created)),
        written(date_time(row.paid)),
        written(transfer.date.to_string()),
        accounting_month(row),
        written(String::from_utf8_lossy(&row.id.digits()).into_owned()),
        text(row.method),
        row.product.as_deref().map_or(Cell::Null, text),
        text(&row.label),
        text(&row.email),
        written(row.variable_symbol.to_string()),
        written(symbol(transfer)),
        text(&row.ref_id),
        text(row.currency.as_str()),
        written(style.money(row.confirmed)),
        written(style.money(row.transferred())),
        written(style.money(row.fees.total())),
        written(style.money(row.fees.interbank)),
        written(style.money(row.fees.association)),
        written(style.money(row.fees.processor)),
        text(row.card.map(|card| card.as_str()).unwrap_or_default()),
    ]
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(Cow::Borrowed(text))
}

fn written(text: String) -> Cell<'static> {
    Cell::Text(Cow::Owned(text))
}

/// "Accounting month of the payment", 1 to 12. A refund costs nothing, so no month has to account for it.
fn accounting_month(row: &Row) -> Cell<'static> {
    match row.kind {
        Kind::Payment => Cell::Integer(i64::from(prague::date(row.paid).month())),
        Kind::Refund => Cell::Null,
    }
}

/// The variable symbol of a transfer, ten digits.
pub(super) fn symbol(transfer: &Transfer) -> String {
    format!("{:010}", transfer.variable_symbol)
}

/// Minor units as a decimal number with a comma.
fn money(minor: i64) -> String {
    let (sign, minor) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    format!("{sign}{},{:02}", minor / 100, minor % 100)
}

/// `YYYY-MM-DD HH:MM:SS` in Prague.
fn date_time(at: Timestamp) -> String {
    let shown = prague::date_time(at);
    format!("{} {:02}:{:02}:{:02}", shown.date(), shown.hour(), shown.minute(), shown.second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_two_digits_after_a_comma() {
        for (minor, shown) in [(0, "0,00"), (5, "0,05"), (-5, "-0,05"), (123_456, "1234,56"), (-100, "-1,00")] {
            assert_eq!(money(minor), shown);
        }
    }

    #[test]
    fn four_decimals_are_the_same_amount() {
        let style = Style { four_decimals: true, ..Style::default() };
        assert_eq!((style.money(-123_456).as_str(), Style::default().money(5).as_str()), ("-1234,5600", "0,05"));
    }

    #[test]
    fn times_are_those_of_prague() {
        assert_eq!(date_time("2026-01-15T23:00:07Z".parse().unwrap()), "2026-01-16 00:00:07");
        assert_eq!(date_time("2026-07-15T22:59:59.9Z".parse().unwrap()), "2026-07-16 00:59:59");
    }
}
