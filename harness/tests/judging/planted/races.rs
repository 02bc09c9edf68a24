//! Race conditions: two concurrent calls on one entity, and a server that checks both before either takes effect.

use serde_json::Value;

use super::PlantedDefect;
use crate::support::proxy::{Memory, Message, ObservedRequest};

pub fn key(asked: &ObservedRequest<'_>, fact: &str) -> String {
    format!("{fact} {}", about(asked))
}

/// The entity on which calls race.
fn about(asked: &ObservedRequest<'_>) -> String {
    if asked.is_of_api("device") { asked.world.clone() } else { asked.text("transId") }
}

fn inside(memory: &Memory, id: &str) -> usize {
    memory.lock().unwrap().get(&format!("inside {id}")).and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// Notes that a call arrives, and whether it overlaps with another one.
pub fn enters(asked: &ObservedRequest<'_>) {
    let count = inside(asked.memory, &about(asked)) + 1;
    asked.note(&key(asked, "inside"), count.to_string());
    if count > 1 {
        asked.note(&key(asked, "met"), "1");
    }
}

/// Notes that a call ends; returns whether it overlapped with another one.
pub fn leaves(asked: &ObservedRequest<'_>) -> bool {
    let has_met = asked.recall(&key(asked, "met")) == "1";
    let left = inside(asked.memory, &about(asked)).saturating_sub(1);
    asked.note(&key(asked, "inside"), left.to_string());
    if left == 0 {
        asked.note(&key(asked, "met"), "");
    }
    has_met
}

/// Remembers the amount of an accepted creation.
pub fn remember(asked: &ObservedRequest<'_>, message: &Message) {
    if asked.is("create") && message.fulfils() && message.has("transId") {
        let asked_for = if asked.is_of_api("qr") { "amount" } else { "price" };
        asked.note(&format!("price {}", message.get("transId")), asked.text(asked_for));
    }
}

/// Whether the call could be accepted on its own.
pub fn is_within(asked: &ObservedRequest<'_>) -> bool {
    let price: i64 = asked.recall(&key(asked, "price")).parse().unwrap_or(0);
    asked.text("amount").is_empty() || asked.text("amount").parse::<i64>().is_ok_and(|amount| (1..=price).contains(&amount))
}

fn is_cancel(asked: &ObservedRequest<'_>) -> bool {
    asked.is("v1.cancel") || asked.is("v2.cancel")
}

/// Whether the call overlapped with another one; forgets it.
fn was_between(asked: &ObservedRequest<'_>) -> bool {
    let was = asked.recall(&key(asked, "between")) == "1";
    asked.note(&key(asked, "between"), "");
    was
}

pub fn all() -> Vec<PlantedDefect> {
    [gateway(), qr(), device()].into_iter().flatten().collect()
}

fn device() -> Vec<PlantedDefect> {
    planted! { "device":
        "of two activations that meet both win" => "device.superseded.device-token" in 5:
            overlaps(|asked| asked.is("activate")),
            onward(|asked, _| if asked.is("activate") { enters(asked) }),
            response(|asked, message| {
                if asked.is("activate") && leaves(asked) { asked.note(&format!("met {}", message.get("deviceToken")), "1") }
                let is_superseded = asked.is("authenticate") && message.get("errorCode") == "DEVICE_REVOKED";
                if is_superseded && asked.knows(&format!("met {}", asked.token)) { message.becomes_a_response(&asked.sound()) }
            });
    }
}

pub fn gateway() -> Vec<PlantedDefect> {
    planted! { "gateway":
        "two refunds that meet get more than the price" => "gateway.refund.sum" in 4:
            overlaps(|asked| asked.is("refund")),
            onward(|asked, _| if asked.is("refund") { enters(asked) }),
            response(|asked, message| {
                remember(asked, message);
                let has_met = asked.is("refund") && leaves(asked);
                if has_met && message.get("code") == "1402" && is_within(asked) { message.accept() }
            });
        "a cancel that meets a refund is accepted too" => "gateway.payment.cancel-of-paid" in 4:
            overlaps(|asked| asked.is("refund")),
            onward(|asked, _| {
                if asked.is("refund") { enters(asked) }
                if is_cancel(asked) && inside(asked.memory, &asked.text("transId")) > 0 { asked.note(&key(asked, "between"), "1") }
            }),
            response(|asked, message| {
                if asked.is("refund") { leaves(asked); }
                if is_cancel(asked) && was_between(asked) && !message.succeeds() { message.accept() }
            });
        "two captures that meet are both accepted" => "gateway.capturePreauth.only-authorized" in 4:
            overlaps(|asked| asked.is("capturePreauth")),
            onward(|asked, _| if asked.is("capturePreauth") { enters(asked) }),
            response(|asked, message| {
                remember(asked, message);
                let has_met = asked.is("capturePreauth") && leaves(asked);
                if has_met && asked.knows(&key(asked, "captured")) && !message.succeeds() && is_within(asked) { message.accept() }
                if asked.is("capturePreauth") && message.succeeds() { asked.note(&key(asked, "captured"), "1") }
            });
        "what meets a capture is released as well" => "gateway.cancelPreauth.only-authorized" in 4:
            overlaps(|asked| asked.is("capturePreauth")),
            onward(|asked, _| {
                if asked.is("capturePreauth") { enters(asked) }
                if asked.is("cancelPreauth") && inside(asked.memory, &asked.text("transId")) > 0 { asked.note(&key(asked, "between"), "1") }
            }),
            response(|asked, message| {
                if asked.is("capturePreauth") { leaves(asked); }
                if asked.is("cancelPreauth") && was_between(asked) && asked.knows(&key(asked, "paid")) && !message.succeeds() { message.accept() }
            }),
            world(|deed| if deed.action == "payer.pays" {
                let id = deed.with.get("transId").and_then(Value::as_str).unwrap_or_default();
                deed.memory.lock().unwrap().insert(format!("paid {id}"), String::new());
            });
    }
}

pub fn qr() -> Vec<PlantedDefect> {
    planted! { "qr":
        "two refunds that meet get more than was paid" => "qr.refund.sum" in 4:
            overlaps(|asked| asked.is("refund.create")),
            onward(|asked, _| if asked.is("refund.create") { enters(asked) }),
            response(|asked, message| {
                remember(asked, message);
                let has_met = asked.is("refund.create") && leaves(asked);
                if has_met && [400, 409, 422].contains(&message.status) && is_within(asked) { message.becomes_a_response(&asked.sound()) }
            });
        "money that arrives while the method is changed is lost" => "qr.payment.paid" in 4:
            overlaps(|asked| asked.is("change-method")),
            onward(|asked, _| if asked.is("change-method") { enters(asked) }),
            response(|asked, _| if asked.is("change-method") { leaves(asked); }),
            world(|deed| {
                let id = deed.with.get("transId").and_then(Value::as_str).unwrap_or_default();
                if deed.action == "payer.pays" && inside(deed.memory, id) > 0 { deed.does_not_happen() }
            });
    }
}
