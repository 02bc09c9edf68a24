//! Allowances of the card terminal.

use std::sync::LazyLock;

use harness::engine::runner::Case;
use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

use super::{in_responses, not_flagged, promised};
use crate::support::proxy::{Ending, Message, ObservedRequest, Tamper, Translation};
use crate::support::shipped;

fn stories() -> Vec<Case> {
    promised(&["terminal / "])
}

#[tokio::test]
async fn a_price_as_an_integer_in_the_status() {
    let tamper = in_responses(|asked, message| {
        if asked.is("terminal.status") && message.succeeds() {
            message.set("price", message.get("price").parse::<i64>().unwrap());
        }
    });
    not_flagged(tamper, stories()).await;
}

/// `AB12-CD34-EF56-GH78` ↔ `tp9ab12cd34ef56gh78` for payments, `AB12CD-34EF56` ↔ `tr9ab12cd34ef56` for refunds.
const OTHER_IDENTIFIERS: Translation = Translation {
    inward: |text| {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bt([pr])9([a-z0-9]{12,16})\b").unwrap());
        let groups = |letters: &str, size| letters.as_bytes().chunks(size).map(String::from_utf8_lossy).collect::<Vec<_>>().join("-");
        let back = |found: &Captures<'_>| groups(&found[2], if &found[1] == "p" { 4 } else { 6 }).to_ascii_uppercase();
        PATTERN.replace_all(text, back).into_owned()
    },
    outward: |text| {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[A-Z0-9]{4,6}(-[A-Z0-9]{4,6})+\b").unwrap());
        let there = |found: &Captures<'_>| match found[0].matches('-').count() {
            3 => format!("tp9{}", found[0].replace('-', "").to_ascii_lowercase()),
            1 => format!("tr9{}", found[0].replace('-', "").to_ascii_lowercase()),
            _ => found[0].to_owned(),
        };
        PATTERN.replace_all(text, there).into_owned()
    },
};

#[tokio::test]
async fn identifiers_of_another_shape() {
    not_flagged(Tamper { words: Some(OTHER_IDENTIFIERS), ..Tamper::default() }, stories()).await;
}

#[tokio::test]
async fn optional_fields_may_be_absent() {
    const OPTIONAL: [&str; 6] = ["tip", "fee", "cardValid", "cardNumber", "paymentErrorReason", "amountRefunded"];
    not_flagged(in_responses(|_, message| OPTIONAL.iter().for_each(|field| message.remove(field))), stories()).await;
}

#[tokio::test]
async fn a_payment_is_authorized_before_it_is_paid() {
    let tamper = in_responses(|asked, message| {
        if asked.is("terminal.status") && message.get("status") == "PAID" && asked.first_time(&message.get("transId")) {
            message.set("status", "AUTHORIZED");
        }
    });
    not_flagged(tamper, shipped(&["terminal / a-payment-is-paid-on-the-terminal", "terminal / a-closing-counts-payments"])).await;
}

#[tokio::test]
async fn a_refused_closing_has_the_number_0_and_no_totals() {
    let tamper = in_responses(|asked, message| {
        if asked.is("closing") && !message.succeeds() {
            message.set("batchNumber", 0);
            message.set("batchData", json!([]));
        }
    });
    not_flagged(tamper, shipped(&["closed", "a-closing-", "opens-nothing", "credentials-are-refused"])).await;
}

/// Changes each of the totals of a closing.
fn totals(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
        totals.iter_mut().for_each(change);
    }
}

/// Exchanges the sides of a total.
fn other_sides(total: &mut Value) {
    let [amount, count] = ["creditsAmount", "creditsCount"].map(|field| total[field].clone());
    total["creditsAmount"] = std::mem::replace(&mut total["debitsAmount"], amount);
    total["creditsCount"] = std::mem::replace(&mut total["debitsCount"], count);
}

/// Gives the debits of a total a minus.
fn negative_debits(total: &mut Value) {
    total["debitsAmount"] = json!(-total["debitsAmount"].as_i64().unwrap());
}

#[tokio::test]
async fn payments_as_debits_and_refunds_as_credits() {
    let tamper = in_responses(|asked, message| totals(asked, message, other_sides));
    let plan = [stories(), shipped(&["a-closing-counts-no-reversed-money"])].concat();
    not_flagged(tamper, plan).await;
}

#[tokio::test]
async fn payments_as_debits_below_zero() {
    let tamper = in_responses(|asked, message| {
        totals(asked, message, |total| {
            other_sides(total);
            negative_debits(total);
        });
    });
    not_flagged(tamper, [stories(), shipped(&["a-closing-counts-", "a-closing-agrees-"])].concat()).await;
}

#[tokio::test]
async fn refunds_below_zero() {
    let tamper = in_responses(|asked, message| totals(asked, message, negative_debits));
    not_flagged(tamper, [stories(), shipped(&["a-closing-counts-"])].concat()).await;
}

