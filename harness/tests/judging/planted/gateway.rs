//! Document 1: refunds, captures and charges that differ from the documents.

use super::PlantedDefect;
use crate::support::proxy::{Message, ObservedRequest};

/// Remembers the fields of an accepted creation.
fn remember(asked: &ObservedRequest<'_>, message: &Message) {
    if asked.is("create") && message.succeeds() {
        asked.note(&format!("price {}", message.get("transId")), asked.text("price"));
        asked.note(&format!("test {}", message.get("transId")), asked.text("test"));
    }
}

fn price(asked: &ObservedRequest<'_>) -> i64 {
    asked.recall(&format!("price {}", asked.text("transId"))).parse().unwrap_or(0)
}

fn amount(asked: &ObservedRequest<'_>) -> i64 {
    asked.text("amount").parse().unwrap_or(0)
}

/// A fact about the payment of the request.
fn key(asked: &ObservedRequest<'_>, fact: &str) -> String {
    format!("{fact} {}", asked.text("transId"))
}

fn is_real(asked: &ObservedRequest<'_>) -> bool {
    asked.text("test") != "true"
}

/// Counts the requests of a kind, by payment.
fn count(asked: &ObservedRequest<'_>, fact: &str) -> usize {
    let counted = asked.recall(&key(asked, fact)).parse::<usize>().unwrap_or(0) + 1;
    asked.note(&key(asked, fact), counted.to_string());
    counted
}

pub fn all() -> Vec<PlantedDefect> {
    [money(), others()].into_iter().flatten().collect()
}

pub fn others() -> Vec<PlantedDefect> {
    [states(), access(), notifications(), series()].into_iter().flatten().collect()
}

pub fn money() -> Vec<PlantedDefect> {
    planted! { "gateway":
        "two refunds together may be more than the price" => "gateway.refund.sum" in 4:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("refund") && message.succeeds() && is_real(asked) { asked.note(&key(asked, "refunded"), "1") }
                if asked.is("refund") && message.get("code") == "1402" && asked.knows(&key(asked, "refunded")) && amount(asked) <= price(asked) {
                    message.accept();
                }
            });
        "a refund above the price is taken" => "gateway.refund.beyond" in 3:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("refund") && message.get("code") == "1402" && amount(asked) > price(asked) { message.accept() }
            });
        "a cancelled payment is told to be unknown" => "gateway.payment.refund-of-cancelled" in 3:
            response(|asked, message| if asked.is("refund") && message.get("code") == "1401" { message.set("code", 1400) });
        "a partial refund cancels the payment" => "gateway.refund.partial" in 4:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("refund") && message.succeeds() && is_real(asked) && amount(asked) < price(asked) {
                    asked.note(&key(asked, "gone"), "1");
                }
                if asked.is("status") && asked.knows(&key(asked, "gone")) { message.replace("status", "CANCELLED") }
            });
        "a full refund cancels the payment" => "gateway.refund.full" in 4:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("refund") && message.succeeds() && is_real(asked) && amount(asked) == price(asked) {
                    asked.note(&key(asked, "gone"), "1");
                }
                if asked.is("status") && asked.knows(&key(asked, "gone")) { message.replace("status", "CANCELLED") }
            });
        "the third refund is refused" => "gateway.refund.partial" in 5:
            response(|asked, message| {
                if asked.is("refund") && message.succeeds() && is_real(asked) && count(asked, "refunds") > 2 { message.refuse(1400) }
            });
        "a test payment is really refunded" => "gateway.refund.test.only" in 3:
            response(|asked, message| {
                remember(asked, message);
                let of_test = asked.recall(&key(asked, "test")) == "true" && is_real(asked) && amount(asked) <= price(asked);
                let paid = message.get("code") != "1401" && asked.knows(&key(asked, "paid"));
                if asked.is("refund") && of_test && paid && !message.succeeds() { message.accept() }
            }),
            world(|deed| if deed.action == "payer.pays" {
                let id = deed.with["transId"].as_str().unwrap_or_default().to_owned();
                deed.memory.lock().unwrap().insert(format!("paid {id}"), String::new());
            });
        "a capture above the amount is taken" => "gateway.capturePreauth.amount.max" in 2:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("capturePreauth") && !message.succeeds() && amount(asked) > price(asked) && price(asked) > 0 && !asked.is_by_another_merchant() {
                    message.accept();
                }
            });
        "an amount is captured twice" => "gateway.capturePreauth.only-authorized" in 4:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("capturePreauth") && asked.knows(&key(asked, "captured")) && amount(asked) <= price(asked) { message.accept() }
                if asked.is("capturePreauth") && message.succeeds() { asked.note(&key(asked, "captured"), "1") }
            });
        "what was released is captured" => "gateway.capturePreauth.only-authorized" in 4:
            response(|asked, message| {
                remember(asked, message);
                if asked.is("capturePreauth") && asked.knows(&key(asked, "released")) && amount(asked) <= price(asked) { message.accept() }
                if asked.is("cancelPreauth") && message.succeeds() { asked.note(&key(asked, "released"), "1") }
            });
        "what was captured is released" => "gateway.cancelPreauth.only-authorized" in 4:
            response(|asked, message| {
                if asked.is("cancelPreauth") && asked.knows(&key(asked, "captured")) { message.accept() }
                if asked.is("capturePreauth") && message.succeeds() { asked.note(&key(asked, "captured"), "1") }
            });
    }
}

