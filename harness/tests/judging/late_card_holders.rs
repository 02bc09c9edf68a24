//! A card holder is a person: the driver has returned, and the terminal learns of it only some calls later.

use harness::base::verdict::Verdict;
use serde_json::json;

use crate::live_shop::{everybody, judged};
use crate::support::live::Shop;
use crate::support::proxy::{Message, ObservedRequest, Tamper};
use crate::support::{shipped, story};

/// Whatever a card holder has a hand in.
const CASES: &[&str] = &[
    "terminal / a-c",
    "terminal / a-payment",
    "terminal / a-price",
    "terminal / a-re",
    "terminal / every-answer-is-json",
    "terminal / nobody-needs-to-poll",
    "terminal / the-payer-is-notified-by-mail",
    "terminal / two-payments",
    "terminal / what-",
];

/// Plays the cases on a shop whose card holders take their time.
async fn play(tamper: Tamper) {
    let shop = Shop::open_broken(Tamper { slow_hands: true, ..tamper }).await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let (finished, _) = judged(&shop, &actions, shipped(CASES), 8, |_| ()).await;
    let is_wrong = |verdict: &Verdict| matches!(verdict, Verdict::Failed { .. } | Verdict::NotJudged { .. });
    let wrong: Vec<String> = finished.iter().filter(|case| is_wrong(&case.verdict)).map(|case| story(case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let passed = finished.iter().filter(|case| case.verdict == Verdict::Passed).count();
    assert!(passed >= 20, "{passed} of {} passed", finished.len());
}

#[tokio::test]
async fn scripts_wait_for_them() {
    play(Tamper::default()).await;
}

/// A terminal may take one payment at a time: the next one has to wait until the card holder is done with the last.
#[tokio::test]
async fn the_next_payment_waits_for_them() {
    let one_at_a_time: fn(&mut serde_json::Map<String, serde_json::Value>) = |settings| {
        let busy = json!({ "terminal.creation.pending": "busy", "terminal.closing.pending": "busy" });
        settings.insert("freedoms".to_owned(), busy);
    };
    play(Tamper { setting: Some(one_at_a_time), ..Tamper::default() }).await;
}

/// The receipt is printed, the display clears: a terminal may be busy for a moment after each outcome.
#[tokio::test]
async fn the_next_payment_waits_for_the_receipt() {
    let outcome: fn(&ObservedRequest<'_>, &mut Message) = |asked, message| {
        let is_final = !["", "PENDING"].contains(&message.get("status").as_str());
        if (asked.is("terminal.status") || asked.is("refund.status")) && is_final && asked.first_time(&asked.text("transId")) {
            asked.note("prints", "2");
        }
    };
    let prints: fn(&ObservedRequest<'_>) -> Option<Message> = |asked| {
        let takes_the_terminal = asked.is("terminal.create") || asked.is("terminal.refund.create") || asked.is("closing");
        let left: u32 = asked.recall("prints").parse().ok().filter(|_| takes_the_terminal)?;
        asked.note("prints", left.checked_sub(1)?.to_string());
        Some(Message::response_to(asked, json!({ "code": 1500, "message": "Terminal busy" })))
    };
    play(Tamper { response: Some(outcome), instead: Some(prints), ..Tamper::default() }).await;
}
