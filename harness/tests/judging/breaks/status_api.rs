//! Outages that are missing or wrong, and a wrong health.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, remember};

/// Sets a field of every outage.
pub(super) fn every_outage(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, value: impl Fn(&Value) -> Value) {
    if asked.is("outages") {
        message.records(|records| records.iter_mut().for_each(|record| record[field] = value(&record[field])));
    }
}

/// Summer time written as if it were UTC.
pub(super) fn an_hour_late(date: &Value) -> Value {
    let date = date.as_str().unwrap();
    let hour: u8 = date[11..13].parse().unwrap();
    format!("{}{:02}{}", &date[..11], hour + 1, &date[13..]).into()
}

/// An outage that ended long ago is listed, and the health is still that of its time.
fn never_recovers(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("health") {
        message.set("gateway", "OUTAGE");
    }
    if asked.is("outages") {
        message.records(|records| {
            records.push(json!({
                "id": 999_001, "name_cs": "Výpadek", "name_sk": "Výpadok", "name_en": "Outage",
                "date_from": "2025-12-20T08:00:00Z", "date_to": "2025-12-20T09:00:00Z", "date_published": "2025-12-20T08:05:00Z",
                "detail_cs": "Brána byla nedostupná.", "detail_sk": "Brána bola nedostupná.", "detail_en": "The gateway was not available.",
                "methods": [], "type": "COMPLETE", "scheduled": false,
            }));
        });
    }
}

/// Outages that are missing or wrong, and a wrong health.
pub fn all() -> Vec<Break> {
    [outages(), health(), excused()].into_iter().flatten().collect()
}

const COMPLETE: &str = "a-complete-outage-is-told-while-it-lasts";
const PLANNED: &str = "a-planned-outage-is-told-before-it-begins";
const FAR: &str = "maintenance-of-a-far-day-is-told-as-it-is-planned";
const BUTTON: &str = "an-outage-of-some-methods-leaves-the-gateway-ok / payment button";

fn outages() -> Vec<Break> {
    breaks! {
        "outages as a page" in PLANNED => "status.outages.call":
            response(|asked, message| if asked.is("outages") { message.becomes_a_page(200, "<h1>Outages</h1>") });
        "maintenance only" in COMPLETE => "status.outages.current":
            response(|asked, message| if asked.is("outages") { message.records(|records| records.retain(|record| record["scheduled"] == true)) });
        "maintenance is not announced" in PLANNED => "status.outages.planned":
            response(|asked, message| if asked.is("outages") { message.records(|records| records.retain(|record| record["scheduled"] == false)) });
        "what is over is forgotten" in COMPLETE => "status.outages.resolved":
            world(|deed| if deed.action == "outage.ends" { _ = remember(deed.memory, "over") }),
            response(|asked, message| if asked.is("outages") && asked.knows("over") { message.records(Vec::clear) });
        "maintenance is told as unplanned" in PLANNED => "status.outages.scheduled.value":
            response(|asked, message| every_outage(asked, message, "scheduled", |_| json!(false)));
        "an outage begins in local time" in PLANNED => "status.outages.date_from.value":
            response(|asked, message| every_outage(asked, message, "date_from", an_hour_late));
        "an outage ends in local time" in PLANNED => "status.outages.date_to.value":
            response(|asked, message| every_outage(asked, message, "date_to", an_hour_late));
        "an outage ends on a day that February lacks" in PLANNED => "status.outages.date_to.format":
            response(|asked, message| every_outage(asked, message, "date_to", |_| json!("2027-02-30T10:00:00Z")));
        "an outage is published in local time" in "an-outage-record-has-every-field" => "status.outages.date_published.value":
            response(|asked, message| every_outage(asked, message, "date_published", an_hour_late));
        "two outages under one number" in "every-outage-has-an-identifier-of-its-own" => "status.outages.id.unique":
            response(|asked, message| if asked.is("outages") {
                message.records(|records| {
                    let first = records[0]["id"].clone();
                    records.iter_mut().for_each(|record| record["id"] = first.clone());
                });
            });
        "maintenance is an outage of buttons" in FAR => "status.outages.type.value":
            response(|asked, message| every_outage(asked, message, "type", |_| json!("PAYMENT_BUTTON")));
        "maintenance of a far day is told as unplanned" in FAR => "status.outages.scheduled.value":
            response(|asked, message| every_outage(asked, message, "scheduled", |_| json!(false)));
        "what is far off is not listed" in FAR => "status.outages.planned":
            response(|asked, message| if asked.is("outages") { message.records(Vec::clear) });
        "maintenance is published when it begins" in FAR => "status.outages.date_published.value":
            response(|asked, message| every_outage(asked, message, "date_published", |_| json!("2099-03-01T22:00:00Z")));
        "the English name in Czech" in "an-outage-is-described-in-three-languages" => "status.outages.languages":
            response(|asked, message| every_outage(asked, message, "name_en", |_| json!("Údržba banky")));
        "in Czech only" in "an-outage-record-has-every-field" => "status.outages.languages":
            response(|asked, message| if asked.is("outages") {
                message.records(|records| records.iter_mut().for_each(|record| {
                    record.as_object_mut().unwrap().retain(|name, _| !name.ends_with("_sk") && !name.ends_with("_en"));
                }));
            });
        "one method of several" in BUTTON => "status.outages.methods.value":
            response(|asked, message| every_outage(asked, message, "methods", |methods| json!([methods[0]])));
        "every outage is a full one" in BUTTON => "status.outages.type.value":
            response(|asked, message| every_outage(asked, message, "type", |_| json!("COMPLETE")));
    }
}

