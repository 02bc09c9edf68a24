//! The life of transactions on a terminal, as in the document's table of transitions.

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::common::{Identifiers, TransId};
use crate::terminal::core::Currency;
use crate::terminal::core::batch::Sum;

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn noon() -> Timestamp {
    time("2026-01-15T11:00:00Z")
}

fn ids(number: u64) -> Identifiers {
    Identifiers { id: TransId::from_random(number), variable_symbol: 42, sequence: number }
}

fn payment_order() -> PaymentOrder {
    PaymentOrder { price: 10_000, tip: None, currency: Currency::Czk, ref_id: "order-7".into() }
}

/// A terminal with one pending payment.
fn pending() -> (Terminal, PaymentId) {
    let mut terminal = Terminal::new(None);
    let id = terminal.create_payment(&payment_order(), ids(1), noon()).unwrap();
    (terminal, id)
}

/// A terminal with one paid payment.
fn paid() -> (Terminal, PaymentId) {
    let (mut terminal, id) = pending();
    terminal.complete(TransactionId::Payment(id), None, noon()).unwrap();
    (terminal, id)
}

/// A terminal with one refund, paid at some time.
fn refunded(at: Timestamp) -> (Terminal, RefundId) {
    let mut terminal = Terminal::new(None);
    let order = RefundOrder { price: 2_500, currency: Currency::Eur, ref_id: "".into() };
    let id = terminal.create_refund(&order, ids(2), at).unwrap();
    terminal.complete(TransactionId::Refund(id), None, at).unwrap();
    (terminal, id)
}

fn state(terminal: &mut Terminal, id: PaymentId, now: Timestamp) -> &'static str {
    terminal.payment(id, now).unwrap().state.as_str()
}

#[test]
fn a_payment_waits_for_its_card_holder_until_it_is_paid() {
    let (mut terminal, id) = pending();
    assert_eq!(state(&mut terminal, id, noon()), "PENDING");
    let card = Card::new("4111111111111111", "12/29").unwrap();
    terminal.complete(TransactionId::Payment(id), Some(card.clone()), noon()).unwrap();
    let payment = terminal.payment(id, noon()).unwrap();
    assert_eq!((payment.state.as_str(), payment.charge().map(|charge| &charge.card)), ("PAID", Some(&card)));
}

#[test]
fn a_rejected_payment_is_cancelled_with_its_reason() {
    let (mut terminal, id) = pending();
    terminal.fail(TransactionId::Payment(id), Some("NO_FUNDS".into()), noon()).unwrap();
    let payment = terminal.payment(id, noon()).unwrap();
    assert_eq!((payment.state.as_str(), payment.error_reason()), ("CANCELLED", Some("NO_FUNDS")));
}

#[test]
fn a_terminal_gives_up_a_payment_when_its_time_is_over_and_not_before() {
    let (mut terminal, id) = pending();
    assert_eq!(state(&mut terminal, id, noon() + PATIENCE - SignedDuration::from_secs(1)), "PENDING");
    assert_eq!(state(&mut terminal, id, noon() + PATIENCE), "CANCELLED");
    assert_eq!(terminal.complete(TransactionId::Payment(id), None, noon() + PATIENCE).unwrap_err(), Impossible::NotPending("CANCELLED"));
}

#[test]
fn what_was_paid_in_time_stays_paid() {
    let (mut terminal, id) = paid();
    assert_eq!(state(&mut terminal, id, noon() + PATIENCE), "PAID");
}

#[test]
fn only_what_is_pending_is_completed_or_fails() {
    let (mut terminal, id) = paid();
    let id = TransactionId::Payment(id);
    assert_eq!(terminal.complete(id, None, noon()), Err(Impossible::NotPending("PAID")));
    assert_eq!(terminal.fail(id, None, noon()), Err(Impossible::NotPending("PAID")));
    let unknown = TransactionId::Payment(PaymentId::new(TransId::from_random(99)));
    assert_eq!(terminal.complete(unknown, None, noon()), Err(Impossible::Unknown));
}

#[test]
fn a_paid_payment_is_reversed_once_and_stays_paid() {
    let (mut terminal, id) = paid();
    assert!(terminal.cancel_payment(id, noon()).is_ok());
    let payment = terminal.payment(id, noon()).unwrap();
    assert_eq!((payment.state.as_str(), payment.charge().map(|charge| charge.reversed)), ("PAID", Some(true)));
    assert_eq!(terminal.cancel_payment(id, noon()), Err(Violation::AlreadyReversed));
}

