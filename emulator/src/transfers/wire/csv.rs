//! The CSV statement of a transfer, as seen in real files: semicolons between values, every value in quotation marks, the
//! headings of the detail without `typ`, amounts with a decimal comma, and a last row of sums that begins with `suma`.
//! UTF-8 without a mark at the beginning, lines end with CR LF.

use std::sync::Arc;

use super::cells::{Cell, KEYS, Style};
use super::pages::{Pages, pages};
use crate::transfers::core::Transfer;

/// The media type of the file.
pub(super) const MEDIA_TYPE: &str = "text/csv; charset=UTF-8";

/// Writes the statement.
pub(super) fn write(transfer: Arc<Transfer>, layout: Layout) -> Pages {
    let Layout { quotes, style } = layout;
    let last = style.rows(&transfer) + 1;
    pages(move |number, out| {
        match number.checked_sub(1).map(|at| style.row_at(&transfer, at)) {
            None => quotes.line(KEYS.iter().skip(1).copied(), out),
            Some(Some(cells)) => quotes.row_line(&cells, out),
            Some(None) if number == last => quotes.line(sums(&transfer, style).iter().map(String::as_str), out),
            Some(None) => return false,
        }
        true
    })
}

/// How a statement is written; the documents don't show it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) quotes: Quotes,
    pub(super) style: Style,
}

/// How values and lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Every value in quotation marks, lines end with CR LF.
    #[default]
    Quoted,
    /// Quotation marks where they are needed, lines end with LF.
    Plain,
}

impl Quotes {
    fn row_line(self, cells: &[Cell<'_>; 22], out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        for (at, cell) in cells.iter().enumerate().skip(1) {
            let value = match cell {
                Cell::Integer(number) => digits.format(*number),
                Cell::Text(text) => text,
                Cell::Null => "",
            };
            self.value(value, at > 1, out);
        }
        out.extend(self.end());
    }

    fn line<'v>(self, values: impl Iterator<Item = &'v str>, out: &mut Vec<u8>) {
        values.enumerate().for_each(|(at, value)| self.value(value, at > 0, out));
        out.extend(self.end());
    }

    const fn end(self) -> &'static [u8] {
        match self {
            Self::Quoted => b"\r\n",
            Self::Plain => b"\n",
        }
    }

    fn value(self, value: &str, follows: bool, out: &mut Vec<u8>) {
        if follows {
            out.push(b';');
        }
        match self {
            Self::Plain if !value.contains(['"', ';', '\r', '\n']) => out.extend(value.bytes()),
            Self::Plain | Self::Quoted => quoted(value, out),
        }
    }
}

fn quoted(value: &str, out: &mut Vec<u8>) {
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
fn sums(transfer: &Transfer, style: Style) -> Vec<String> {
    let sums = &transfer.sums;
    let under = |heading: &str| match heading {
        "Merchant" => "suma".to_owned(),
        "Měna" => transfer.currency.as_str().to_owned(),
        "Potvrzená částka" => style.money(sums.confirmed),
        "Převedená částka" => style.money(sums.transferred),
        "Poplatek celkem" => style.money(sums.fees()),
        "Poplatek mezibankovní" => style.money(sums.interbank),
        "Poplatek asociace" => style.money(sums.association),
        "Poplatek zpracovatel" => style.money(sums.processor),
        _ => String::new(),
    };
    KEYS.iter().skip(1).map(|heading| under(heading)).collect()
}
