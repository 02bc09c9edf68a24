//! When money is paid out, to whom, and what is kept of it.

use super::*;
use crate::common::{Currency, Source, TransId};
use crate::transfers::core::examples::row;

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn movement(at: &str) -> Movement {
    Movement { source: Source::Gateway(TransId::from_random(1)), number: 0, at: time(at) }
}

/// The days of the transfers that are due.
fn due(book: &mut AccountBook, now: &str) -> Vec<(String, usize)> {
    book.pop_due(time(now)).iter().map(|payday| (payday.date.to_string(), payday.movements.len())).collect()
}

#[test]
fn what_was_paid_on_a_day_is_transferred_on_the_next_and_listed_on_the_morning_after() {
    let mut book = AccountBook::new(None);
    book.enter(movement("2026-01-14T12:00:00Z"));
    assert_eq!(due(&mut book, "2026-01-15T23:00:00Z"), []);
    assert_eq!(due(&mut book, "2026-01-16T04:59:59Z"), []);
    assert_eq!(due(&mut book, "2026-01-16T05:00:00Z"), [("2026-01-15".to_owned(), 1)]);
    assert_eq!(due(&mut book, "2026-01-17T05:00:00Z"), [], "nothing is paid out twice");
}

#[test]
fn a_weekend_is_paid_out_together_on_monday() {
    let mut book = AccountBook::new(None);
    for at in ["2026-01-16T12:00:00Z", "2026-01-17T12:00:00Z", "2026-01-18T22:59:59Z", "2026-01-18T23:00:00Z"] {
        book.enter(movement(at));
    }
    assert_eq!(due(&mut book, "2026-01-20T05:00:00Z"), [("2026-01-19".to_owned(), 3)]);
    assert_eq!(due(&mut book, "2026-01-21T05:00:00Z"), [("2026-01-20".to_owned(), 1)]);
}

#[test]
fn days_of_changing_clocks_end_at_midnight_in_prague() {
    let mut book = AccountBook::new(None);
    for at in ["2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"] {
        book.enter(movement(at));
    }
    let days = ["2026-03-30", "2026-03-31", "2026-10-26", "2026-10-27"].map(|day| (day.to_owned(), 1));
    assert_eq!(due(&mut book, "2026-12-01T12:00:00Z"), days);
}

#[test]
fn the_bank_can_pay_out_everything_at_once() {
    let mut book = AccountBook::new(None);
    book.enter(movement("2026-01-14T12:00:00Z"));
    book.enter(movement("2026-01-15T22:59:59Z"));
    let payday = book.pop_all(time("2026-01-15T23:00:00Z"));
    assert_eq!((payday.date, payday.movements.len()), (day("2026-01-16"), 2));
    assert!(book.pop_all(time("2026-01-16T12:00:00Z")).movements.is_empty());
}

fn payee(currency: Currency, account: Option<&str>) -> Payee {
    Payee { currency, account: account.map(Box::from) }
}

#[test]
fn each_currency_and_account_is_paid_by_itself() {
    let (czk, eur, other) = (payee(Currency::Czk, None), payee(Currency::Eur, None), payee(Currency::Czk, Some("1/0100")));
    let rows = [(czk.clone(), row(1)), (eur.clone(), row(2)), (czk.clone(), row(3)), (other.clone(), row(4))];
    assert_eq!(by_payee(rows.into_iter()), [(czk, vec![row(1), row(3)]), (eur, vec![row(2)]), (other, vec![row(4)])]);
}

#[test]
fn each_statement_opens_with_what_the_one_before_has_left() {
    let mut book = AccountBook::new(None);
    let czk = || payee(Currency::Czk, None);
    let first = book.transfer("1", day("2026-01-16"), czk(), vec![row(10_000)], 1);
    let other = book.transfer("1", day("2026-01-16"), payee(Currency::Eur, None), vec![row(500)], 2);
    let second = book.transfer("1", day("2026-01-19"), czk(), vec![row(-4_000)], 3);
    assert_eq!(first.statement, Statement { number: 1, old_date: day("2026-01-16"), old_balance: 0 });
    assert_eq!(other.statement, Statement { number: 1, old_date: day("2026-01-16"), old_balance: 0 });
    assert_eq!(second.statement, Statement { number: 2, old_date: day("2026-01-16"), old_balance: 9_900 });
    let third = book.transfer("1", day("2026-01-20"), czk(), vec![row(10_000)], 4);
    assert_eq!(third.statement, Statement { number: 3, old_date: day("2026-01-19"), old_balance: 5_900 });
    assert_eq!((first.new_balance(), second.new_balance(), third.new_balance()), (9_900, 5_900, 15_800));
    assert_ne!(first.counterparty, other.counterparty);
}

#[test]
fn transfers_are_found_by_day_and_by_number() {
    let mut book = AccountBook::new(None);
    let transfer = book.transfer("1", day("2026-01-16"), payee(Currency::Czk, None), vec![row(1)], 7);
    assert_eq!((book.on(day("2026-01-16")), book.on(day("2026-01-17"))), (vec![transfer.clone()], vec![]));
    assert_eq!((book.find(7), book.find(8)), (Some(transfer), None));
}

#[test]
fn movements_and_transfers_beyond_those_to_keep_are_forgotten() {
    let mut book = AccountBook::new(Some(2));
    for at in ["2026-01-13T12:00:00Z", "2026-01-14T12:00:00Z", "2026-01-15T12:00:00Z"] {
        book.enter(movement(at));
    }
    assert_eq!(book.pop_all(time("2026-01-15T12:00:00Z")).movements.len(), 2);
    for id in 1..=2 {
        book.transfer("1", day("2026-01-16"), payee(Currency::Czk, None), vec![row(1), row(2)], id);
    }
    assert_eq!((book.find(1), book.find(2).map(|transfer| transfer.rows.len())), (None, Some(2)));
}