fn health() -> Vec<Break> {
    breaks! {
        "the status API asks for credentials" in "the-status-needs-no-credentials" => "status.access":
            response(|asked, message| if asked.operation.starts_with("status.") && asked.credentials.0.is_empty() {
                message.becomes_a_page(401, "<h1>Unauthorized</h1>");
            });
        "out of order long before the maintenance" in FAR => "status.health.gateway.OUTAGE":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OUTAGE") });
        "an outage of one button is one of everything" in BUTTON => "status.health.gateway.OK":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OUTAGE") });
        "all is well, whatever happens" in COMPLETE => "status.health.gateway.OUTAGE":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OK") });
        "the health tells the newest outage alone" in "the-health-is-outage-while-an-earlier-outage-lasts"
            => "status.health.gateway.OUTAGE":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OK") });
        "a gateway that is fine is called unavailable" in "the-health-tells-the-current-time" => "status.health.call":
            response(|asked, message| if asked.is("health") { message.status = 503 });
        "half past midnight as 24:30" in "the-status-needs-no-credentials" => "status.health.date.format":
            response(|asked, message| if asked.is("health") { message.set("date", "2026-03-01T24:30:00Z") });
        "a date from the build" in "the-health-tells-the-current-time" => "status.health.date.value":
            response(|asked, message| if asked.is("health") { message.set("date", "2020-01-01T00:00:00Z") });
        "the clock stands still" in "the-health-tells-the-time-of-the-server" => "status.health.date.value":
            response(|asked, message| if asked.is("health") {
                let first = asked.memory.lock().unwrap().entry("date".to_owned()).or_insert(message.get("date")).clone();
                message.set("date", first);
            });
    }
}

/// An earlier outage that is listed as resolved explains nothing.
fn excused() -> Vec<Break> {
    breaks! {
        "an outage of long ago ends with no other" in COMPLETE => "status.health.gateway.OK":
            response(never_recovers);
        "an outage of long ago lasts during one of a method" in BUTTON => "status.health.gateway.OK":
            response(never_recovers);
        "an outage of long ago lasts until maintenance of a far day" in FAR => "status.health.gateway.OK":
            response(never_recovers);
        "an outage of long ago lasts after maintenance" in PLANNED => "status.health.gateway.OK":
            response(never_recovers);
        "an outage of long ago ends neither with the last" in "the-health-is-outage-until-the-last-complete-outage-ends"
            => "status.health.gateway.OK":
            response(never_recovers);
        "an outage of long ago ends neither with the first" in "the-health-is-outage-while-an-earlier-outage-lasts"
            => "status.health.gateway.OK":
            response(never_recovers);
    }
}
