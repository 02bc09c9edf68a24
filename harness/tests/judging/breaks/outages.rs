//! Lies about outages that are over, have begun or stand beside others, and about the payments that are created meanwhile.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

pub fn all() -> Vec<Break> {
    [over(), begun(), early(), beside(), lasting(), created()].into_iter().flatten().collect()
}

/// Remembers that an outage has ended.
fn ends(deed: &mut WorldAction<'_>) {
    if deed.action == "outage.ends" && !remember(deed.memory, "over") {
        remember(deed.memory, "both over");
    }
}

/// Remembers that time has passed.
fn passes(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" {
        remember(deed.memory, "begun");
    }
}

/// Remembers that an outage was published, and that one has ended.
fn starts(deed: &mut WorldAction<'_>) {
    if deed.action == "outage.starts" {
        remember(deed.memory, "published");
    }
    ends(deed);
}

/// Changes every outage once this is known.
fn once(asked: &ObservedRequest<'_>, message: &mut Message, fact: &str, change: fn(&mut Value)) {
    if asked.is("outages") && asked.knows(fact) {
        message.each(change);
    }
}

const OVER_BUTTON: &str = "an-outage-that-is-over-is-listed-with-its-own-times / payment button";
const OVER_QR: &str = "an-outage-that-is-over-is-listed-with-its-own-times / QR code";

fn over() -> Vec<Break> {
    breaks! {
        "an outage that is over began when it ended" in OVER_BUTTON => "status.outages.date_from.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_from"] = outage["date_to"].clone()));
        "an outage that is over was published when it ended" in OVER_QR => "status.outages.date_published.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_published"] = outage["date_to"].clone()));
        "an outage that is over ends as was expected" in OVER_BUTTON => "status.outages.date_to.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_to"] = json!("2027-01-01T00:00:00Z")));
        "an outage that is over was planned" in OVER_QR => "status.outages.scheduled.value":
            world(ends), response(|asked, message| once(asked, message, "over", |outage| outage["scheduled"] = json!(true)));
        "an outage that is over is described in Czech only" in OVER_BUTTON => "status.outages.languages":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["detail_en"] = outage["detail_cs"].clone()));
        "an outage that is over names the first of its methods" in OVER_QR => "status.outages.methods.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["methods"] = json!([outage["methods"][0]])));
    }
}

const BEGUN_BUTTON: &str = "maintenance-that-has-begun-is-listed-as-it-was-planned / payment button";
const BEGUN_QR: &str = "maintenance-that-has-begun-is-listed-as-it-was-planned / QR code";

fn begun() -> Vec<Break> {
    breaks! {
        "maintenance of a method is unplanned once it has begun" in BEGUN_BUTTON => "status.outages.scheduled.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["scheduled"] = json!(false)));
        "maintenance that has begun is one of everything" in BEGUN_QR => "status.outages.type.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["type"] = json!("COMPLETE")));
        "maintenance that has begun began when it was published" in BEGUN_BUTTON => "status.outages.date_from.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| {
                outage["date_from"] = outage["date_published"].clone();
            }));
        "maintenance that has begun ends another day" in BEGUN_QR => "status.outages.date_to.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| outage["date_to"] = json!("2027-01-01T00:00:00Z")));
        "maintenance is published when it has begun" in BEGUN_BUTTON => "status.outages.date_published.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| {
                outage["date_published"] = outage["date_from"].clone();
            }));
        "maintenance that has begun has a Czech name only" in BEGUN_QR => "status.outages.languages":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| outage["name_sk"] = outage["name_cs"].clone()));
        "maintenance that has begun names no methods" in BEGUN_BUTTON => "status.outages.methods.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["methods"] = json!([])));
    }
}

const EARLY: &str = "maintenance-that-ends-before-its-time-is-over";

