//! The ABO statement of a transfer (`.gpc`): the format Czech and Slovak banks exchange account statements in. Lines of
//! 128 characters and CR LF; numbers are filled with zeros from the left, text with spaces from the right. Characters, not
//! bytes: in UTF-8 a letter with a diacritic takes two.
//!
//! First one record of the account, 074. It shows the account the merchant is paid out to as the bookkeeping sees it: each
//! statement opens with the balance the one before has left, and closes with what this transfer adds.
//!
//! | positions | field | here |
//! | --- | --- | --- |
//! | 1–3 | type of record | `074` |
//! | 4–19 | account | prefix (6) and number (10) of `accountCounterparty` |
//! | 20–39 | name of the client, shortened | `Účet obchodu` and the merchant |
//! | 40–45 | date of the old balance, `ddmmyy` | of the statement before; of the first one, its own |
//! | 46–59, 60 | old balance and its sign | `+` or `-` |
//! | 61–74, 75 | new balance and its sign | old balance + credits − debits |
//! | 76–89, 90 | turnover of debits and its sign | fees and refunds; the sign is `0`, reversals don't occur |
//! | 91–104, 105 | turnover of credits and its sign | payments; likewise |
//! | 106–108 | number of the statement | from 1, modulo 1000 |
//! | 109–114 | date of posting, `ddmmyy` | of the transfer |
//! | 115–128 | filler | spaces |
//!
//! Then records of items, 075, in the order of payment. A payment is a credit, a refund a debit, a fee a debit. In v1 the
//! fee of a payment follows it in a record of its own, with its symbols; in v2 one record at the end has all of them. There
//! is no record of a fee of nothing.
//!
//! | positions | field | here |
//! | --- | --- | --- |
//! | 1–3 | type of record | `075` |
//! | 4–19 | account | as above |
//! | 20–35 | counter account | prefix and number of `accountOutgoing` |
//! | 36–48 | number of the document | digits only, as the format asks: the number of the transfer (7) and of the payment in it (6), which a fee shares; zero for the summed fee |
//! | 49–60 | amount | minor units |
//! | 61 | code of posting | `1` debit, `2` credit |
//! | 62–71 | variable symbol | of the payment; of the summed fee, of the transfer |
//! | 72–81 | constant symbol | two zeros, the bank (4) of `accountOutgoing`, `0000` |
//! | 82–91 | specific symbol | variable symbol of the transfer |
//! | 92–97 | value date, `ddmmyy` | of the transfer |
//! | 98–117 | detail | `ID od klienta`; of a fee what it is for |
//! | 118 | code of change | `0` |
//! | 119–122 | type of data | the currency by ISO 4217: `0203` is CZK, `0978` EUR |
//! | 123–128 | due date, `ddmmyy` | of the payment, in Prague |

use std::sync::Arc;

use encoding_rs::WINDOWS_1250;
use jiff::civil::Date;

use super::pages::{Pages, pages};
use crate::base::prague;
use crate::base::wire_enum::wire_enum;
use crate::common::Currency;
use crate::transfers::core::{Row, Transfer};

wire_enum! {
    /// How fees are listed.
    pub(super) enum FeeRows {
        /// "Fees listed per payment."
        V1 = "v1",
        /// "One summed fee row."
        V2 = "v2",
    }
}

wire_enum! {
    /// How the text is encoded.
    pub(super) enum Encoding {
        Utf8 = "utf8",
        Win1250 = "win1250",
    }
}

impl Encoding {
    /// The media type of the file.
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Utf8 => "text/plain; charset=UTF-8",
            Self::Win1250 => "text/plain; charset=windows-1250",
        }
    }

    fn append(self, letter: char, out: &mut Vec<u8>) {
        let mut utf8 = [0; 4];
        let text: &str = letter.encode_utf8(&mut utf8);
        if self == Self::Utf8 || letter.is_ascii() {
            out.extend(text.as_bytes());
            return;
        }
        let mut byte = [0; 1];
        let (_, _, written) = WINDOWS_1250.new_encoder().encode_from_utf8_without_replacement(text, &mut byte, true);
        out.push(if written == 1 { byte[0] } else { b'?' });
    }
}

/// Debit or credit.
#[derive(Debug, Clone, Copy)]
enum Posting {
    Debit = 1,
    Credit = 2,
}

/// An item, before it becomes a record.
struct Item<'a> {
    /// The number of the payment within the transfer, from 1; zero for a record that belongs to none.
    document: usize,
    amount: i64,
    posting: Posting,
    variable_symbol: u64,
    detail: &'a str,
    due: Date,
}

