//! The CSV statement of a transfer, as seen in real files: semicolons between values, every value in quotation marks, the
//! headings of the detail without `typ`, amounts with a decimal comma, and a last row of sums that begins with `suma`.
//! UTF-8 without a mark at the beginning, lines end with CR LF.

use std::sync::Arc;

use super::cells::{Cell, KEYS, cells, money};
use super::pages::{Pages, pages};
use crate::transfers::core::Transfer;

/// The media type of the file.
pub(super) const MEDIA_TYPE: &str = "text/csv; charset=UTF-8";

/// Writes the statement.
pub(super) fn write(transfer: Arc<Transfer>) -> Pages {
    let last = transfer.rows.len() + 1;
    pages(move |number, out| {
        match number.checked_sub(1).map(|at| transfer.rows.get(at)) {
            None => line(KEYS.iter().skip(1).copied(), out),
            Some(Some(row)) => row_line(&cells(&transfer, row), out),
            Some(None) if number == last => line(sums(&transfer).iter().map(String::as_str), out),
            Some(None) => return false,
        }
        true
    })
}

fn row_line(cells: &[Cell<'_>; 22], out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    for (at, cell) in cells.iter().enumerate().skip(1) {
        let value = match cell {
            Cell::Integer(number) => digits.format(*number),
            Cell::Text(text) => text,
            Cell::Null => "",
        };
        quoted(value, at > 1, out);
    }
    out.extend(b"\r\n");
}

fn line<'v>(values: impl Iterator<Item = &'v str>, out: &mut Vec<u8>) {
    values.enumerate().for_each(|(at, value)| quoted(value, at > 0, out));
    out.extend(b"\r\n");
}

fn quoted(value: &str, follows: bool, out: &mut Vec<u8>) {
    if follows {
        out.push(b';');
    }
    out.push(b'"');
    for byte in value.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// The last row, by heading.
fn sums(transfer: &Transfer) -> Vec<String> {
    let sums = &transfer.sums;
    let under = |heading: &str| match heading {
        "Merchant" => "suma".to_owned(),
        "Měna" => transfer.currency.as_str().to_owned(),
        "Potvrzená částka" => money(sums.confirmed),
        "Převedená částka" => money(sums.transferred),
        "Poplatek celkem" => money(sums.fees()),
        "Poplatek mezibankovní" => money(sums.interbank),
        "Poplatek asociace" => money(sums.association),
        "Poplatek zpracovatel" => money(sums.processor),
        _ => String::new(),
    };
    KEYS.iter().skip(1).map(|heading| under(heading)).collect()
}
