//! Retries of notifications on a target whose clock nobody moves: a case waits for the next attempt, within the bound of the target
//! file, and judges it; what has not come by then is skipped, because the documents give no schedule.

use std::sync::Arc;
use std::time::Duration;

use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;
use harness::spec::target::{Target, WorldKind};
use serde_json::json;

use crate::live_shop::{PAYER, judged};
use crate::support::live::Shop;
use crate::support::{shipped, story};

fn waits(target: &mut Target, longest: Duration) {
    let WorldKind::Drivers(drivers) = &mut target.world else { panic!("a live target has drivers") };
    drivers.waits_up_to = Some(longest);
}

async fn played(first_seconds: u64, case: &'static str, longest: Duration) -> Vec<Arc<CaseFinished>> {
    let retry = json!({ "first-seconds": first_seconds, "max-seconds": 60, "attempts": 1000, "timeout-seconds": 10 });
    let shop = Shop::open(json!({ "retry": retry }), None).await;
    judged(&shop, PAYER, shipped(&[case]), 8, |target| waits(target, longest)).await.0
}

const UNACKNOWLEDGED: &str = "any-other-answer-does-not-acknowledge / 50";

#[tokio::test]
async fn the_next_attempt_is_judged_as_soon_as_it_comes() {
    for case in played(1, UNACKNOWLEDGED, Duration::from_secs(60)).await {
        assert_eq!(case.verdict, Verdict::Passed, "{}", story(&case));
        assert!(case.held.iter().any(|clause| clause == "gateway.notification.unacknowledged"), "{:?}", case.held);
    }
}

#[tokio::test]
async fn an_attempt_that_does_not_come_in_time_is_skipped() {
    for case in played(60, UNACKNOWLEDGED, Duration::from_millis(50)).await {
        let Verdict::Skipped { reason } = &case.verdict else { panic!("{}", story(&case)) };
        assert!(reason.to_string().contains("within 0.05 s") && reason.to_string().contains("`world.waits-up-to`"), "{reason}");
    }
}

#[tokio::test]
async fn a_wait_beyond_the_bound_does_not_start() {
    for case in played(60, "an-answer-205-acknowledges-a-notification", Duration::from_secs(60)).await {
        let Verdict::Skipped { reason } = &case.verdict else { panic!("{}", story(&case)) };
        assert_eq!(reason.to_string(), "needs 172800 seconds to pass; the target file waits up to 60 seconds (`world.waits-up-to`)");
        assert!(case.record.is_empty(), "nothing is created for it");
    }
}

/// Only its reference tells whose payment a notification is about, and the record shows that without the part of this run.
#[tokio::test]
async fn a_payment_with_an_unseen_identifier_is_known_by_its_reference() {
    let shop = Shop::open(json!({ "clock": "virtual" }), None).await;
    let cases = judged(&shop, &["clock.advances"], shipped(&["a-payment-created-by-redirect-is-a-payment"]), 2, |_| ()).await.0;
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(case.verdict, Verdict::Passed, "{}", story(&case));
    }
}
