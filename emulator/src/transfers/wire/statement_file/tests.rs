//! For any transfer, the detail, the CSV and the ABO statement agree, and read back.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use crate::transfers::core::examples::{any_row, row, transfer};
use crate::transfers::core::{Row, Transfer};
use crate::transfers::wire::abo::{self, Encoding, FeeRows};
use crate::transfers::wire::cells::{KEYS, Style};
use crate::transfers::wire::pages::Pages;
use crate::transfers::wire::{csv, detail};

fn text(pages: Pages) -> String {
    String::from_utf8(pages.flatten().collect()).unwrap()
}

fn shown(transfer: &Transfer) -> Vec<serde_json::Map<String, Value>> {
    serde_json::from_str(&text(detail::write(Arc::new(transfer.clone()), Style::default()))).unwrap()
}

/// A reader of CSV with every value in quotation marks.
fn read_csv(mut text: &str) -> Vec<Vec<String>> {
    let mut lines = vec![vec![]];
    while let Some(rest) = text.strip_prefix('"') {
        let end = (0..)
            .scan(0, |from, _| {
                let at = rest[*from..].find('"')? + *from;
                *from = at + 2;
                Some(at)
            })
            .find(|at| !rest[at + 1..].starts_with('"'))
            .unwrap();
        lines.last_mut().unwrap().push(rest[..end].replace("\"\"", "\""));
        text = &rest[end + 1..];
        if let Some(rest) = text.strip_prefix(';') {
            text = rest;
        } else {
            text = text.strip_prefix("\r\n").unwrap();
            lines.push(vec![]);
        }
    }
    assert_eq!((text, lines.pop()), ("", Some(vec![])));
    lines
}

fn minor(shown: &str) -> i64 {
    let (whole, part) = shown.split_once(',').unwrap();
    assert_eq!(part.len(), 2);
    format!("{whole}{part}").parse().unwrap()
}

struct Item {
    credit: bool,
    amount: i64,
    symbol: u64,
    document: String,
}

fn read_abo(text: &str) -> (Vec<i64>, Vec<Item>) {
    let at = |line: &str, from: usize, to: usize| line.chars().skip(from - 1).take(to - from + 1).collect::<String>();
    let lines: Vec<_> = text.split_terminator("\r\n").collect();
    assert!(text.ends_with("\r\n") && lines.iter().all(|line| line.chars().count() == 128));
    let signed = |from: usize| {
        let amount: i64 = at(lines[0], from, from + 13).parse().unwrap();
        if at(lines[0], from + 14, from + 14) == "-" { -amount } else { amount }
    };
    let items = lines[1..].iter().map(|line| {
        assert_eq!(at(line, 1, 3), "075");
        Item {
            credit: at(line, 61, 61) == "2",
            amount: at(line, 49, 60).parse().unwrap(),
            symbol: at(line, 62, 71).parse().unwrap(),
            document: at(line, 36, 48),
        }
    });
    (vec![signed(46), signed(61), signed(76), signed(91)], items.collect())
}

