//! Document 3: QR payments, their expiry and their refunds.

use serde_json::Value;

use super::PlantedDefect;
use crate::support::proxy::{Message, ObservedRequest, WorldAction};

fn key(asked: &ObservedRequest<'_>, fact: &str) -> String {
    format!("{fact} {}", asked.text("transId"))
}

/// Notes the payments that were paid.
fn note_paid(deed: &mut WorldAction<'_>) {
    if deed.action == "payer.pays" {
        let id = deed.with["transId"].as_str().unwrap_or_default().to_owned();
        deed.memory.lock().unwrap().insert(format!("paid {id}"), String::new());
    }
}

fn is_known_and_own(asked: &ObservedRequest<'_>) -> bool {
    asked.knows(&key(asked, "created"))
}

/// Notes each creation with its code and its amount.
fn note_created(asked: &ObservedRequest<'_>, message: &Message) {
    if asked.is("qr.create") && message.fulfils() {
        asked.note(&format!("created {}", message.get("transId")), message.get("paymentData"));
        asked.note(&format!("amount {}", message.get("transId")), asked.text("amount"));
    }
}

fn grant(asked: &ObservedRequest<'_>, message: &mut Message) {
    message.becomes_a_response(&asked.sound());
}

pub fn all() -> Vec<PlantedDefect> {
    [payments(), expiry(), refunds()].into_iter().flatten().collect()
}

fn payments() -> Vec<PlantedDefect> {
    planted! { "qr":
        "a paid payment is cancelled" => "qr.cancel.not-final" in 3:
            response(|asked, message| if asked.is("qr.cancel") && asked.knows(&key(asked, "paid")) && message.status == 409 { grant(asked, message) }),
            world(note_paid);
        "whom the merchant cancelled was cancelled by the payer" => "qr.status.reason.by-merchant" in 3:
            response(|asked, message| if asked.is("qr.status") && message.get("paymentRejectedReason") == "Canceled by merchant" {
                message.set("paymentRejectedReason", "Canceled by payer");
            });
        "a paid payment reads as pending" => "qr.payment.paid" in 3:
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "PAID" { message.set("status", "PENDING") });
        "the method of a paid payment is changed" => "qr.change-method.pending" in 3:
            response(|asked, message| {
                note_created(asked, message);
                if asked.is("change-method") && asked.knows(&key(asked, "paid")) && message.status == 409 {
                    grant(asked, message);
                    message.set("status", "PAID");
                    message.set("paymentData", asked.recall(&key(asked, "created")));
                }
            }),
            world(note_paid);
        "a foreign payment is not found" => "qr.token.other-payment" in 2:
            response(|asked, message| if asked.is("qr.cancel") && message.status == 403 { message.objects(asked, 404, "") });
        "an unknown method is taken" => "qr.change-method.method.known" in 2:
            response(|asked, message| {
                note_created(asked, message);
                if asked.is("change-method") && asked.text("method") == "NO_SUCH_METHOD" && message.status == 400 && is_known_and_own(asked) {
                    grant(asked, message);
                    message.set("paymentData", asked.recall(&key(asked, "created")));
                }
            });
    }
}

fn expiry() -> Vec<PlantedDefect> {
    planted! { "qr":
        "what is paid after an extension is not matched" => "qr.extend.matchable" in 4:
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PENDING" { asked.note(&key(asked, "extended"), "1") }),
            world(|deed| {
                let id = deed.with.get("transId").and_then(Value::as_str).unwrap_or_default().to_owned();
                let extended = deed.memory.lock().unwrap().contains_key(&format!("extended {id}"));
                if deed.action == "payer.pays" && extended { deed.does_not_happen() }
            });
        "a cancelled payment is extended" => "qr.payment.extend-of-cancelled" in 3:
            response(|asked, message| if asked.is("qr.extend") && message.status == 400 {
                grant(asked, message);
                message.set("status", "CANCELLED");
            });
        "a paid payment is not extended" => "qr.payment.extend-of-paid" in 3:
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PAID" { message.objects(asked, 409, "") });
        "an expired payment was cancelled by the provider" => "qr.status.reason.customer-timeout" in 3:
            response(|asked, message| if asked.is("qr.status") && message.get("paymentRejectedReason") == "Customer timeout" {
                message.set("paymentRejectedReason", "Canceled by provider");
            });
    }
}

fn refunds() -> Vec<PlantedDefect> {
    planted! { "qr":
        "two refunds together may be more than the payment" => "qr.refund.sum" in 4:
            response(|asked, message| {
                note_created(asked, message);
                let within = asked.text("amount").parse::<i64>().ok() <= asked.recall(&key(asked, "amount")).parse::<i64>().ok();
                let some = asked.text("amount").parse::<i64>().is_ok_and(|amount| amount > 0);
                if asked.is("refund.create") && message.fulfils() { asked.note(&key(asked, "refunded"), "1") }
                let refused = [400, 409, 422].contains(&message.status);
                if asked.is("refund.create") && refused && asked.knows(&key(asked, "refunded")) && within && some { grant(asked, message) }
            });
        "a pending payment is refunded" => "qr.refund.only-paid" in 2:
            response(|asked, message| {
                note_created(asked, message);
                if asked.is("refund.create") && message.status == 409 && is_known_and_own(asked) && !asked.knows(&key(asked, "paid")) {
                    grant(asked, message);
                }
            }),
            world(note_paid);
        "a refund that was sent back stays pending" => "qr.refund.refunded" in 5:
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "REFUNDED" { message.set("status", "PENDING") });
        "a refund that was rejected was sent back" => "qr.refund.rejected" in 5:
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "CANCELLED" { message.set("status", "REFUNDED") });
        "refunds are listed backwards" => "qr.status.refunds.order" in 5:
            response(|asked, message| if asked.is("qr.status")
                && let Some(Value::Array(refunds)) = message.fields.get_mut("refunds") { refunds.reverse() });
        "the third refund is refused" => "qr.refund.partial" in 5:
            response(|asked, message| if asked.is("refund.create") && message.fulfils() {
                let count = asked.recall(&key(asked, "refunds")).parse::<usize>().unwrap_or(0) + 1;
                asked.note(&key(asked, "refunds"), count.to_string());
                if count > 2 { message.objects(asked, 409, "") }
            });
        "a payment with a refund is no longer paid" => "qr.refund.partial" in 4:
            response(|asked, message| {
                if asked.is("refund.create") && message.fulfils() { asked.note(&key(asked, "refunded"), "1") }
                if asked.is("qr.status") && asked.knows(&key(asked, "refunded")) { message.replace("status", "PENDING") }
            });
    }
}
