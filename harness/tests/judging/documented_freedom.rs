//! What the documents leave to the target must not be flagged: the same proxy as in `broken_target`
//! gives answers and notifications that are different and still right.

use crate::allowances::OTHER_IDENTIFIERS;
use crate::support::proxy::{Ending, Message, ObservedRequest, Tamper, form};
use crate::support::{emulator, findings, judge_through, scripted, shipped, troubles};
use harness::base::verdict::Verdict;
use http::HeaderValue;
use serde_json::{Map, Value, json};

/// Stories that touch every call, both versions, errors and notifications.
const STORIES: &[&str] = &[
    "a-paid-payment-is-notified-and-reads-as-paid",
    "a-pending-payment-is-cancelled",
    "a-paid-payment-is-not-cancelled",
    "a-paid-payment-is-refunded-in-parts",
    "a-cancelled-payment-is-not-refunded",
    "a-foreign-payment-is-not-read",
    "a-notification-carries-the-secret-of-its-merchant",
    "a-payment-by-phone-alone-is-notified",
    "a-pre-authorization-is-authorized",
    "a-price-too-high-has-its-code",
    "a-refused-creation-is-not-notified",
    "an-unknown-payment-has-no-status",
    "an-unpaid-payment-expires-by-its-own-time / 30m",
    "every-currency-is-paid-end-to-end",
    "every-payment-has-an-identifier-of-its-own",
    "texts-come-back-as-they-were-sent",
    "v1-calls-with-a-wrong-secret-are-refused",
    "v2-calls-with-a-wrong-secret-are-refused",
    "create-in-v1-holds-its-limits / label",
    "create-in-v2-holds-its-limits / price",
];

/// Stories about what is optional, which only hold where it is given.
const OPTIONAL_STORIES: &[&str] = &["a-failed-payment-tells-the-reason / NO_FUNDS", "optional-fields-come-back-in-the-notification"];

/// Stories that count deliveries.
const COUNTING_STORIES: &[&str] =
    &["an-answer-204-acknowledges-a-notification", "any-other-answer-does-not-acknowledge / 500", "retries-go-on-until-acknowledged"];