#[test]
fn what_is_not_paid_is_not_reversed() {
    let (mut terminal, id) = pending();
    assert_eq!(terminal.cancel_payment(id, noon()), Err(Violation::NotPaid));
    terminal.fail(TransactionId::Payment(id), None, noon()).unwrap();
    assert_eq!(terminal.cancel_payment(id, noon()), Err(Violation::NotPaid));
}

#[test]
fn a_closing_makes_payments_final() {
    let (mut terminal, id) = paid();
    terminal.close(TerminalStatus::Online).unwrap();
    assert_eq!(terminal.cancel_payment(id, noon()), Err(Violation::BatchClosed));
    assert_eq!(state(&mut terminal, id, noon()), "PAID");
}

#[test]
fn a_payment_completed_after_a_closing_belongs_to_the_next_batch() {
    let (mut terminal, id) = pending();
    assert_eq!(terminal.close(TerminalStatus::Online), Ok(Closing { number: 1, totals: vec![] }));
    terminal.complete(TransactionId::Payment(id), None, noon()).unwrap();
    assert!(terminal.cancel_payment(id, noon()).is_ok());
}

#[test]
fn a_closing_sums_up_what_was_paid_refunded_and_reversed_by_currency() {
    let (mut terminal, _) = paid();
    let second = terminal.create_payment(&payment_order(), ids(3), noon()).unwrap();
    terminal.complete(TransactionId::Payment(second), None, noon()).unwrap();
    terminal.cancel_payment(second, noon()).unwrap();
    let order = RefundOrder { price: 2_500, currency: Currency::Eur, ref_id: "".into() };
    let refund = terminal.create_refund(&order, ids(4), noon()).unwrap();
    terminal.complete(TransactionId::Refund(refund), None, noon()).unwrap();
    let sum = |amount, count| Sum { amount, count };
    let closing = terminal.close(TerminalStatus::Online).unwrap();
    assert_eq!(
        closing.totals,
        [
            Totals { currency: Currency::Czk, credits: sum(20_000, 2), debits: sum(10_000, 1) },
            Totals { currency: Currency::Eur, credits: sum(0, 0), debits: sum(2_500, 1) },
        ]
    );
    assert_eq!(terminal.close(TerminalStatus::Online), Ok(Closing { number: 2, totals: vec![] }));
}

#[test]
fn a_terminal_that_is_not_ready_is_not_closed_and_loses_nothing() {
    let (mut terminal, _) = paid();
    for (status, error) in [
        (TerminalStatus::Offline, ClosingError::NotConnected),
        (TerminalStatus::Busy, ClosingError::Busy),
        (TerminalStatus::Unknown, ClosingError::ProviderUnavailable),
    ] {
        assert_eq!(terminal.close(status), Err(error));
    }
    let closing = terminal.close(TerminalStatus::Online).unwrap();
    assert_eq!((closing.number, closing.totals.len()), (1, 1));
}

#[test]
fn a_connected_terminal_is_busy_while_a_card_holder_is_waited_for() {
    let (mut terminal, id) = pending();
    assert_eq!(terminal.status(TerminalStatus::Online, noon()), TerminalStatus::Busy);
    assert_eq!(terminal.status(TerminalStatus::Offline, noon()), TerminalStatus::Offline);
    terminal.complete(TransactionId::Payment(id), None, noon()).unwrap();
    assert_eq!(terminal.status(TerminalStatus::Online, noon()), TerminalStatus::Online);
    let (mut terminal, _) = pending();
    assert_eq!(terminal.status(TerminalStatus::Online, noon() + PATIENCE), TerminalStatus::Online);
}

#[test]
fn a_refund_is_reversed_once_on_its_own_day() {
    let (mut terminal, id) = refunded(noon());
    assert!(terminal.cancel_refund(id, noon()).is_ok());
    let refund = terminal.refund(id, noon()).unwrap();
    assert_eq!((refund.state.as_str(), refund.payout().and_then(|payout| payout.reversed)), ("PAID", Some(noon())));
    assert_eq!(terminal.cancel_refund(id, noon()), Err(Violation::AlreadyReversed));
}

#[test]
fn a_refund_is_reversed_after_a_closing_too() {
    let (mut terminal, id) = refunded(noon());
    terminal.close(TerminalStatus::Online).unwrap();
    assert!(terminal.cancel_refund(id, noon()).is_ok());
    assert_eq!(terminal.close(TerminalStatus::Online).unwrap().totals[0].credits, Sum { amount: 2_500, count: 1 });
}

#[test]
fn what_is_not_paid_back_is_not_reversed() {
    let mut terminal = Terminal::new(None);
    let order = RefundOrder { price: 100, currency: Currency::Czk, ref_id: "".into() };
    let id = terminal.create_refund(&order, ids(1), noon()).unwrap();
    assert_eq!(terminal.cancel_refund(id, noon()), Err(Violation::NotPaid));
    terminal.fail(TransactionId::Refund(id), None, noon()).unwrap();
    assert_eq!(terminal.cancel_refund(id, noon()), Err(Violation::NotPaid));
    assert_eq!(terminal.cancel_refund(RefundId::new(TransId::from_random(9)), noon()), Err(Violation::RefundNotFound));
}

