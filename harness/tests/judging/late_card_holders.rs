//! A card holder is a person: the driver has returned, and the terminal learns of it only some status calls later.

use harness::base::verdict::Verdict;

use crate::live_shop::{everybody, judged};
use crate::support::live::Shop;
use crate::support::proxy::Tamper;
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

#[tokio::test]
async fn scripts_wait_for_them() {
    let shop = Shop::open_broken(Tamper { slow_hands: true, ..Tamper::default() }).await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let (finished, _) = judged(&shop, &actions, shipped(CASES), 8, |_| ()).await;
    let is_wrong = |verdict: &Verdict| matches!(verdict, Verdict::Failed { .. } | Verdict::NotJudged { .. });
    let wrong: Vec<String> = finished.iter().filter(|case| is_wrong(&case.verdict)).map(|case| story(case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let passed = finished.iter().filter(|case| case.verdict == Verdict::Passed).count();
    assert!(passed >= 20, "{passed} of {} passed", finished.len());
}
