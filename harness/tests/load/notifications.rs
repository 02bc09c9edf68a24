//! A gateway that loses, repeats, delays or falsifies notifications: each fault is counted as its kind.

use std::time::Duration;

use harness::load::result::{LoadVerdict, NotificationResult};

use super::stage::{Behind, Loaded};
use super::support::proxy::{Memory, Push, Tamper};

const JOURNEYS: u64 = 40;
const EVERY: u64 = 8;
const WRONG: u64 = JOURNEYS / EVERY;

/// 40 payments are paid and waited for within two and a half seconds. Nothing is due after that, so that a busy machine starts all of
/// them, and it has seconds until a notification is late or lost.
fn profile(more: &str) -> String {
    format!(
        "kind: ramping-arrival-rate\nstart: 20\nusers: 20\nstages: [{{ rate: 20, for: 1500ms }}, {{ rate: 0, for: 1s }}, {{ rate: 0, for: 3s }}]\nkillswitch: {{ errors: 100%, after: 1 }}\nnotifications: {{ late: 3s, lost: 8s }}\n\
         mix: [{{ scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid, case: v2.0 }}]\n{more}"
    )
}

/// Whether the proxy changes this push: every eighth one.
fn is_chosen(memory: &Memory) -> bool {
    let mut memory = memory.lock().unwrap();
    let pushes = memory.get("pushes").map_or(0, |n| n.parse::<u64>().unwrap()) + 1;
    memory.insert("pushes".to_owned(), pushes.to_string());
    pushes.is_multiple_of(EVERY)
}

async fn load_with(push: fn(&Memory, &mut Push), more: &str) -> Loaded {
    let behind = Behind::a_proxy(Tamper { push: Some(push), ..Tamper::default() }).await;
    behind.stage.load(&profile(more), &[]).await
}

/// All counts, without the lag.
fn counts(n: &NotificationResult) -> [u64; 7] {
    [n.expected, n.once, n.duplicated, n.late, n.lost, n.contradicting, n.unexpected]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_notifies_everything_once_passes() {
    let loaded = load_with(|_, _| {}, "thresholds: [lost = 0, duplicated = 0, late = 0]\n").await;
    assert_eq!(counts(loaded.ended_with(0).notifications()), [JOURNEYS, JOURNEYS, 0, 0, 0, 0, 0]);
    assert_eq!(loaded.notifications().lag.count, JOURNEYS);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_ones_are_counted_and_fail_the_run() {
    let drops: fn(&Memory, &mut Push) = |memory, push| push.times = usize::from(!is_chosen(memory));
    let loaded = load_with(drops, "").await;
    assert_eq!(counts(loaded.ended_with(1).notifications()), [JOURNEYS, JOURNEYS - WRONG, 0, 0, WRONG, 0, 0]);
    assert!(loaded.result.reasons.iter().any(|reason| reason.contains("were lost")), "{:?}", loaded.result.reasons);
    assert_eq!(loaded.cause("gateway.notification.completion").count, WRONG);
}

const DOUBLES: fn(&Memory, &mut Push) = |memory, push| push.times = 1 + usize::from(is_chosen(memory));

#[tokio::test(flavor = "multi_thread")]
async fn doubled_ones_are_counted_and_fail_only_where_a_threshold_asks_for_it() {
    let (unasked, asked) = tokio::join!(load_with(DOUBLES, ""), load_with(DOUBLES, "thresholds: [lost = 0, duplicated = 0]\n"));
    assert_eq!(counts(unasked.ended_with(0).notifications()), [JOURNEYS, JOURNEYS - WRONG, WRONG, 0, 0, 0, 0]);
    assert_eq!(asked.ended_with(1).notifications().duplicated, WRONG);
    assert_eq!(asked.threshold("duplicated = 0").observed, Some(5.0));
    assert_eq!(asked.threshold("lost = 0").verdict, LoadVerdict::Passed);
}

/// Each payment but the last is notified once more along with the next one, when its iteration is over.
const REPEATS: fn(&Memory, &mut Push) = |memory, push| {
    let fields = serde_json::to_string(&push.message.fields).unwrap();
    if let Some(earlier) = memory.lock().unwrap().insert("earlier".to_owned(), fields) {
        let mut repeated = push.message.clone();
        repeated.fields = serde_json::from_str(&earlier).unwrap();
        push.besides.push(repeated);
    }
};

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_repeated_when_its_iteration_is_over_is_a_duplicate_and_no_finding() {
    // One is judged by its bytes, the other by a record.
    for scenario in ["a-paid-payment-is-notified-and-reads-as-paid", "the-redirect-of-a-paid-payment-still-opens"] {
        let behind = Behind::a_proxy(Tamper { push: Some(REPEATS), ..Tamper::default() }).await;
        let one_user = format!("kind: constant-users\nusers: 1\nfor: 2s\nmix: [{{ scenario: gateway/{scenario}, case: v2.0 }}]\n");
        let loaded = behind.stage.load(&one_user, &[]).await;
        let iterations = loaded.ended_with(0).notifications().expected;
        assert!(iterations > 1);
        assert_eq!(counts(loaded.notifications()), [iterations, 1, iterations - 1, 0, 0, 0, 0], "{scenario}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn late_ones_are_counted_and_fail_only_where_a_threshold_asks_for_it() {
    let delays: fn(&Memory, &mut Push) = |memory, push| {
        if is_chosen(memory) {
            push.after = Duration::from_millis(4500);
        }
    };
    let (unasked, asked) = tokio::join!(load_with(delays, ""), load_with(delays, "thresholds: [late = 0]\n"));
    assert_eq!(counts(unasked.ended_with(0).notifications()), [JOURNEYS, JOURNEYS - WRONG, 0, WRONG, 0, 0, 0]);
    assert_eq!(asked.ended_with(1).threshold("late = 0").observed, Some(5.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn false_ones_are_distinguished_from_lost_ones() {
    let lies: fn(&Memory, &mut Push) = |memory, push| {
        if is_chosen(memory) {
            push.message.set("status", "CANCELLED");
        }
    };
    let loaded = load_with(lies, "").await;
    // The true state of these was never notified, and the status call contradicts the notified one.
    assert_eq!(counts(loaded.ended_with(1).notifications()), [JOURNEYS, JOURNEYS - WRONG, 0, 0, WRONG, WRONG, 0]);
    assert!(loaded.result.reasons.iter().any(|reason| reason.contains("contradicted the status call")), "{:?}", loaded.result.reasons);
}
