//! Two targets held against each other: what is broken on one side, what has changed, what is left free. The
//! one side is an emulator, the other the same emulator through a proxy that tampers.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::allowances::OTHER_IDENTIFIERS;
use crate::support::binary::{Emulate, run, target_file};
use crate::support::proxy::{Message, ObservedRequest, Tamper};
use crate::support::{MAIN, contracts, emulator, judge, judge_through, scripted, shipped, target};
use harness::base::exit::Exit;
use harness::base::place::{self, Place};
use harness::engine::event::CaseFinished;
use harness::engine::runner::Case;
use harness::modes::compare::{ComparedSide, Comparison, DifferenceStanding, PlayedCase, PlayedRun, compare};
use harness::spec::contract::Contracts;
use serde_json::{Map, Value, json};
use url::Url;

/// Stories of all documents.
const STORIES: &[&str] = &[
    "gateway / a-paid-payment-is-notified-and-reads-as-paid",
    "gateway / a-paid-payment-is-refunded-in-parts",
    "gateway / a-price-too-high-has-its-code",
    "gateway / create-in-v2-holds-its-limits / price",
    "gateway / an-unknown-payment-has-no-status",
    "gateway / a-redirect-creation-sends-the-payer-to-the-gateway",
    "terminal / a-payment-is-paid-on-the-terminal",
    "terminal / a-refund-is-paid-back-and-cancelled",
    "transfers / a-payment-tells-one-story-everywhere",
    "qr / a-paid-payment-is-refunded-in-parts",
    "device / transactions-are-uploaded-as-they-happen",
    "device / an-app-is-activated",
    "status / ",
];

fn stories() -> Vec<Case> {
    once(shipped(STORIES))
}

/// Each case once, although several names select it; none that is kept to an emulator by `tolerant`, because it
/// asks for what is optional.
fn once(mut plan: Vec<Case>) -> Vec<Case> {
    let mut names = BTreeSet::new();
    plan.retain(|case| !case.scenario.setting.contains_key("tolerant"));
    plan.retain(|case| names.insert(case.name.clone()));
    plan
}

fn run_of(title: &str, finished: Vec<Arc<CaseFinished>>) -> PlayedRun {
    let cases =
        finished.iter().map(|case| PlayedCase { name: case.name.clone(), verdict: case.verdict.clone(), record: case.record.clone() });
    PlayedRun { target: title.to_owned(), cases: cases.collect() }
}

/// An emulator, held against the same through a proxy.
async fn against(tamper: Tamper, plan: Vec<Case>) -> Comparison {
    let emulator = emulator().await;
    let base = Url::parse(&emulator.base_url()).unwrap();
    let a = judge(target(&base), plan.clone(), 1, None).await;
    let b = judge_through(&emulator, tamper, plan, 1).await;
    compare(&run_of("a", a), &run_of("b", b), &contracts())
}

/// What counts, for people.
fn counting_differences(comparison: &Comparison) -> Vec<String> {
    let counting = comparison.differences.iter().filter(|difference| difference.standing != DifferenceStanding::Freedom);
    counting.map(|difference| format!("{difference:#?}")).collect()
}

/// Why what is left free is so.
fn freedoms(comparison: &Comparison) -> BTreeSet<&str> {
    comparison.with_standing(DifferenceStanding::Freedom).map(|difference| difference.why.as_str()).collect()
}

fn is_alike(comparison: &Comparison, cases: usize) {
    assert_eq!(counting_differences(comparison), Vec::<String>::new());
    assert_eq!((comparison.cases.compared, comparison.cases.alike), (cases, cases));
    assert_eq!(comparison.outcome(&Contracts::default(), false).exit(), Exit::Passed);
}

#[tokio::test]
async fn two_runs_differ_in_nothing_that_counts() {
    let plan = once(shipped(&["gateway / a-p", "terminal / ", "transfers / ", "qr / a-", "device / a-", "status / "]));
    let count = plan.len();
    let comparison = against(Tamper::default(), plan).await;
    is_alike(&comparison, count);
}

/// A documented freedom in the responses is reported as one, and as nothing else.
async fn is_free(tamper: Tamper, why: &str) {
    let plan = stories();
    let count = plan.len();
    let comparison = against(tamper, plan).await;
    is_alike(&comparison, count);
    assert!(freedoms(&comparison).contains(why), "{why} is not among {:?}", freedoms(&comparison));
}

