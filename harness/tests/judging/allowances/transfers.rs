//! Allowances of the calls for transfers.

use harness::engine::runner::Case;
use serde_json::{Value, json};

use super::{in_responses, live, not_flagged, promised};
use crate::support::proxy::{Message, ObservedRequest};
use crate::support::shipped;

/// Every case, including those for an emulator only.
pub(super) fn everything() -> Vec<Case> {
    let mut plan = promised(&["transfers / "]);
    // This scenario counts every row.
    plan.retain(|case| case.name.scenario != "a-day-of-many-payments");
    plan
}

#[tokio::test]
async fn errors_by_http_404_without_a_body() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("transfers") && !message.fulfils() {
            message.headers.remove("content-type");
            message.becomes_an_error(404);
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn errors_by_http_403_as_a_page() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("transfers") && !message.fulfils() {
            message.becomes_a_page(403, "<h1>Forbidden</h1>");
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn errors_by_http_200_with_a_code_and_a_message() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("transfers") && !message.fulfils() {
            message.status = 200;
            message.as_json();
            message.raw(r#"{"code":1400,"message":"transfer not found"}"#);
        }
    });
    not_flagged(tamper, everything()).await;
}

/// The bodies of these errors are not shown, nor are their statuses: what is for nobody else may be an empty list.
#[tokio::test]
async fn errors_by_http_200_with_any_json() {
    fn errs(asked: &ObservedRequest<'_>, message: &mut Message, body: &str) {
        if asked.is_of_api("transfers") && !message.fulfils() {
            message.status = 200;
            message.as_json();
            message.raw(body);
        }
    }
    let tampers = [
        in_responses(|asked, message| errs(asked, message, "[]")),
        in_responses(|asked, message| errs(asked, message, r#"{"error":"unknown transfer"}"#)),
    ];
    for tamper in tampers {
        not_flagged(tamper, shipped(&["transfers / a-foreign-transfer-", "a-day-without-transfers-has-none"])).await;
    }
}

/// Changes each item of a detail.
fn detailed(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if asked.is("transfers.detail") {
        message.each(change);
    }
}

#[tokio::test]
async fn a_payment_without_product_and_accounting_month() {
    let tamper = in_responses(|asked, message| {
        detailed(asked, message, |item| {
            item["Měsíc fakturace"] = Value::Null;
            if item["Produkt"].is_null() {
                item["Produkt"] = json!("");
            }
        });
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn a_negative_fee_of_the_processor() {
    let tamper = in_responses(|asked, message| {
        let fees = [("Poplatek mezibankovní", "1,60"), ("Poplatek asociace", "0,30"), ("Poplatek zpracovatel", "-0,40")];
        detailed(asked, message, |item| fees.iter().for_each(|(key, value)| item[*key] = json!(value)));
        message.table(asked, |table| {
            fees.iter().for_each(|(key, value)| table.set(key, value));
            table.lines.pop();
        });
    });
    not_flagged(tamper, shipped(&["a-payment-tells-one-story-everywhere"])).await;
}

#[tokio::test]
async fn a_fee_without_its_parts() {
    let tamper = in_responses(|asked, message| {
        let parts = ["Poplatek mezibankovní", "Poplatek asociace", "Poplatek zpracovatel"];
        detailed(asked, message, |item| parts.iter().for_each(|key| item[*key] = json!("")));
        message.table(asked, |table| parts.iter().for_each(|key| table.set(key, "")));
    });
    not_flagged(tamper, everything()).await;
}

/// The document does not list the types of items.
#[tokio::test]
async fn items_of_a_detail_that_are_no_payments() {
    let tamper = in_responses(|asked, message| {
        if asked.is("transfers.detail") {
            message.records(|items| {
                let mut monthly = items[0].clone();
                monthly["typ"] = json!(3);
                for key in
                    ["Datum založení", "Datum zaplacení", "ID Service", "Metoda", "Popis", "E-mail plátce", "ID od klienta", "Typ karty"]
                {
                    monthly[key] = json!("");
                }
                for key in ["Poplatek celkem", "Poplatek mezibankovní", "Poplatek asociace", "Poplatek zpracovatel"] {
                    monthly[key] = json!("0,00");
                }
                monthly["Potvrzená částka"] = json!("-99,00");
                monthly["Převedená částka"] = json!("-99,00");
                items.push(monthly);
            });
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn a_payment_date_of_another_shape() {
    let tamper = in_responses(|asked, message| {
        detailed(asked, message, |item| {
            let paid = item["Datum zaplacení"].as_str().unwrap().replace(' ', "T");
            item["Datum zaplacení"] = json!(format!("{paid}+01:00"));
        });
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn a_payment_date_in_the_czech_way() {
    let tamper = in_responses(|asked, message| {
        detailed(asked, message, |item| {
            if let Ok(paid) = item["Datum zaplacení"].as_str().unwrap().parse::<jiff::civil::DateTime>() {
                item["Datum zaplacení"] = json!(paid.strftime("%-d. %-m. %Y %H:%M:%S").to_string());
            }
        });
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn thousands_set_apart() {
    let tamper = in_responses(|asked, message| {
        detailed(asked, message, |item| {
            let amount = item["Potvrzená částka"].as_str().unwrap().to_owned();
            if amount.len() > "100,00".len() && !amount.starts_with('-') {
                let (thousands, rest) = amount.split_at(amount.len() - "000,00".len());
                item["Potvrzená částka"] = json!(format!("{thousands}\u{a0}{rest}"));
            }
        });
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn accounts_by_their_iban() {
    let tamper = in_responses(|asked, message| {
        if asked.is("transfers.list") {
            message.each(|item| item["accountCounterparty"] = json!("CZ65 0800 0000 1920 0014 5399"));
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn json_spelled_otherwise() {
    let tamper = in_responses(|asked, message| {
        if let (true, Ok(value)) = (asked.is_of_api("transfers"), serde_json::from_slice::<Value>(&message.bytes())) {
            let spelled = format!("\n{value:#}\r\n").replace('/', "\\/").replace('č', "\\u010d");
            message.header("content-type", "application/json");
            message.raw(spelled);
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn further_fields() {
    fn more(message: &mut Message) {
        if message.raw.is_none() {
            message.set("velikost", 1234);
        }
        message.each(|item| item["Poznámka"] = json!(null));
    }
    not_flagged(
        in_responses(|asked, message| {
            if asked.is_of_api("transfers") {
                more(message)
            }
        }),
        everything(),
    )
    .await;
}

#[tokio::test]
async fn a_day_without_transfers_as_an_error() {
    let tamper = in_responses(|asked, message| {
        if asked.is("transfers.list") && message.body_text() == "[]" {
            message.becomes_an_error(404);
        }
    });
    not_flagged(tamper, live(&["transfers / "])).await;
}

/// The target defines the samples.
#[tokio::test]
async fn another_sample_transfer() {
    let tamper = in_responses(|asked, message| {
        if asked.is("transfers.list") && asked.query_parameter("test") == "true" {
            message.each(|item| item["transferId"] = json!(123456789));
        }
    });
    not_flagged(tamper, everything()).await;
}