fn states() -> Vec<PlantedDefect> {
    planted! { "gateway":
        "a paid payment is cancelled" => "gateway.payment.cancel-of-paid" in 3:
            response(|asked, message| if asked.is("cancel") && !message.succeeds() && asked.knows(&key(asked, "paid")) && !asked.is_by_another_merchant() {
                message.accept();
            }),
            world(|deed| if deed.action == "payer.pays" {
                let id = deed.with["transId"].as_str().unwrap_or_default().to_owned();
                deed.memory.lock().unwrap().insert(format!("paid {id}"), String::new());
            });
        "a payment that nobody knows is cancelled" => "gateway.cancel.unknown" in 1:
            response(|asked, message| if asked.is("cancel") && asked.text("transId") == "XXXX-XXXX-XXXX" { message.accept() });
        "an authorized payment reads as pending in v1.0" => "gateway.payment.authorized" in 3:
            response(|asked, message| if asked.is("v1.status") && message.get("status") == "AUTHORIZED" { message.set("status", "PENDING") });
        "a rejected pre-authorization reads as authorized" => "gateway.payment.preauth-rejected" in 3:
            response(|asked, message| {
                if asked.is("create") && asked.text("preauth") == "true" { asked.note(&format!("hold {}", message.get("transId")), "1") }
                let rejected = ["REJECTED_BY_BANK", "NO_FUNDS"].contains(&message.get("paymentErrorReason").as_str());
                if asked.is("status") && asked.knows(&key(asked, "hold")) && rejected { message.set("status", "AUTHORIZED") }
            });
        "an expired payment reads as pending" => "gateway.payment.expired" in 3:
            response(|asked, message| if asked.is("status") && message.get("paymentErrorReason") == "CUSTOMER_TIMEOUT" {
                message.set("status", "PENDING");
                message.remove("paymentErrorReason");
            });
    }
}

fn access() -> Vec<PlantedDefect> {
    planted! { "gateway":
        "anybody reads a payment" => "gateway.access.foreign" in 2:
            onward(|asked, sent| if asked.is("v2.status") && asked.is_by_another_merchant() && asked.credentials.0 == "200002" {
                sent.in_the_name_of_main(asked);
            });
        "a wrong secret refunds" => "gateway.v2.credentials" in 3:
            onward(|asked, sent| if asked.is("v2.refund") && asked.is_by_another_merchant() && asked.credentials.0 == "100001" {
                sent.in_the_name_of_main(asked);
            });
    }
}

fn notifications() -> Vec<PlantedDefect> {
    planted! { "gateway":
        "a cancellation is not notified" => "gateway.notification.cancellation" in 2:
            push(|_, push| if push.message.get("paymentErrorReason") == "ESHOP_CANCELLED" { push.times = 0 });
        "an expiry is not notified" => "gateway.notification.expiry" in 2:
            push(|_, push| if push.message.get("paymentErrorReason") == "CUSTOMER_TIMEOUT" { push.times = 0 });
        "an authorization is not notified" => "gateway.notification.authorization" in 2:
            push(|_, push| if push.message.get("status") == "AUTHORIZED" { push.times = 0 });
        "a paid payment is notified as cancelled too" => "gateway.notification.change" in 2:
            push(|_, push| if push.message.get("status") == "PAID" {
                let mut other = push.message.clone();
                other.set("status", "CANCELLED");
                push.besides.push(other);
            });
    }
}

fn series() -> Vec<PlantedDefect> {
    planted! { "gateway":
        "an ordinary payment is charged again" => "gateway.recurring.bound" in 2:
            response(|asked, message| {
                remember(asked, message);
                let initiation = asked.text("initRecurringId");
                if asked.is("create") && asked.text("initRecurring") == "true" { asked.note(&format!("initial {}", message.get("transId")), "1") }
                let ordinary = !asked.recall(&format!("price {initiation}")).is_empty() && !asked.knows(&format!("initial {initiation}"));
                if asked.is("recurring") && !message.succeeds() && ordinary && !asked.is_by_another_merchant() && asked.text("price") != "990" {
                    message.accept_creation();
                }
            });
        "a recurring payment stays pending" => "gateway.recurring.background" in 4:
            response(|asked, message| {
                if asked.is("recurring") && message.succeeds() { asked.note(&format!("later {}", message.get("transId")), "1") }
                if asked.is("status") && asked.knows(&key(asked, "later")) { message.replace("status", "PENDING") }
            });
    }
}
