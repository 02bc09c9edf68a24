//! `paycheck notify` finds nothing about a merchant that is right, and each flaw under its clause.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use crate::support::binary::{file, paycheck, run};
use crate::support::merchant::{Flaw, Merchant};
use crate::support::{contracts, findings, story, troubles};
use harness::base::name_filter::NameFilter;
use harness::base::verdict::Verdict;
use harness::engine::event::{CaseFinished, Event, RunFinished, Standing};
use harness::engine::push::Gateway;
use harness::modes::notify::{self, NotifyOptions};
use harness::spec::target::Credential;
use harness::wire::exchange::Direction;

const MINE: (&str, &str) = ("100001", "secret-of-the-shop-77aa");

/// What came of a run against the sample merchant.
struct Run {
    cases: Vec<Arc<CaseFinished>>,
    finished: RunFinished,
    unreachable: Option<String>,
}

impl Run {
    /// The clauses that findings name, by notification.
    fn broken(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut broken: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for case in &self.cases {
            for finding in findings(case) {
                broken.entry(&finding.operation).or_default().extend(finding.clauses.iter().map(String::as_str));
            }
        }
        broken
    }

    fn case(&self, notification: &str, part: &str) -> &CaseFinished {
        let found = self.cases.iter().find(|i| i.name.scenario == notification && i.name.case.contains(part));
        found.unwrap_or_else(|| panic!("no case {part} of {notification}"))
    }
}

/// Limits that a merchant on this machine meets easily.
const PATIENT: Duration = Duration::from_secs(60);
/// A limit for merchants that are too slow on purpose.
const IMPATIENT: Duration = Duration::from_secs(2);

async fn judged(flaw: Flaw, within: Duration) -> Run {
    judged_in(flaw, within, &[]).await
}

/// Only the cases whose name contains one of these.
async fn judged_in(flaw: Flaw, within: Duration, filter: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(flaw, MINE, folder.path()).await;
    judged_with(&merchant, within, vec!["cat".to_owned(), merchant.orders.display().to_string()], filter).await
}

