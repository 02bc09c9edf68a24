//! The detail of a transfer: an array of rows.

use std::sync::Arc;

use super::cells::{Cell, KEYS, cells};
use super::pages::{Pages, pages};
use crate::transfers::core::{Row, Transfer};
use crate::wire::{JsonRecord, Record as _};

/// Writes the array.
pub(super) fn write(transfer: Arc<Transfer>) -> Pages {
    pages(move |number, out| match transfer.rows.get(number) {
        Some(row) => {
            out.push(if number == 0 { b'[' } else { b',' });
            out.extend(object(&transfer, row));
            true
        }
        None if number == transfer.rows.len() => {
            out.extend(if number == 0 { &b"[]"[..] } else { b"]" });
            true
        }
        None => false,
    })
}

fn object(transfer: &Transfer, row: &Row) -> Vec<u8> {
    let mut record = JsonRecord::with_capacity(1024);
    for (key, cell) in KEYS.iter().zip(cells(transfer, row)) {
        match cell {
            Cell::Integer(number) => record.integer(key, number),
            Cell::Text(text) => record.text(key, &text),
            Cell::Null => record.null(key),
        }
    }
    record.into_bytes()
}
