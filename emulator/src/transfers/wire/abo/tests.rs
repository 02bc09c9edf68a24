//! The ABO statement, position by position.

use super::*;
use crate::transfers::core::Transfer;
use crate::transfers::core::examples::{row, transfer};

fn written(transfer: Transfer, fee_rows: FeeRows, encoding: Encoding) -> Vec<u8> {
    write(Arc::new(transfer), fee_rows, encoding).flatten().collect()
}

fn lines(transfer: Transfer, fee_rows: FeeRows) -> Vec<String> {
    let text = String::from_utf8(written(transfer, fee_rows, Encoding::Utf8)).unwrap();
    text.split_terminator("\r\n").map(str::to_owned).collect()
}

/// Positions count from 1 and include both ends, as in the table.
fn at(line: &str, from: usize, to: usize) -> String {
    line.chars().skip(from - 1).take(to - from + 1).collect()
}

#[test]
fn the_record_of_the_account_adds_up() {
    let line = &lines(transfer(vec![row(10_000), row(25_050), row(-4_000)]), FeeRows::V1)[0];
    assert_eq!(
        line,
        concat!(
            "074",
            "0000192000145399",
            "Účet obchodu 100001 ",
            "160126",
            "00000000000000+",
            "00000000030699+",
            "000000000043510",
            "000000000350500",
            "001",
            "160126",
            "              "
        )
    );
}

#[test]
fn a_payment_is_followed_by_its_fee_in_v1() {
    let lines = lines(transfer(vec![row(10_000)]), FeeRows::V1);
    assert_eq!(lines.len(), 3);
    let (payment, fee) = (&lines[1], &lines[2]);
    assert_eq!((at(payment, 1, 19), at(payment, 36, 48)), ("0750000192000145399".into(), "0100001000001".into()));
    assert_eq!((at(payment, 49, 60), at(payment, 61, 61)), ("000000010000".into(), "2".into()));
    assert_eq!(
        (at(payment, 62, 71), at(payment, 72, 81), at(payment, 82, 91)),
        ("0000000042".into(), "0008000000".into(), "4000100001".into())
    );
    assert_eq!((at(payment, 92, 97), at(payment, 98, 117)), ("160126".into(), "2026001             ".into()));
    assert_eq!((at(payment, 118, 118), at(payment, 119, 122), at(payment, 123, 128)), ("0".into(), "0203".into(), "150126".into()));
    assert_eq!((at(fee, 36, 48), at(fee, 49, 60), at(fee, 61, 61)), ("0100001000001".into(), "000000000100".into(), "1".into()));
    assert_eq!(at(fee, 98, 117), "Poplatek z platby   ");
}

#[test]
fn all_fees_are_one_row_in_v2() {
    let lines = lines(transfer(vec![row(10_000), row(20_000)]), FeeRows::V2);
    assert_eq!(lines.len(), 4);
    assert_eq!((at(&lines[3], 49, 60), at(&lines[3], 61, 61)), ("000000000300".into(), "1".into()));
    assert_eq!((at(&lines[3], 36, 48), at(&lines[3], 62, 71)), ("0100001000000".into(), "4000100001".into()));
}

#[test]
fn a_refund_is_a_debit_without_a_fee() {
    for fee_rows in [FeeRows::V1, FeeRows::V2] {
        let lines = lines(transfer(vec![row(-4_000)]), fee_rows);
        assert_eq!(lines.len(), 2);
        assert_eq!((at(&lines[1], 49, 60), at(&lines[1], 61, 61)), ("000000004000".into(), "1".into()));
        assert_eq!(at(&lines[0], 61, 75), "00000000004000-", "the merchant owes");
    }
}

#[test]
fn every_record_has_128_characters_whatever_the_text() {
    let odd = Row { ref_id: "žluťoučký kůň\r\n075 úpěl ďábelské ódy".into(), ..row(10_000) };
    for line in lines(transfer(vec![odd]), FeeRows::V1) {
        assert_eq!(line.chars().count(), 128, "{line}");
    }
}

#[test]
fn windows_1250_takes_a_byte_for_a_letter_and_a_question_mark_for_what_it_lacks() {
    let odd = Row { ref_id: "Žluť 😀 Жук".into(), ..row(10_000) };
    let bytes = written(transfer(vec![odd]), FeeRows::V1, Encoding::Win1250);
    assert_eq!(bytes.len(), 3 * 130);
    let (text, _, broken) = WINDOWS_1250.decode(&bytes);
    assert!(!broken);
    let lines: Vec<_> = text.split_terminator("\r\n").collect();
    assert_eq!((at(lines[0], 20, 39), at(lines[1], 98, 117)), ("Účet obchodu 100001 ".into(), "Žluť ? ???          ".into()));
}

#[test]
fn every_currency_has_its_number() {
    for (currency, number) in [(Currency::Czk, 203), (Currency::Eur, 978), (Currency::Huf, 348)] {
        assert_eq!(numeric_code(currency), number);
    }
}
