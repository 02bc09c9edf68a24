//! Targets whose responses are all documented but wrong: scenarios, echoes and re-checks find it.

use harness::load::result::ErrorKind;
use serde_json::json;

use super::stage::{Behind, Loaded};
use super::support::proxy::{Message, ObservedRequest, Tamper};

/// A payment is created and read at once, all on the fast path.
const READ: &str = "title: A payment is created and read
clauses: [gateway.status.code.0]
steps:
  - call: gateway.v2.create
    with: { price: 12300, curr: CZK }
    expect: { code: 0 }
    keep: { payment: transId }
  - call: gateway.v2.status
    with: { transId: \"{{ payment }}\" }
    expect: { code: 0, EXPECTED }
    clause: gateway.status.code.0
";

/// 40 iterations in one and a half seconds. None is due after that, so that a busy machine starts all of them.
fn profile(conservation: &str) -> String {
    format!(
        "kind: ramping-arrival-rate\nstart: 40\nusers: 4\nstages: [{{ rate: 40, for: 500ms }}, {{ rate: 0, for: 1s }}, {{ rate: 0, for: 3s }}]\nkillswitch: {{ errors: 100%, after: 1 }}\nconservation: {conservation}\n\
         mix: [{{ scenario: ./gateway/read.yaml }}]\n"
    )
}

async fn loaded(response: fn(&ObservedRequest<'_>, &mut Message), script: &str, conservation: &str) -> Loaded {
    let behind = Behind::a_proxy(Tamper { response: Some(response), ..Tamper::default() }).await;
    behind.stage.script("read", script);
    behind.stage.load(&profile(conservation), &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_target_passes() {
    let loaded = loaded(|_, _| {}, &READ.replace("EXPECTED", "price: \"12300\", status: PENDING"), "complete").await;
    let conservation = loaded.ended_with(0).result.conservation.clone().unwrap();
    assert_eq!((conservation.complete, conservation.examined, conservation.held), (true, 40, 40));
    assert_eq!((loaded.requests(), loaded.all_errors()), (80, 0));
}

const DEARER: fn(&ObservedRequest<'_>, &mut Message) = |asked, message| {
    if asked.is("status") {
        message.replace("price", "12400");
    }
};

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_the_script_does_not_expect_is_found_every_time() {
    let loaded = loaded(DEARER, &READ.replace("EXPECTED", "price: \"12300\""), "off").await;
    loaded.ended_with(1);
    // The first iteration of each user is judged as a whole, which shows the wrong echo, a finding of higher rank.
    let (business, contract) = (loaded.errors(ErrorKind::Business), loaded.errors(ErrorKind::Contract));
    assert_eq!((business + contract, loaded.all_errors()), (40, 40));
    assert!((1..=4).contains(&contract), "{contract}");
    let cause = loaded.result.findings.iter().find(|cause| cause.kind == ErrorKind::Business).unwrap();
    assert_eq!((cause.count, cause.operation.as_str()), (40, "gateway.v2.status"));
    assert_eq!((&cause.examples[0].expected, &cause.examples[0].got), (&Some(json!("12300")), &Some(json!("12400"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_the_script_does_not_expect_is_found_every_time() {
    let paid: fn(&ObservedRequest<'_>, &mut Message) = |asked, message| {
        if asked.is("status") {
            message.replace("status", "PAID");
        }
    };
    let loaded = loaded(paid, &READ.replace("EXPECTED", "status: PENDING"), "off").await;
    assert_eq!(loaded.ended_with(1).all_errors(), 40);
    assert_eq!(loaded.result.scenarios[0].failed, 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_echo_is_found_although_no_step_expects_it() {
    // The first iteration of each user, and every hundredth, is judged as a whole.
    let loaded = loaded(DEARER, &READ.replace(", EXPECTED", ""), "off").await;
    let found = echoes(loaded.ended_with(1));
    assert!((1..=40).contains(&found), "{found}: {:#?}", loaded.result.findings);
    // Each re-checked iteration is judged as a whole too.
    let all = self::loaded(DEARER, &READ.replace(", EXPECTED", ""), "complete").await;
    assert!(echoes(all.ended_with(1)) >= 40, "{:#?}", all.result.findings);
}

/// How many findings say that the price is not the one that was sent.
fn echoes(loaded: &Loaded) -> u64 {
    let message = loaded.result.findings.iter().filter(|cause| cause.kind == ErrorKind::Contract);
    message.filter(|cause| cause.clauses.iter().any(|clause| clause.contains("price"))).map(|cause| cause.count).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_changes_afterwards_is_found_by_re_checks() {
    // A payment is read once during the load; a second read returns a change without a reason.
    let changes: fn(&ObservedRequest<'_>, &mut Message) = |asked, message| {
        if asked.is("status") && !asked.first_time(&asked.text("transId")) {
            message.replace("status", "AUTHORIZED");
        }
    };
    let script = READ.replace("EXPECTED", "status: PENDING");
    let unseen = loaded(changes, &script, "off").await;
    assert_eq!(unseen.ended_with(0).result.conservation, None);
    let loaded = loaded(changes, &script, "complete").await;
    let conservation = loaded.ended_with(1).result.conservation.clone().unwrap();
    assert_eq!((conservation.examined, conservation.held), (40, 0));
    assert_eq!(loaded.all_errors(), 0, "no call of the load itself was wrong");
    assert!(
        loaded.result.findings.iter().any(|cause| cause.kind == ErrorKind::Contract && cause.count == 40),
        "{:#?}",
        loaded.result.findings
    );
    assert!(loaded.result.reasons.iter().any(|reason| reason.contains("re-checked")), "{:?}", loaded.result.reasons);
}