proptest! {
    #[test]
    fn the_detail_has_exactly_the_documented_keys_and_its_fees_add_up(rows in prop::collection::vec(any_row(), 0..20)) {
        let transfer = transfer(rows);
        for object in shown(&transfer) {
            prop_assert!(object.keys().eq(KEYS));
            let of = |key: &str| minor(object[key].as_str().unwrap());
            let fees = of("Poplatek mezibankovní") + of("Poplatek asociace") + of("Poplatek zpracovatel");
            prop_assert_eq!(of("Poplatek celkem"), fees);
            prop_assert_eq!(of("Převedená částka"), of("Potvrzená částka") - fees);
            for (key, value) in &object {
                let fits = match key.as_str() {
                    "typ" => value.is_i64(),
                    "Měsíc fakturace" => value.is_i64() || value.is_null(),
                    "Produkt" => value.is_string() || value.is_null(),
                    _ => value.is_string(),
                };
                prop_assert!(fits, "{}: {}", key, value);
            }
        }
    }

    #[test]
    fn the_csv_reads_back_to_the_detail_and_ends_with_sums(rows in prop::collection::vec(any_row(), 0..20)) {
        let transfer = transfer(rows);
        let details = shown(&transfer);
        let mut lines = read_csv(&text(csv::write(Arc::new(transfer), csv::Layout::default())));
        prop_assert_eq!(lines.remove(0), &KEYS[1..]);
        let sums = lines.pop().unwrap();
        prop_assert_eq!(lines.len(), details.len());
        for (line, object) in lines.iter().zip(&details) {
            let shown = object.values().skip(1).map(|value| match value {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            });
            prop_assert!(line.iter().cloned().eq(shown));
        }
        prop_assert_eq!(&sums[0], "suma");
        for (at, key) in KEYS[1..].iter().enumerate().filter(|(_, key)| key.contains("částka") || key.contains("Poplatek")) {
            prop_assert_eq!(minor(&sums[at]), lines.iter().map(|line| minor(&line[at])).sum::<i64>(), "{}", key);
        }
    }

    #[test]
    fn the_abo_statement_adds_up_in_both_types(rows in prop::collection::vec(any_row(), 0..20), summed: bool) {
        let transfer = transfer(rows);
        let fee_rows = if summed { FeeRows::V2 } else { FeeRows::V1 };
        let (header, items) = read_abo(&text(abo::write(Arc::new(transfer.clone()), fee_rows, Encoding::Utf8)));
        let side = |credit| items.iter().filter(|item| item.credit == credit).map(|item| item.amount).sum::<i64>();
        prop_assert_eq!(header, [0, transfer.sums.transferred, side(false), side(true)]);
        prop_assert_eq!(side(true) - side(false), transfer.sums.transferred);
        for (number, row) in transfer.rows.iter().enumerate() {
            let document = format!("{:07}{:06}", transfer.id, number + 1);
            let item = items.iter().find(|item| item.document == document && item.amount == row.confirmed.abs()).unwrap();
            prop_assert_eq!((item.credit, item.symbol), (row.confirmed > 0, row.variable_symbol));
        }
        let fees = transfer.rows.iter().filter(|row| row.fees.total() != 0).count();
        prop_assert_eq!(items.len(), transfer.rows.len() + if summed { fees.min(1) } else { fees });
    }

    #[test]
    fn windows_1250_has_records_of_130_bytes(rows in prop::collection::vec(any_row(), 0..20)) {
        let bytes: Vec<u8> = abo::write(Arc::new(transfer(rows)), FeeRows::V1, Encoding::Win1250).flatten().collect();
        prop_assert!(bytes.chunks(130).all(|record| record.ends_with(b"\r\n") && record.starts_with(b"07")));
    }
}

#[test]
fn a_row_has_the_form_of_the_document() {
    let shown = shown(&transfer(vec![Row { product: Some("boty;\"38\"".into()), ..row(123_456) }]));
    let expected = serde_json::json!({
        "typ": 1, "Merchant": "100001", "Datum založení": "2026-01-15 13:00:00", "Datum zaplacení": "2026-01-15 13:00:00",
        "Datum převodu": "2026-01-16", "Měsíc fakturace": 1, "ID Service": "AB12CD34EF56", "Metoda": "CARD_CZ_CSOB_2",
        "Produkt": "boty;\"38\"", "Popis": "Žluté boty", "E-mail plátce": "jan@example.com", "Variabilní symbol plátce": "42",
        "Variabilní symbol převodu": "4000100001", "ID od klienta": "2026001", "Měna": "CZK", "Potvrzená částka": "1234,56",
        "Převedená částka": "1222,21", "Poplatek celkem": "12,35", "Poplatek mezibankovní": "2,47", "Poplatek asociace": "1,23",
        "Poplatek zpracovatel": "8,65", "Typ karty": "VISA",
    });
    assert_eq!(Value::Object(shown[0].clone()), expected);
}