/// Judges the stories through a proxy; nothing may be found.
async fn not_flagged(tamper: Tamper, stories: &[&[&str]]) {
    let names: Vec<String> = stories.concat().iter().map(|story| format!("gateway / {story}")).collect();
    let plan = shipped(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let count = plan.len();
    let finished = judge_through(&emulator().await, tamper, plan, 1).await;
    assert_eq!(finished.len(), count);
    let troubles = troubles(&finished);
    assert!(troubles.is_empty(), "{} of {count} are flagged:\n{}", troubles.len(), troubles.join("\n"));
}

const ALL: &[&[&str]] = &[STORIES, OPTIONAL_STORIES, COUNTING_STORIES];

/// A freedom in the responses.
fn answering(response: fn(&crate::support::proxy::ObservedRequest<'_>, &mut Message)) -> Tamper {
    Tamper { response: Some(response), ..Tamper::default() }
}

#[tokio::test]
async fn further_fields_in_the_status_of_v2() {
    not_flagged(
        answering(|asked, message| {
            if asked.is("v2.status") && message.succeeds() {
                message.set("country", "CZ");
                message.set("fullName", "Jan Novák");
                message.set("embedded", json!({"any": [1, null]}));
            }
        }),
        ALL,
    )
    .await;
}

const OPTIONAL: &[&str] = &[
    "payerId",
    "method",
    "account",
    "name",
    "phone",
    "payerName",
    "payerAcc",
    "fee",
    "vs",
    "cardValid",
    "cardNumber",
    "appliedFee",
    "appliedFeeType",
    "paymentErrorReason",
    "threeDSPreference",
    "threeDSApplied",
    "payer_name",
    "payer_acc",
];

#[tokio::test]
async fn optional_fields_may_be_absent() {
    let tamper = Tamper {
        response: Some(|asked, message| {
            if asked.is("status") {
                OPTIONAL.iter().for_each(|field| message.remove(field));
            }
        }),
        push: Some(|_, push| OPTIONAL.iter().for_each(|field| push.message.remove(field))),
        ..Tamper::default()
    };
    not_flagged(tamper, &[STORIES, COUNTING_STORIES]).await;
}

#[tokio::test]
async fn known_fields_without_a_value_are_empty_in_a_form() {
    let tamper = Tamper {
        response: Some(|asked, message| {
            if asked.is("v1.status") && message.succeeds() {
                for field in ["payerId", "account", "name", "vs", "payerName", "cardNumber", "appliedFee", "threeDSApplied"] {
                    if !message.has(field) {
                        message.set(field, "");
                    }
                }
            }
        }),
        ..Tamper::default()
    };
    not_flagged(tamper, ALL).await;
}

#[tokio::test]
async fn fields_of_a_refused_creation_are_empty_in_a_form() {
    let tamper = answering(|asked, message| {
        if asked.is("v1.create") && !message.succeeds() {
            message.set("transId", "");
            message.set("redirect", "");
        }
    });
    not_flagged(tamper, &[&["a-price-too-high-has-its-code", "v1-calls-with-a-wrong-secret-are-refused"]]).await;
}

#[tokio::test]
async fn errors_by_http_400() {
    not_flagged(
        answering(|_, message| {
            if !message.succeeds() {
                message.status = 400
            }
        }),
        ALL,
    )
    .await;
}

#[tokio::test]
async fn errors_by_http_500_and_403() {
    not_flagged(
        answering(|asked, message| {
            if !message.succeeds() {
                message.status = if asked.is("create") { 500 } else { 403 }
            }
        }),
        ALL,
    )
    .await;
}

#[tokio::test]
async fn a_creation_in_v2_by_http_201() {
    not_flagged(
        answering(|asked, message| {
            if asked.is("v2.create") && message.succeeds() {
                message.status = 201
            }
        }),
        ALL,
    )
    .await;
}

#[tokio::test]
async fn identifiers_of_another_shape() {
    not_flagged(Tamper { words: Some(OTHER_IDENTIFIERS), ..Tamper::default() }, ALL).await;
}

#[tokio::test]
async fn another_host_and_path_in_the_redirect() {
    not_flagged(answering(|_, message| message.replace("redirect", "https://pay5.example.com/r/x?lang=cs#top")), ALL).await;
}

#[tokio::test]
async fn other_message_texts() {
    not_flagged(answering(|_, message| message.replace("message", "Něco se povedlo; nebo nepovedlo & proč?")), ALL).await;
}

#[tokio::test]
async fn json_with_blanks_and_in_another_order() {
    not_flagged(
        answering(|_, message| {
            if !message.is_form() {
                let turned: Map<String, Value> = message.fields.clone().into_iter().rev().collect();
                message.raw(format!("\r\n\t{:#}\n\n", Value::Object(turned)));
            }
        }),
        ALL,
    )
    .await;
}

#[tokio::test]
async fn json_with_escapes() {
    let tamper =
        Tamper { response: Some(|_, message| escape(message)), push: Some(|_, push| escape(&mut push.message)), ..Tamper::default() };
    not_flagged(tamper, ALL).await;
}

/// Every character beyond ASCII, and the slash, as JSON may write them.
fn escape(message: &mut Message) {
    if !message.is_form() {
        let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
        let text: String = message.body_text().chars().map(|c| if c.is_ascii() { c.to_string() } else { units(c) }).collect();
        message.raw(text.replace('/', "\\/"));
    }
}

#[tokio::test]
async fn forms_in_another_order_and_spelling() {
    fn respell(message: &mut Message) {
        if message.is_form() {
            let turned: Map<String, Value> = message.fields.clone().into_iter().rev().collect();
            message.raw(form(&turned).replace("%20", "+").replace("%2C", ",").replace("%3A", ":").replace("%2F", "/") + "&");
        }
    }
    let tamper =
        Tamper { response: Some(|_, message| respell(message)), push: Some(|_, push| respell(&mut push.message)), ..Tamper::default() };
    not_flagged(tamper, ALL).await;
}

#[tokio::test]
async fn a_media_type_without_charset() {
    fn plain(message: &mut Message) {
        message.header("content-type", if message.is_form() { "application/x-www-form-urlencoded" } else { "application/json" });
    }
    let tamper =
        Tamper { response: Some(|_, message| plain(message)), push: Some(|_, push| plain(&mut push.message)), ..Tamper::default() };
    not_flagged(tamper, ALL).await;
}

#[tokio::test]
async fn a_media_type_in_capitals_with_parameters() {
    fn loud(message: &mut Message) {
        let essence = if message.is_form() { "Application/X-WWW-Form-UrlEncoded" } else { "Application/JSON" };
        message.header("content-type", &format!("{essence} ;CharSet=\"utf-8\""));
    }
    let tamper = Tamper { response: Some(|_, message| loud(message)), push: Some(|_, push| loud(&mut push.message)), ..Tamper::default() };
    not_flagged(tamper, ALL).await;
}

#[tokio::test]
async fn chunked_bodies() {
    not_flagged(answering(|_, message| message.ending = Ending::Chunked), ALL).await;
}

#[tokio::test]
async fn header_names_in_capitals_and_further_headers() {
    let tamper = Tamper {
        title_case: true,
        response: Some(|_, message| {
            message.header("x-request-id", "1");
            message.header("cache-control", "no-store");
            message.headers.append("set-cookie", HeaderValue::from_static("session=1"));
            message.headers.append("set-cookie", HeaderValue::from_static("lang=cs"));
        }),
        ..Tamper::default()
    };
    not_flagged(tamper, ALL).await;
}

#[tokio::test]
async fn the_same_result_delivered_twice() {
    let tamper = Tamper { push: Some(|_, push| push.times = 2), ..Tamper::default() };
    not_flagged(tamper, &[STORIES, OPTIONAL_STORIES]).await;
}

#[tokio::test]
async fn a_price_out_of_bounds_by_either_code() {
    not_flagged(
        answering(|_, message| match message.get("code").as_str() {
            "1107" => message.set("code", 1309),
            "1309" => message.set("code", 1107),
            _ => {}
        }),
        ALL,
    )
    .await;
}

/// The payment is paid and the status call has said so before its notification comes.
const LATE: &str = "
title: A notification may come after the status call
clauses: [gateway.notification.completion]
cases:
  - { name: v1.0, create: gateway.v1.create, status: gateway.v1.status }
  - { name: v2.0, create: gateway.v2.create, status: gateway.v2.status }
steps:
  - call: '{{ create }}'
    keep: { payment: transId }
  - world: payer.pays
    with: { transId: '{{ payment }}' }
  - call: '{{ status }}'
    with: { transId: '{{ payment }}' }
    expect: { status: PAID }
  - notification: { transId: '{{ payment }}', status: PAID }
  - call: '{{ status }}'
    with: { transId: '{{ payment }}' }
    expect: { status: PAID }
";

#[tokio::test]
async fn a_notification_that_comes_after_the_status_call() {
    let late = Tamper { late: true, ..Tamper::default() };
    let finished = judge_through(&emulator().await, late, scripted(LATE), 1).await;
    assert_eq!((finished.len(), troubles(&finished)), (2, vec![]));
}

/// When an outage ends may be an estimate, so another one may last beyond the end that is listed, or have none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_outage_lasts_beyond_its_estimated_end() {
    fn overrun(asked: &ObservedRequest<'_>, message: &mut Message, end: Option<&str>) {
        if asked.is("health") {
            message.set("gateway", "OUTAGE");
        }
        if asked.is("outages") {
            let mut other = json!({
                "id": 999_001, "name_cs": "Výpadek", "name_sk": "Výpadok", "name_en": "Outage",
                "date_from": "2026-01-15T06:00:00Z", "date_published": "2026-01-15T06:05:00Z",
                "detail_cs": "Brána je nedostupná.", "detail_sk": "Brána je nedostupná.", "detail_en": "The gateway is not available.",
                "methods": [], "type": "COMPLETE", "scheduled": false,
            });
            if let Some(end) = end {
                other["date_to"] = end.into();
            }
            message.records(|records| records.push(other));
        }
    }
    let cases = [
        "a-complete-outage-is-told-while-it-lasts",
        "an-outage-of-some-methods-leaves-the-gateway-ok / payment button",
        "the-health-is-outage-until-the-last-complete-outage-ends",
        "the-health-is-outage-while-an-earlier-outage-lasts",
        "maintenance-of-a-far-day-is-told-as-it-is-planned",
    ];
    let responses: [fn(&ObservedRequest<'_>, &mut Message); 2] =
        [|asked, message| overrun(asked, message, Some("2026-01-15T08:00:00Z")), |asked, message| overrun(asked, message, None)];
    for response in responses {
        let lasting = Tamper { response: Some(response), ..Tamper::default() };
        assert_eq!(troubles(&judge_through(&emulator().await, lasting, shipped(&cases), 1).await), Vec::<String>::new());
    }
}

/// The documents require a full name and list the values of a boolean; whether an empty text or another word is refused they do not
/// say. Nothing of that kind is sent, so a target may take it or refuse it.
#[test]
fn what_may_be_taken_or_refused_is_not_sent() {
    let cases = shipped(&["create-in-v1-holds-its-limits / ", "create-in-v2-holds-its-limits / "]);
    let names: Vec<String> = cases.iter().map(|case| case.name.to_string()).collect();
    let of = |field: &str| names.iter().filter(|name| name.contains(&format!(" / {field}: "))).collect::<Vec<_>>();
    assert_eq!(of("fullName").iter().filter(|name| !name.contains("absent") && !name.contains("instead of")).count(), 0, "{names:#?}");
    let booleans = ["test", "prepareOnly", "preauth", "initRecurring", "verification", "dynamicExpiration"];
    let unreadable: Vec<_> = booleans.iter().flat_map(|field| of(field)).filter(|name| !name.ends_with(": true")).collect();
    assert!(unreadable.is_empty(), "{unreadable:#?}");
}

/// A step that keeps the method with this identifier, wherever it is in the list.
fn keeping(id: &str) -> String {
    format!(
        "title: A method is kept\nclauses: [qr.methods.call]\nsteps:\n  - call: qr.methods\n    keep: {{ method: {{ item: {{ id: {id} }}, in: \
         /methods }} }}\n    clause: qr.methods.call\n  - call: qr.methods\n    expect: {{ methods: {{ $contains: {{ id: {id}, name: '{{{{ \
         method.name }}}}' }} }} }}\n"
    )
}

#[tokio::test]
async fn an_item_is_kept_wherever_it_is_and_one_that_is_missing_is_found() {
    let emulator = emulator().await;
    for id in ["BANK_CZ_T_OTHER", "BANK_CZ_T_PB"] {
        let kept = judge_through(&emulator, Tamper::default(), scripted(&keeping(id)), 1).await;
        assert_eq!(kept[0].verdict, Verdict::Passed, "{id}");
    }
    let missing = judge_through(&emulator, Tamper::default(), scripted(&keeping("NO_SUCH_METHOD")), 2).await;
    let found: Vec<_> = findings(&missing[0]).iter().map(|finding| (finding.clause(), finding.message.as_str())).collect();
    assert_eq!(found, [("qr.methods.call", "no item in the list is the one that the following steps need")]);
}
