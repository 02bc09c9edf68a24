//! The row of a payment once it is paid out.

use super::*;
use crate::common::examples::merchant_with;
use crate::common::{Identifiers, PaymentId, Source, TransId, TransactionId};
use crate::gateway::core::examples::{creation, payment_of};
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Creation, Payment, Refund, WorldRules};
use crate::terminal::core as terminal;
use crate::terminal::core::{PaymentOrder, RefundOrder, Terminal};
use crate::transfers::core::examples::noon;

fn movement(source: Source, number: usize) -> Movement {
    Movement { source, number, at: noon() }
}

fn paid(request: &Creation<'_>) -> Payment {
    let mut payment = payment_of(request);
    payment.pay(Payer::default(), noon()).unwrap();
    payment
}

fn row_of(payment: &Payment, number: usize) -> Option<Row> {
    Row::from_gateway(payment, movement(Source::Gateway(payment.id), number))
}

#[test]
fn a_gateway_payment_shows_what_was_sent_at_its_creation() {
    let payment = paid(&Creation { name: Some("boots-38"), ..creation() });
    let row = row_of(&payment, 0).unwrap();
    assert_eq!((row.kind, row.confirmed, row.fees.total(), row.transferred()), (Kind::Payment, 10_000, 100, 9_900));
    assert_eq!((&*row.label, row.product.as_deref(), &*row.ref_id, &*row.email), ("Shoes", Some("boots-38"), "2026001", "jan@example.com"));
    assert_eq!((row.method, row.variable_symbol, row.card), ("CARD_CZ_CSOB_2", 42, Some(CardType::Mastercard)));
}

#[test]
fn a_refund_is_a_row_of_its_own_that_costs_nothing() {
    let mut payment = paid(&creation());
    Refund { amount: Some(4_000), ref_id: Some("back"), ..Refund::default() }.apply(&mut payment, noon()).unwrap();
    assert_eq!(payment.movements(), 2);
    let row = row_of(&payment, 1).unwrap();
    assert_eq!(
        (row.kind, row.confirmed, row.fees, row.transferred(), &*row.ref_id),
        (Kind::Refund, -4_000, Fees::default(), -4_000, "back")
    );
    assert_eq!(row_of(&payment, 2), None);
}

#[test]
fn money_of_a_test_payment_never_moves() {
    assert_eq!(paid(&Creation { test: true, ..creation() }).movements(), 0);
    assert_eq!(payment_of(&creation()).movements(), 0);
}

#[test]
fn only_what_was_captured_is_paid_out() {
    let mut payment = payment_of(&Creation { preauth: true, ..creation() });
    payment.pay(Payer::default(), noon()).unwrap();
    assert_eq!(payment.movements(), 0);
    crate::gateway::core::Capture { amount: Some(300) }.apply(&mut payment).unwrap();
    assert_eq!((payment.movements(), row_of(&payment, 0).unwrap().confirmed), (1, 300));
}

#[test]
fn a_payment_without_a_card_has_no_card_fees() {
    let row = row_of(&paid(&Creation { method: Some("BANK_CZ_RB"), ..creation() }), 0).unwrap();
    assert_eq!((row.card, row.fees), (None, Fees { interbank: 0, association: 0, processor: 100 }));
}

#[test]
fn the_fee_is_the_one_in_the_status() {
    let mut payment = paid(&creation());
    payment.merchant = merchant_with(|settings| settings.fee = Some("250".into()));
    assert_eq!(row_of(&payment, 0).unwrap().fees.total(), 250);
}

#[test]
fn a_long_label_of_a_tolerant_world_is_cut_to_what_the_document_allows() {
    let payment = paid(&Creation { label: Some("Příliš žluťoučký kůň"), rules: WorldRules::tolerant(), ..creation() });
    assert_eq!(&*row_of(&payment, 0).unwrap().label, "Příliš žluťoučký");
}

fn ids() -> Identifiers {
    Identifiers { id: TransId::from_random(5), variable_symbol: 42, sequence: 0 }
}

fn terminal_payment() -> (Terminal, PaymentId) {
    let mut terminal = Terminal::new(None);
    let order = PaymentOrder { price: 10_000, tip: Some(500), currency: terminal::Currency::Eur, ref_id: "777".into() };
    let id = terminal.create_payment(&order, ids(), noon()).unwrap();
    terminal.complete(TransactionId::Payment(id), None, noon()).unwrap();
    (terminal, id)
}

fn look(terminal: &mut Terminal, id: PaymentId, number: usize) -> Option<Row> {
    Row::from_terminal_payment(terminal.payment_mut(id).unwrap(), movement(Source::TerminalPayment(id), number), None)
}

#[test]
fn a_terminal_payment_is_paid_out_like_any_other() {
    let (mut terminal, id) = terminal_payment();
    let row = look(&mut terminal, id, 0).unwrap();
    assert_eq!((row.kind, row.confirmed, row.transferred(), row.currency.as_str()), (Kind::Payment, 10_000, 9_900, "EUR"));
    assert_eq!((row.method, &*row.ref_id, row.variable_symbol), ("CARD_TERMINAL", "777", 777));
    assert!((1..=16).contains(&row.label.chars().count()));
}

#[test]
fn a_payment_reversed_before_it_is_paid_out_leaves_no_trace() {
    let (mut terminal, id) = terminal_payment();
    terminal.cancel_payment(id, noon()).unwrap();
    assert_eq!((look(&mut terminal, id, 0), look(&mut terminal, id, 1)), (None, None));
}

#[test]
fn a_payment_reversed_or_returned_after_it_was_paid_out_is_set_off() {
    let (mut terminal, id) = terminal_payment();
    look(&mut terminal, id, 0).unwrap();
    terminal.cancel_payment(id, noon()).unwrap();
    assert_eq!(look(&mut terminal, id, 1).unwrap().transferred(), -10_000);
    let (mut terminal, id) = terminal_payment();
    look(&mut terminal, id, 0).unwrap();
    terminal.return_money(id, 4_000, noon()).unwrap();
    assert_eq!(look(&mut terminal, id, 1).unwrap().transferred(), -4_000);
}

#[test]
fn a_terminal_refund_is_set_off_and_its_reversal_given_back() {
    let mut terminal = Terminal::new(None);
    let order = RefundOrder { price: 300, currency: terminal::Currency::Czk, ref_id: "".into() };
    let id = terminal.create_refund(&order, ids(), noon()).unwrap();
    terminal.complete(TransactionId::Refund(id), None, noon()).unwrap();
    let look = |terminal: &mut Terminal, number| {
        Row::from_terminal_refund(terminal.refund_mut(id).unwrap(), movement(Source::TerminalRefund(id), number))
    };
    assert_eq!(look(&mut terminal, 0).map(|row| (row.kind, row.transferred())), Some((Kind::Refund, -300)));
    terminal.cancel_refund(id, noon()).unwrap();
    assert_eq!(look(&mut terminal, 1).map(|row| row.transferred()), Some(300));
    assert_eq!(look(&mut terminal, 0), None, "a reversed refund is not set off again");
}