async fn judged_with(merchant: &Merchant, within: Duration, orders: Vec<String>, filter: &[&str]) -> Run {
    let contracts = contracts();
    let credential = Credential::from([("merchant".to_owned(), MINE.0.to_owned()), ("secret".to_owned(), MINE.1.to_owned())]);
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateway = Gateway::start(Arc::clone(&contracts), here, &credential, 7).await.unwrap();
    merchant.use_gateway(&gateway.base_url());
    let slow = Duration::from_millis(40);
    let options = NotifyOptions {
        endpoint: merchant.url.clone(),
        within,
        slow,
        orders,
        filter: NameFilter { only: filter.iter().map(|part| (*part).to_owned()).collect(), except: Vec::new() },
        certificate: None,
        seed: 7,
    };
    let mut cases = Vec::new();
    let ended = notify::run(&contracts, &gateway, &options, std::future::pending(), |event| {
        if let Event::CaseFinished(case) = event {
            cases.push(Arc::clone(case));
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let ended = ended.await.unwrap();
    Run { cases, finished: ended.run, unreachable: ended.unreachable }
}

const V1: &str = "gateway.v1.notification";
const V2: &str = "gateway.v2.notification";
const ACKNOWLEDGED: &str = "gateway.notification.acknowledgement";
const IMPLEMENTED: &str = "gateway.status.no-replacement";
const ONCE: &str = "gateway.notification.once";
const PAID_ONLY: &str = "gateway.notification.paid-only";
const NOT_TRUSTED: &str = "gateway.notification.not-trusted";

/// Asserts that both formats break exactly these clauses.
async fn caught(flaw: Flaw, within: Duration, clauses: &[&str]) -> Run {
    let run = judged(flaw, within).await;
    let clauses: BTreeSet<_> = clauses.iter().copied().collect();
    let stories: Vec<_> = run.cases.iter().map(|i| story(i)).collect();
    assert_eq!(run.broken(), BTreeMap::from([(V1, clauses.clone()), (V2, clauses)]), "{flaw:?}\n{}", stories.join("\n"));
    run
}

#[tokio::test]
async fn a_merchant_that_is_right_passes_with_every_clause_judged() {
    let run = judged(Flaw::None, PATIENT).await;
    assert_eq!(troubles(&run.cases), Vec::<String>::new());
    assert_eq!(run.finished.inconclusive, []);
    assert_eq!(run.finished.clauses.len(), 5);
    for clause in &run.finished.clauses {
        assert!(matches!(clause.standing, Standing::Passed { .. }), "{clause:?}");
    }
    assert!(run.finished.notifications > 200, "{}", run.finished.notifications);
}

#[tokio::test]
async fn what_the_documents_leave_open_is_no_finding() {
    for flaw in
        [Flaw::Answers(201), Flaw::Answers(202), Flaw::Answers(204), Flaw::Answers(205), Flaw::FailsOnMalformed, Flaw::AsksAgainByItself]
    {
        assert_eq!(troubles(&judged(flaw, PATIENT).await.cases), Vec::<String>::new(), "{flaw:?}");
    }
    assert_eq!(troubles(&judged(Flaw::HangsUpOnMalformed, PATIENT).await.cases), Vec::<String>::new());
}

#[tokio::test]
async fn no_response_to_a_malformed_message_is_no_finding_while_the_next_one_is_acknowledged() {
    let run = judged_in(Flaw::IsSilentOnMalformed, IMPATIENT, &["malformed: no body", "malformed: half a body", "goods: once"]).await;
    assert_eq!(troubles(&run.cases), Vec::<String>::new());
    assert_eq!(run.cases.len(), 8);
}

#[tokio::test]
async fn a_merchant_that_never_acknowledges_is_caught() {
    caught(Flaw::NeverAcknowledges, PATIENT, &[ACKNOWLEDGED, IMPLEMENTED]).await;
}

#[tokio::test]
async fn a_response_203_does_not_acknowledge() {
    let run = caught(Flaw::Responds203, PATIENT, &[ACKNOWLEDGED, IMPLEMENTED]).await;
    assert_eq!(findings(run.case(V1, "valid: PAID"))[0].got, Some(203.into()));
}

#[tokio::test]
async fn goods_issued_on_every_duplicate_are_caught() {
    caught(Flaw::IssuesOnEveryDuplicate, PATIENT, &[ONCE]).await;
}

#[tokio::test]
async fn a_merchant_that_trusts_the_push_is_caught() {
    let run = caught(Flaw::TrustsThePush, PATIENT, &[NOT_TRUSTED]).await;
    let messages: Vec<_> = findings(run.case(V2, "goods: none because of a forged")).iter().map(|f| f.message.as_str()).collect();
    for forgery in ["does not know", "contradicts"] {
        assert!(messages.iter().any(|message| message.contains(forgery)), "{messages:#?}");
    }
}

/// The cases that the goods of one rule break, by the clause that the run names.
async fn caught_by(flaw: Flaw, clause: &str, goods: &str, cases: &[&str]) {
    let run = caught(flaw, IMPATIENT, &[clause]).await;
    for notification in [V1, V2] {
        let messages: Vec<_> = findings(run.case(notification, goods)).iter().map(|finding| &finding.message).collect();
        assert!(cases.iter().all(|case| messages.iter().any(|message| message.contains(case))), "{messages:#?}");
        assert_eq!(messages.len(), cases.len(), "{messages:#?}");
    }
}

#[tokio::test]
async fn goods_issued_on_the_word_of_another_merchant_are_caught() {
    let flaw = Flaw::UsesTheSendersCredentials;
    caught_by(flaw, NOT_TRUSTED, "goods: none because of a forged", &["`forged: a paid payment of another merchant`"]).await;
}

#[tokio::test]
async fn a_merchant_that_asks_once_for_each_payment_is_caught() {
    let cases = ["`forged: PAID before it is true`", "`in order: AUTHORIZED, then what followed it`"];
    caught_by(Flaw::RemembersTheStatus, ONCE, "goods: once", &cases).await;
}

#[tokio::test]
async fn a_merchant_for_which_an_authorization_is_the_end_is_caught() {
    caught_by(Flaw::AuthorizedIsFinal, ONCE, "goods: once", &["`in order: AUTHORIZED, then what followed it`"]).await;
}

#[tokio::test]
async fn a_merchant_that_acknowledges_what_it_could_not_learn_is_caught() {
    caught_by(Flaw::AcknowledgesAFailedStatus, ONCE, "goods: once", &["`failing: the status call ends in an error`"]).await;
}

#[tokio::test]
async fn goods_issued_because_no_state_is_readable_are_caught() {
    let run = caught(Flaw::NoStateIsPaid, PATIENT, &[NOT_TRUSTED]).await;
    for (notification, case) in [(V1, "status: absent"), (V1, "a repeated key"), (V2, "status: absent"), (V2, "a repeated key")] {
        let found = findings(run.case(notification, "goods: none because of a forged"));
        assert!(found.iter().any(|finding| finding.message.contains(&format!("`malformed: {case}, not paid`"))), "{found:#?}");
    }
}

#[tokio::test]
async fn a_finding_says_which_of_two_notifications_it_is_about() {
    let run = judged_in(Flaw::CrashesOnMalformed, PATIENT, &["malformed: half a body"]).await;
    let found = findings(run.case(V1, "malformed: half a body"));
    assert!(found[0].message.starts_with("after the malformed one, a documented notification does not reach"), "{found:#?}");
}

#[tokio::test]
async fn a_merchant_that_ignores_json_is_caught_in_that_format_only() {
    let run = judged(Flaw::IgnoresJson, IMPATIENT).await;
    assert_eq!(run.broken(), BTreeMap::from([(V2, BTreeSet::from([ONCE]))]));
}

#[tokio::test]
async fn goods_issued_on_a_wrong_secret_are_caught() {
    let run = caught(Flaw::IssuesOnAWrongSecret, PATIENT, &[NOT_TRUSTED]).await;
    let found = findings(run.case(V1, "goods: none because of a forged"));
    assert_eq!(found.len(), 2, "the secret of another merchant is a wrong one too");
    assert!(found[0].message.contains("a wrong secret") && found[1].message.contains("another merchant"), "{found:#?}");
}

#[tokio::test]
async fn a_merchant_that_crashes_on_a_malformed_notification_is_caught() {
    let run = judged(Flaw::CrashesOnMalformed, PATIENT).await;
    assert_eq!(run.broken().get(V1), Some(&BTreeSet::from([ACKNOWLEDGED])));
    assert_eq!(run.unreachable, None, "it was there once");
    let first = run.cases.iter().find(|i| i.verdict != Verdict::Passed).unwrap();
    assert!(first.name.case.starts_with("malformed: "), "{}", first.name);
    let skipped =
        run.cases.iter().filter(|i| matches!(&i.verdict, Verdict::Skipped { reason } if reason.to_string().contains("no response")));
    assert!(skipped.count() > 20, "a dead endpoint is not asked for ever");
}

#[tokio::test]
async fn goods_issued_for_a_cancelled_payment_are_caught() {
    caught(Flaw::IssuesForCancelled, PATIENT, &[PAID_ONLY]).await;
}

#[tokio::test]
async fn goods_issued_for_an_unknown_payment_are_caught() {
    caught(Flaw::IssuesForUnknown, PATIENT, &[NOT_TRUSTED]).await;
}

#[tokio::test]
async fn a_merchant_beyond_the_limit_is_caught_and_given_up() {
    let run = judged(Flaw::NeverAnswers, Duration::from_millis(100)).await;
    assert_eq!(run.broken(), BTreeMap::from([(V1, BTreeSet::from([ACKNOWLEDGED, IMPLEMENTED]))]));
    assert!(findings(run.case(V1, "valid: PAID"))[0].message.contains("no response within 100 ms"));
}

#[tokio::test]
async fn without_orders_the_goods_are_skipped_and_the_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(Flaw::TrustsThePush, MINE, folder.path()).await;
    let run = judged_with(&merchant, PATIENT, Vec::new(), &[]).await;
    assert_eq!(run.finished.counts.failed, 0);
    assert_eq!(run.finished.counts.skipped, 8);
    assert!(run.finished.inconclusive.iter().any(|missing| missing.to_string().contains("--orders")), "{:?}", run.finished.inconclusive);
}

#[tokio::test]
async fn the_same_seed_sends_the_same_notifications() {
    let bodies = |run: &Run| {
        let letters = run.cases.iter().flat_map(|i| &i.record).filter(|e| e.direction == Direction::Notification);
        letters.map(|e| e.request.body.text.clone()).collect::<Vec<_>>()
    };
    let (first, second) = (judged(Flaw::None, PATIENT).await, judged(Flaw::None, PATIENT).await);
    assert_eq!(bodies(&first), bodies(&second));
    assert!(bodies(&first).iter().all(|body| !body.contains(MINE.1)), "no secret is recorded");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_says_where_the_gateway_is_and_judges() {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(Flaw::None, MINE, folder.path()).await;
    let credentials = file(folder.path(), "shop.yaml", "merchant: \"100001\"\nsecret: { env: SHOP_SECRET }\n");
    let (junit, events) = (folder.path().join("junit.xml"), folder.path().join("events.ndjson"));
    let mut command = paycheck(["notify", merchant.url.as_str(), "--slow", "20ms", "--all-exchanges", "--credentials"]);
    command.arg(&credentials).arg("--junit").arg(&junit).arg("--events").arg(&events);
    command.arg("--orders").arg("cat").arg(&merchant.orders).env("SHOP_SECRET", MINE.1);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    merchant.use_gateway(line.split_whitespace().nth(1).unwrap());
    let (code, printed) = tokio::task::spawn_blocking(move || {
        let mut printed = line;
        std::io::Read::read_to_string(&mut out, &mut printed).unwrap();
        (child.wait().unwrap().code(), printed)
    })
    .await
    .unwrap();
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("merchant 100001, secret ***"), "{printed}");
    for text in [printed, std::fs::read_to_string(junit).unwrap(), std::fs::read_to_string(events).unwrap()] {
        assert!(!text.contains(MINE.1), "the secret is told");
    }
}

#[test]
fn missing_conditions_are_reported_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| run([&["notify"], arguments].concat()).with_code(3);
    refused(&["http://shop.example.com/notify"]).complaining(&["--allow-remote"]);
    refused(&["ftp://127.0.0.1/"]).complaining(&["http://"]);
    refused(&["http://127.0.0.1:1/", "--within", "soon"]).complaining(&["250ms"]);
    for (text, words) in [
        ("merchant: \"1\"\n", "lacks `secret`"),
        ("merchant: \"1\"\nsecret: sesame-open-5566\nsecert: x\n", "did you mean `secret`?"),
        ("merchant: \"1\"\nsecret: sesame-open-5566\nterminal: x\n", "unknown part `terminal`"),
        ("merchant: \"1\"\nsecret: [sesame-open-5566]\n", "a part of a credential"),
    ] {
        let path = file(folder.path(), "credentials.yaml", text).display().to_string();
        let ended = refused(&["http://127.0.0.1:1/", "--credentials", &path]).complaining(&[words]);
        assert!(!ended.err.contains("sesame"), "{}", ended.err);
    }
}

#[test]
fn an_endpoint_without_a_server_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let ended = run(["notify", &url]).with_code(4);
    let printed = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(printed.contains("does not reach the merchant's endpoint") && !printed.contains("no response within"), "{}", ended.out);
}
