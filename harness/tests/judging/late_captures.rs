//! What a capture leads to, and when that shows, is not shown: a live shop may tell of the authorization once more.

use harness::base::verdict::Verdict;

use crate::live_shop::{everybody, judged};
use crate::support::live::Shop;
use crate::support::proxy::{Memory, Message, ObservedRequest, Push, Tamper, remember};
use crate::support::{findings, shipped, story};

/// Drops what the emulator notifies of a capture at once: a status that shows the authorization after it would be a step back.
fn drops_captures(memory: &Memory, push: &mut Push) {
    let authorized = format!("{} is authorized", push.message.get("transId"));
    match push.message.get("status").as_str() {
        "AUTHORIZED" => _ = remember(memory, &authorized),
        "PAID" if memory.lock().unwrap().contains_key(&authorized) => push.times = 0,
        _ => {}
    }
}

/// The first look after a capture still finds the authorization.
fn once_more(asked: &ObservedRequest<'_>, message: &mut Message) {
    let payment = asked.text("transId");
    if asked.is("capturePreauth") && message.succeeds() {
        asked.note(&payment, "captured");
    } else if asked.is("v2.status") && asked.recall(&payment) == "captured" {
        asked.note(&payment, "seen");
        message.set("status", "AUTHORIZED");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_capture_may_show_later() {
    let tamper = Tamper { push: Some(drops_captures), response: Some(once_more), ..Tamper::default() };
    let shop = Shop::open_broken(tamper).await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let mut plan = shipped(&["captur"]);
    plan.retain(|case| !case.name.to_string().contains("is-as-assumed")); // it waits for what is dropped
    let (finished, _) = judged(&shop, &actions, plan, 8, |_| {}).await;
    let played = finished.iter().filter(|case| !matches!(case.verdict, Verdict::Skipped { .. })).count();
    assert!(played > 50, "only {played} cases about captures are played");
    let flagged: Vec<_> = finished.iter().filter(|case| findings(case).iter().any(|finding| finding.assumed.is_none())).collect();
    assert!(flagged.is_empty(), "{}", flagged.iter().map(|case| story(case)).collect::<Vec<_>>().join("\n"));
}