#[tokio::test]
async fn a_reversal_left_out_of_the_totals() {
    let tamper = in_responses(|asked, message| {
        totals(asked, message, |total| {
            let left = total["creditsAmount"].as_i64().unwrap() - total["debitsAmount"].as_i64().unwrap();
            *total = json!({"curr": total["curr"], "creditsAmount": left, "creditsCount": 1, "debitsAmount": 0, "debitsCount": 0});
        });
    });
    not_flagged(tamper, shipped(&["a-closing-counts-no-reversed-money"])).await;
}

#[tokio::test]
async fn totals_of_both_currencies_also_of_the_one_that_was_not_used() {
    let tamper = in_responses(|asked, message| {
        let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) else { return };
        for curr in ["EUR", "CZK"] {
            if totals.iter().all(|total| total["curr"] != curr) {
                totals.push(json!({"curr": curr, "creditsAmount": 0, "creditsCount": 0, "debitsAmount": 0, "debitsCount": 0}));
            }
        }
    });
    let plan = [stories(), shipped(&["a-closing-after-a-closing-counts-nothing"])].concat();
    not_flagged(tamper, plan).await;
}

#[tokio::test]
async fn errors_by_any_http_status() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("terminal") && message.has("code") && !message.succeeds() {
            message.status = match asked.operation {
                "terminal.status" | "terminal.refund.status" => 404,
                "terminal.closing" => 503,
                "terminal.cancel" => 409,
                _ => 500,
            };
        }
    });
    let mut plan = stories();
    // This scenario checks the status itself.
    plan.retain(|case| case.name.scenario != "errors-may-have-any-http-status");
    not_flagged(tamper, plan).await;
}

#[tokio::test]
async fn the_terminal_status_without_a_code_and_a_message() {
    let tamper = in_responses(|asked, message| {
        if asked.is("terminal.state") && message.succeeds() {
            message.remove("code");
            message.remove("message");
        }
    });
    not_flagged(tamper, shipped(&["terminal / "])).await;
}

#[tokio::test]
async fn other_message_texts() {
    let tamper = in_responses(|asked, message| {
        // Document 2 names the messages of a refused closing.
        if asked.is_of_api("terminal") && message.get("code") != "1500" {
            message.replace("message", "Něco se povedlo; nebo nepovedlo & proč?");
        }
    });
    not_flagged(tamper, shipped(&["terminal / "])).await;
}

#[tokio::test]
async fn a_price_out_of_bounds_by_either_code() {
    let tamper = in_responses(|_, message| match message.get("code").as_str() {
        "1107" => message.set("code", 1309),
        "1309" => message.set("code", 1107),
        _ => {}
    });
    not_flagged(tamper, shipped(&["create-holds-its-limits", "create-of-a-refund-holds-its-limits"])).await;
}

#[tokio::test]
async fn a_cancel_after_a_closing_with_a_code_that_is_not_shown() {
    let tamper = in_responses(|asked, message| {
        if asked.is("terminal.cancel") && !message.succeeds() {
            message.set("code", 1405);
        }
    });
    not_flagged(tamper, shipped(&["a-payment-is-not-cancelled-after-a-closing"])).await;
}

#[tokio::test]
async fn a_reversal_that_fails_or_takes_its_time() {
    let tamper = Tamper {
        instead: Some(|asked| {
            let reversal = ["terminal.cancel", "terminal.refund.cancel"].contains(&asked.operation);
            reversal.then(|| Message::success(asked))
        }),
        ..Tamper::default()
    };
    not_flagged(tamper, shipped(&["a-paid-payment-is-cancelled", "a-refund-is-paid-back-and-cancelled"])).await;
}

#[tokio::test]
async fn a_reversed_payment_in_any_state() {
    let tamper = in_responses(|_, message| {
        if message.get("reversed") == "true" {
            message.set("status", "CANCELLED");
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn the_number_of_the_card_in_any_form() {
    let tamper = in_responses(|_, message| {
        let number = message.get("cardNumber");
        message.replace("cardNumber", format!("**** {}", &number[number.len().saturating_sub(4)..]));
    });
    not_flagged(tamper, shipped(&["terminal / "])).await;
}

#[tokio::test]
async fn further_fields() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("terminal") {
            message.set("serverTime", "2026-01-15T12:00:00Z");
            message.set("embedded", json!({"any": [1, null]}));
        }
    });
    not_flagged(tamper, shipped(&["terminal / "])).await;
}

#[tokio::test]
async fn json_spelled_otherwise() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("terminal") {
            let turned: Map<String, Value> = message.fields.clone().into_iter().rev().collect();
            message.raw(format!("\r\n\t{:#}\n\n", Value::Object(turned)).replace('/', "\\/"));
            message.header("content-type", "Application/JSON ;CharSet=\"utf-8\"");
            message.ending = Ending::Chunked;
        }
    });
    let mut plan = shipped(&["terminal / "]);
    // This scenario checks the spelling of the media type.
    plan.retain(|case| case.name.scenario != "every-answer-is-json");
    not_flagged(tamper, plan).await;
}
