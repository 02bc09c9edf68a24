//! A live target may count requests: the runner backs off, and a case about something else is judged by what comes then.

use std::time::Duration;

use harness::base::verdict::Verdict;
use harness::spec::target::Target;
use serde_json::json;

use crate::live_shop::{everybody, judged};
use crate::support::live::Shop;
use crate::support::proxy::Tamper;
use crate::support::{emulator, judge_through, shipped, story};

/// Cases of both APIs of tills, with the tokens that they need.
const CASES: &[&str] = &["qr / euros-that-arrive-pay", "device / the-token-opens-the-other-endpoints"];

fn patient(target: &mut Target) {
    target.poll_every = Duration::from_millis(1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_beyond_a_limit_is_sent_again() {
    // The first two requests of each operation are refused, those for tokens too.
    let limited = Tamper {
        response: Some(|asked, message| {
            if asked.first_time(asked.operation) || asked.first_time(&format!("{} again", asked.operation)) {
                message.objects(asked, 429, "RATE_LIMITED");
            }
        }),
        ..Tamper::default()
    };
    let shop = Shop::open_broken(limited).await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let (finished, _) = judged(&shop, &actions, shipped(CASES), 1, patient).await;
    let troubles: Vec<_> = finished.iter().filter(|case| case.verdict != Verdict::Passed).map(|case| story(case)).collect();
    assert!(!finished.is_empty() && troubles.is_empty(), "{troubles:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_whose_calls_stay_beyond_a_limit_is_not_judged() {
    let limited = Tamper { response: Some(|asked, message| message.objects(asked, 429, "RATE_LIMITED")), ..Tamper::default() };
    let shop = Shop::open_broken(limited).await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let (finished, _) = judged(&shop, &actions, shipped(CASES), 1, patient).await;
    let is_not_judged =
        |verdict: &Verdict| matches!(verdict, Verdict::NotJudged { reason } if reason.to_string().contains("too many requests"));
    let stories: Vec<_> = finished.iter().map(|case| story(case)).collect();
    assert!(!finished.is_empty() && finished.iter().all(|case| is_not_judged(&case.verdict)), "{stories:?}");
}

/// The verdicts of a target with a control API, behind something that counts requests.
async fn in_worlds(tamper: Tamper) -> Vec<Verdict> {
    let finished = judge_through(&emulator().await, tamper, shipped(CASES), 1).await;
    assert!(!finished.is_empty());
    finished.iter().map(|case| case.verdict.clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_in_front_of_worlds_is_waited_for_too() {
    let limited = Tamper {
        response: Some(|asked, message| {
            if asked.first_time(asked.operation) {
                message.becomes_an_error(429);
            }
        }),
        ..Tamper::default()
    };
    let verdicts = in_worlds(limited).await;
    assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Passed), "{verdicts:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_api_itself_says_in_a_world_of_its_own_is_judged() {
    let verdicts = in_worlds(Tamper { response: Some(|_, message| message.becomes_an_error(429)), ..Tamper::default() }).await;
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::NotJudged { .. })), "{verdicts:?}");
    let own = Tamper { response: Some(|asked, message| message.objects(asked, 429, "RATE_LIMITED")), ..Tamper::default() };
    let verdicts = in_worlds(own).await;
    assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Failed { .. })), "{verdicts:?}");
}

/// The refusal that a case has asked for is what it judges: sent again, the call would be answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_that_a_case_has_asked_for_is_judged() {
    let shop = Shop::open(json!({}), None).await;
    let mut actions = everybody();
    actions.push("gateway.fails".to_owned());
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let cases = ["device / every-error-code-is-answered / RATE_LIMITED in config"];
    let (finished, _) = judged(&shop, &actions, shipped(&cases), 1, patient).await;
    let stories: Vec<_> = finished.iter().map(|case| story(case)).collect();
    assert!(!finished.is_empty() && finished.iter().all(|case| case.verdict == Verdict::Passed), "{stories:?}");
}
