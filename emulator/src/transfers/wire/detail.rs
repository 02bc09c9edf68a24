//! The detail of a transfer: an array of rows.

use std::sync::Arc;

use super::cells::{Cell, KEYS, Style};
use super::pages::{Pages, pages};
use crate::transfers::core::Transfer;
use crate::wire::{JsonRecord, Record as _};

/// Writes the array.
pub(super) fn write(transfer: Arc<Transfer>, style: Style) -> Pages {
    pages(move |number, out| match style.row_at(&transfer, number) {
        Some(cells) => {
            out.push(if number == 0 { b'[' } else { b',' });
            out.extend(object(cells));
            true
        }
        None if number == style.rows(&transfer) => {
            out.extend(if number == 0 { &b"[]"[..] } else { b"]" });
            true
        }
        None => false,
    })
}

fn object(cells: [Cell<'_>; 22]) -> Vec<u8> {
    let mut record = JsonRecord::with_capacity(1024);
    for (key, cell) in KEYS.iter().zip(cells) {
        match cell {
            Cell::Integer(number) => record.integer(key, number),
            Cell::Text(text) => record.text(key, &text),
            Cell::Null => record.null(key),
        }
    }
    record.into_bytes()
}