fn answering(response: fn(&ObservedRequest<'_>, &mut Message)) -> Tamper {
    Tamper { response: Some(response), ..Tamper::default() }
}

#[tokio::test]
async fn other_texts_are_free() {
    is_free(
        answering(|_, message| message.replace("message", "Něco se povedlo; nebo nepovedlo?")),
        "left to the target by the contract (x-free)",
    )
    .await;
}

#[tokio::test]
async fn further_fields_are_free() {
    let further = answering(|asked, message| {
        if asked.is("v2.status") && message.succeeds() {
            message.set("embedded", json!({"any": [1, null]}));
        }
    });
    is_free(further, "further fields and parts that no schema describes").await;
}

#[tokio::test]
async fn optional_fields_are_free() {
    let without = answering(|asked, message| {
        if asked.is("status") {
            ["payerName", "payerAcc"].iter().for_each(|field| message.remove(field));
        }
    });
    is_free(without, "optional fields").await;
}

#[tokio::test]
async fn statuses_of_errors_are_free_where_a_code_states_them() {
    let by_status = answering(|asked, message| {
        if asked.is_of_api("gateway") && message.has("code") && !message.succeeds() {
            message.status = 400;
        }
    });
    is_free(by_status, "HTTP statuses where a code shows the outcome").await;
}

#[tokio::test]
async fn another_code_of_those_that_conform_is_free() {
    let either = answering(|_, message| match message.get("code").as_str() {
        "1107" => message.set("code", 1309),
        "1309" => message.set("code", 1107),
        _ => {}
    });
    is_free(either, "another documented code").await;
}

#[tokio::test]
async fn addresses_and_headers_are_free() {
    let elsewhere = answering(|_, message| {
        message.replace("redirect", "https://pay5.example.com/r/x?lang=cs#top");
        message.header("x-request-id", "1");
    });
    is_free(elsewhere, "addresses").await;
}

#[tokio::test]
async fn the_same_notification_again_is_free() {
    let twice = Tamper { push: Some(|_, push| push.times = 2), ..Tamper::default() };
    is_free(twice, "notifications that were delivered again").await;
}

#[tokio::test]
async fn identifiers_of_another_shape_are_no_difference() {
    let plan = once(shipped(&STORIES[..5]));
    let count = plan.len();
    is_alike(&against(Tamper { words: Some(OTHER_IDENTIFIERS), ..Tamper::default() }, plan).await, count);
}

#[tokio::test]
async fn fields_in_another_order_are_no_difference() {
    let turned = answering(|_, message| {
        if !message.is_form() && message.raw.is_none() {
            let fields: Map<String, Value> = message.fields.clone().into_iter().rev().collect();
            message.fields = fields;
        }
    });
    let plan = stories();
    let count = plan.len();
    is_alike(&against(turned, plan).await, count);
}

/// A payment that nobody is notified of.
const ASKED: &str = "title: ObservedRequest\nclauses: [gateway.v2.status.call]\nsteps:\n  - call: gateway.v2.create\n    keep: { payment: transId }\n  \
                     - call: gateway.v2.status\n    with: { transId: '{{ payment }}' }\n";

#[tokio::test]
async fn a_break_is_reported_once_with_its_clause() {
    let dearer = answering(|asked, message| {
        if asked.is("v2.status") && message.succeeds() {
            message.replace("price", "99999");
        }
    });
    let comparison = against(dearer, scripted(ASKED)).await;
    assert_eq!(counting_differences(&comparison).len(), 1, "{:#?}", counting_differences(&comparison));
    let difference = comparison.differences.first().unwrap();
    assert_eq!((difference.standing, difference.broken_by), (DifferenceStanding::Break, Some(ComparedSide::B)));
    assert_eq!(
        (difference.operation.as_str(), difference.at.clone()),
        ("gateway.v2.status", Some(Place::field(place::Message::Response, "price")))
    );
    assert_eq!(difference.clauses.first().map(String::as_str), Some("gateway.status.price.value"));
    assert_eq!(difference.examples[0].b, Some(json!("99999")));
    assert_ne!(difference.examples[0].a, difference.examples[0].b);
    assert_eq!(comparison.outcome(&Contracts::default(), true).exit(), Exit::Findings);
}

/// Every way to break a rule that some breaks of the table have in common shows as a break, and names the rule.
#[tokio::test]
async fn breaks_of_all_documents_are_reported_as_breaks() {
    let table: Vec<_> = crate::breaks::all().into_iter().step_by(crate::breaks::all().len() / 24).collect();
    for each in table {
        let comparison = against(each.tamper, shipped(&[each.case])).await;
        let named = comparison
            .with_standing(DifferenceStanding::Break)
            .any(|d| d.broken_by == Some(ComparedSide::B) && d.clauses.iter().any(|c| c == each.clause));
        assert!(named, "{}: {}\n{:#?}", each.name, each.clause, comparison.differences);
        assert_eq!(comparison.outcome(&Contracts::default(), true).exit(), Exit::Findings, "{}", each.name);
    }
}

#[tokio::test]
async fn a_value_that_no_rule_decides_is_a_change() {
    let charged = answering(|asked, message| {
        if asked.is("v2.status") && message.succeeds() {
            message.replace("fee", "120");
        }
    });
    let comparison = against(charged, shipped(&[crate::breaks::READ_V2])).await;
    assert_eq!(counting_differences(&comparison).len(), 1, "{:#?}", counting_differences(&comparison));
    assert!(
        comparison
            .with_standing(DifferenceStanding::Changed)
            .all(|difference| difference.at == Some(Place::field(place::Message::Response, "fee")))
    );
    assert_eq!(
        (comparison.outcome(&Contracts::default(), false).exit(), comparison.outcome(&Contracts::default(), true).exit()),
        (Exit::Findings, Exit::Passed)
    );
}

#[test]
fn the_command_compares_two_sides_and_writes_what_it_found() {
    let folder = tempfile::tempdir().unwrap();
    let (json, junit) = (folder.path().join("compare.json"), folder.path().join("compare.xml"));
    let (json, junit) = (json.to_str().unwrap(), junit.to_str().unwrap());
    let compare = ["compare", "emulator", "emulator", "--filter", "a-paid-payment-is-refunded-in-parts", "--json", json, "--junit", junit];
    let ended = run(compare).with_code(0);
    assert!(ended.out.ends_with("ALIKE: nothing differs but what the documents leave free\n"), "{}", ended.out);
    let result: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!((result["format"].as_u64(), result["differences"].as_array().map(Vec::len)), (Some(2), Some(0)));
    assert!(result["cases"]["compared"].as_u64().is_some_and(|count| count > 0));
    assert!(std::fs::read_to_string(junit).unwrap().contains("failures=\"0\""));
}

#[test]
fn what_only_one_side_can_play_is_inconclusive() {
    let emulate = Emulate::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let mute = target_file(folder.path(), &emulate.url, MAIN, "");
    let mute = mute.to_str().unwrap();
    let compare = ["compare", "emulator", mute, "--filter", "gateway / a-paid-payment-is-refunded-in-parts"];
    let ended = run(compare).with_code(2);
    assert!(ended.out.contains("judged on A only: ") && ended.out.contains("INCONCLUSIVE"), "{}", ended.out);
    let ended = run(compare.iter().chain(&["--allow-skipped"])).with_code(2);
    assert!(ended.out.contains("nothing could be compared"), "{}", ended.out);
}

#[test]
fn a_side_that_is_nothing_is_refused() {
    run(["compare", "emulator", "no-such-file.yaml"]).with_code(3).complaining(&["no-such-file.yaml"]);
    run(["compare", "emulator"]).with_code(3);
    let folder = tempfile::tempdir().unwrap();
    let unreachable = target_file(folder.path(), "http://127.0.0.1:1", MAIN, "");
    run(["compare", unreachable.to_str().unwrap(), "emulator", "--filter", "an-unknown-payment-has-no-status"]).with_code(4);
}

#[test]
fn a_tape_is_held_against_a_tape_and_against_a_target() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("run.tape");
    let tape = tape.to_str().unwrap();
    const STORY: &str = "gateway / a-paid-payment-is-refunded-in-parts";
    run(["verify", "--filter", STORY, "--tape", tape]).with_code(0);
    for other in [tape, "emulator"] {
        let ended = run(["compare", tape, other, "--filter", STORY]).with_code(0);
        assert!(ended.out.contains("(taped)") && ended.out.contains("ALIKE"), "{}", ended.out);
    }
    let text = std::fs::read_to_string(tape).unwrap();
    std::fs::write(tape, text.replace("\"PAID\"", "\"CANCELLED\"").replace("PAID", "CANCELLED")).unwrap();
    let ended = run(["compare", tape, "emulator", "--filter", STORY]).with_code(1);
    assert!(ended.out.contains("DIFFERENT") && ended.out.contains("/status"), "{}", ended.out);
    run(["compare", tape, "--filter", STORY]).with_code(3);
    std::fs::write(tape, "no tape").unwrap();
    run(["compare", tape, "emulator"]).with_code(3).complaining(&["this is no tape"]);
}