fn early() -> Vec<Break> {
    breaks! {
        "the health is OUTAGE to the planned end of maintenance" in EARLY => "status.health.gateway.OK":
            world(ends),
            response(|asked, message| if asked.is("health") && asked.knows("over") { message.set("gateway", "OUTAGE") });
        "maintenance that ended early was not planned" in EARLY => "status.outages.scheduled.value":
            world(ends), response(|asked, message| once(asked, message, "over", |outage| outage["scheduled"] = json!(false)));
        "maintenance of the gateway is unplanned once it has begun" in EARLY => "status.outages.scheduled.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["scheduled"] = json!(false)));
        "maintenance of the gateway is published when it has begun" in EARLY => "status.outages.date_published.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| {
                outage["date_published"] = outage["date_from"].clone();
            }));
        "what ended early is not listed" in EARLY => "status.outages.resolved":
            world(ends), response(|asked, message| if asked.is("outages") && asked.knows("over") { message.records(Vec::clear) });
        "no payment of v1.0 is created after maintenance" in EARLY => "status.health.gateway.OK":
            world(ends), response(|asked, message| if asked.is("v1.create") && asked.knows("over") { message.refuse(1319) });
    }
}

const BESIDE: &str = "a-complete-outage-beside-others-is-outage-until-it-ends";

fn beside() -> Vec<Break> {
    breaks! {
        "the health is that of the newest outage of any kind" in BESIDE => "status.health.gateway.OUTAGE":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OK") });
        "the health is OUTAGE until no outage is left" in BESIDE => "status.health.gateway.OK":
            world(ends),
            response(|asked, message| if asked.is("health") && asked.knows("over") { message.set("gateway", "OUTAGE") });
        "a complete outage hides those of methods" in BESIDE => "status.outages.current":
            response(|asked, message| if asked.is("outages") {
                message.records(|records| if records.iter().any(|record| record["type"] == "COMPLETE") {
                    records.retain(|record| record["type"] == "COMPLETE" || record["scheduled"] == true);
                });
            });
        "a complete outage hides what is planned" in BESIDE => "status.outages.planned":
            response(|asked, message| if asked.is("outages") {
                message.records(|records| if records.iter().any(|record| record["type"] == "COMPLETE") {
                    records.retain(|record| record["scheduled"] != true);
                });
            });
        "of two outages that are over the last is listed" in BESIDE => "status.outages.resolved":
            world(ends), response(|asked, message| if asked.is("outages") && asked.knows("both over") {
                message.records(|records| records.retain(|record| record["type"] != "COMPLETE"));
            });
    }
}

fn lasting() -> Vec<Break> {
    breaks! {
        "the health is OK on the third day of an outage" in "a-complete-outage-of-days-is-outage-to-its-end / unplanned"
            => "status.health.gateway.OUTAGE":
            world(passes),
            response(|asked, message| if asked.is("health") && asked.knows("begun") { message.set("gateway", "OK") });
        "an outage is not listed on its third day" in "a-complete-outage-of-days-is-outage-to-its-end / planned"
            => "status.outages.current":
            world(passes),
            response(|asked, message| if asked.is("outages") && asked.knows("begun") { message.records(Vec::clear) });
    }
}

/// Whether an outage lasts.
fn lasts(asked: &ObservedRequest<'_>) -> bool {
    asked.knows("published") && !asked.knows("over")
}

fn created() -> Vec<Break> {
    breaks! {
        "no payment of v1.0 is created while maintenance is planned" in "payments-are-created-while-maintenance-is-planned / v1.0"
            => "status.health.gateway.OK":
            world(starts), response(|asked, message| if asked.is("create") && lasts(asked) { message.refuse(1319) });
        "no production payment is created while maintenance is planned"
            in "payments-are-created-while-maintenance-is-planned / production in v2.0" => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("create") && lasts(asked) && asked.text("test") == "false" {
                message.refuse(1319);
            });
        "an outage of one bank closes all banks" in "an-outage-of-one-bank-leaves-another-bank / another bank in v1.0"
            => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if lasts(asked) && asked.is("create") && asked.text("method").starts_with("BANK") {
                message.refuse(1308);
            });
        "a bank stays closed after its outage" in "an-outage-of-one-bank-leaves-another-bank / another bank in v2.0"
            => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("create") && asked.text("method") == "BANK_CZ_RB" { message.refuse(1308) });
        "no production payment is created during an outage of a bank"
            in "an-outage-of-one-bank-leaves-another-bank / card in production in v2.0" => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("create") && lasts(asked) && asked.text("test") == "false" {
                message.refuse(1319);
            });
        "no payer is sent on during an outage of a bank" in "an-outage-of-one-bank-leaves-another-bank / card in v2.0"
            => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("paymentRedirect") && lasts(asked) {
                message.becomes_a_page(200, "<h1>Outage</h1>");
            });
    }
}