/// Writes the statement.
pub(super) fn write(transfer: Arc<Transfer>, fee_rows: FeeRows, encoding: Encoding) -> Pages {
    let last = transfer.rows.len() + 1;
    pages(move |number, out| {
        let writer = Writer { transfer: &transfer, encoding };
        match number.checked_sub(1).map(|at| transfer.rows.get(at)) {
            None => writer.account(out),
            Some(Some(row)) => writer.row(number, row, fee_rows, out),
            Some(None) if number == last => writer.summed_fee(fee_rows, out),
            Some(None) => return false,
        }
        true
    })
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    transfer: &'a Transfer,
    encoding: Encoding,
}

impl Writer<'_> {
    fn account(self, out: &mut Vec<u8>) {
        let transfer = self.transfer;
        let (debits, credits) = (transfer.sums.went_back + transfer.sums.fees(), transfer.sums.came);
        out.extend(b"074");
        digits(out, 16, transfer.counterparty.abo_digits());
        self.text(out, 20, &format!("Účet obchodu {}", transfer.merchant));
        date(out, transfer.statement.old_date);
        for balance in [transfer.statement.old_balance, transfer.new_balance()] {
            digits(out, 14, balance.unsigned_abs());
            out.push(if balance < 0 { b'-' } else { b'+' });
        }
        for turnover in [debits, credits] {
            digits(out, 14, turnover.unsigned_abs());
            out.push(b'0');
        }
        digits(out, 3, u64::from(transfer.statement.number) % 1000);
        date(out, transfer.date);
        self.text(out, 14, "");
        out.extend(b"\r\n");
    }

    fn row(self, number: usize, row: &Row, fee_rows: FeeRows, out: &mut Vec<u8>) {
        let item = Item {
            document: number,
            amount: row.confirmed,
            posting: if row.confirmed < 0 { Posting::Debit } else { Posting::Credit },
            variable_symbol: row.variable_symbol,
            detail: &row.ref_id,
            due: prague::date(row.paid),
        };
        let fee = Item { amount: row.fees.total(), posting: Posting::Debit, detail: "Poplatek z platby", ..item };
        self.item(&item, out);
        if fee_rows == FeeRows::V1 && fee.amount != 0 {
            self.item(&fee, out);
        }
    }

    fn summed_fee(self, fee_rows: FeeRows, out: &mut Vec<u8>) {
        let (transfer, amount) = (self.transfer, self.transfer.sums.fees());
        if fee_rows == FeeRows::V1 || amount == 0 {
            return;
        }
        let variable_symbol = transfer.variable_symbol;
        let due = transfer.date;
        self.item(&Item { document: 0, amount, posting: Posting::Debit, variable_symbol, detail: "Poplatky úhrnem", due }, out);
    }

    fn item(self, item: &Item<'_>, out: &mut Vec<u8>) {
        let transfer = self.transfer;
        out.extend(b"075");
        digits(out, 16, transfer.counterparty.abo_digits());
        digits(out, 16, transfer.outgoing.abo_digits());
        digits(out, 7, transfer.id);
        digits(out, 6, u64::try_from(item.document).unwrap_or_default());
        digits(out, 12, item.amount.unsigned_abs());
        digits(out, 1, item.posting as u64);
        digits(out, 10, item.variable_symbol);
        digits(out, 6, u64::from(transfer.outgoing.bank()));
        digits(out, 4, 0);
        digits(out, 10, transfer.variable_symbol);
        date(out, transfer.date);
        self.text(out, 20, item.detail);
        out.push(b'0');
        digits(out, 4, numeric_code(transfer.currency));
        date(out, item.due);
        out.extend(b"\r\n");
    }

    /// Text, cut or filled to its width. A control character would break the record.
    fn text(self, out: &mut Vec<u8>, width: usize, text: &str) {
        let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        letters.chain(std::iter::repeat(' ')).take(width).for_each(|letter| self.encoding.append(letter, out));
    }
}

/// A number, padded with zeros. One that does not fit loses its first digits, as the field has no room for them.
fn digits(out: &mut Vec<u8>, width: usize, number: u64) {
    let (start, mut rest) = (out.len(), number);
    out.resize(start + width, b'0');
    for digit in out.iter_mut().skip(start).rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
}

/// `ddmmyy`
fn date(out: &mut Vec<u8>, date: Date) {
    for part in [i64::from(date.day()), i64::from(date.month()), i64::from(date.year()).rem_euclid(100)] {
        digits(out, 2, part.unsigned_abs());
    }
}

/// ISO 4217, the number.
const fn numeric_code(currency: Currency) -> u64 {
    match currency {
        Currency::Czk => 203,
        Currency::Eur => 978,
        Currency::Pln => 985,
        Currency::Huf => 348,
        Currency::Usd => 840,
        Currency::Gbp => 826,
        Currency::Ron => 946,
        Currency::Nok => 578,
        Currency::Sek => 752,
    }
}

#[cfg(test)]
mod tests;