/// When it was paid, the last second of that day in Prague, the first of the next.
const DAYS: [(&str, &str, &str); 5] = [
    ("2026-01-14T23:00:00Z", "2026-01-15T22:59:59Z", "2026-01-15T23:00:00Z"),
    ("2026-07-14T22:00:00Z", "2026-07-15T21:59:59Z", "2026-07-15T22:00:00Z"),
    // The clocks go forward: a day of 23 hours.
    ("2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"),
    // The clocks go back: a day of 25 hours.
    ("2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"),
    ("2026-12-31T22:59:59Z", "2026-12-31T22:59:59Z", "2026-12-31T23:00:00Z"),
];

#[test]
fn a_day_is_that_of_prague_in_winter_in_summer_and_when_the_clocks_change() {
    for (at, last, next) in DAYS.map(|(at, last, next)| (time(at), time(last), time(next))) {
        let (mut terminal, id) = refunded(at);
        assert_eq!(terminal.cancel_refund(id, next), Err(Violation::AnotherDay), "{next}");
        assert!(terminal.cancel_refund(id, last).is_ok(), "{last}");
    }
}

#[test]
fn the_bank_returns_no_more_than_was_paid() {
    let (mut terminal, id) = paid();
    let mut give = |amount| terminal.return_money(id, amount, noon()).map(|(_, refunded)| refunded);
    assert_eq!(give(4_000), Ok(4_000));
    assert_eq!(give(6_001), Err(Impossible::BeyondPrice(6_000)));
    assert_eq!(give(6_000), Ok(10_000));
    assert_eq!(terminal.cancel_payment(id, noon()), Err(Violation::PartlyReturned));
}

#[test]
fn nothing_is_returned_of_what_is_not_paid_or_reversed() {
    let (mut terminal, id) = pending();
    assert_eq!(terminal.return_money(id, 1, noon()), Err(Impossible::NotPaid("PENDING")));
    let (mut terminal, id) = paid();
    terminal.cancel_payment(id, noon()).unwrap();
    assert_eq!(terminal.return_money(id, 1, noon()), Err(Impossible::Reversed));
}

#[test]
fn a_reference_that_can_be_a_variable_symbol_is_one() {
    let symbol = |ref_id: &str, number| {
        let mut terminal = Terminal::new(None);
        let id = terminal.create_payment(&PaymentOrder { ref_id: ref_id.into(), ..payment_order() }, ids(number), noon()).unwrap();
        terminal.payment(id, noon()).unwrap().variable_symbol
    };
    assert_eq!((symbol("9999999999", 1), symbol("0000000007", 2)), (9_999_999_999, 7));
    assert_eq!((symbol("", 3), symbol("order-7", 4), symbol("12345678901", 5), symbol("+7", 6)), (42, 42, 42, 42));
}

#[test]
fn a_charged_payment_is_found_by_its_day_and_symbol() {
    let (mut terminal, id) = paid();
    let day = prague::date(noon());
    assert_eq!(terminal.charged_on(day, "order-7"), Some(id));
    assert_eq!(terminal.charged_on(day, "42"), Some(id), "the symbol that it has on statements");
    assert_eq!(terminal.charged_on(day, "order-8"), None);
    assert_eq!(terminal.charged_on(day.tomorrow().unwrap(), "order-7"), None);
    terminal.cancel_payment(id, noon()).unwrap();
    assert_eq!(terminal.charged_on(day, "order-7"), None, "all of it has gone back");
    assert_eq!(pending().0.charged_on(day, "order-7"), None, "nothing was charged");
}

#[test]
fn an_identifier_is_given_once() {
    let (mut terminal, id) = pending();
    assert_eq!(terminal.create_payment(&payment_order(), ids(1), noon()), None);
    assert_eq!(state(&mut terminal, id, noon()), "PENDING");
}

#[test]
fn finished_transactions_beyond_those_to_keep_are_forgotten() {
    let mut terminal = Terminal::new(Some(1));
    let mut created = Vec::new();
    for number in 0..3 {
        let id = terminal.create_payment(&payment_order(), ids(number), noon()).unwrap();
        terminal.complete(TransactionId::Payment(id), None, noon()).unwrap();
        created.push(id);
    }
    let known: Vec<_> = created.iter().map(|id| terminal.payment(*id, noon()).is_ok()).collect();
    assert_eq!(known, [false, false, true]);
}
