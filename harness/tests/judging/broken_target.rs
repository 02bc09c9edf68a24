//! Each rule is broken once, by a proxy between the harness and an emulator that keeps all of them.
//! Every break must be found, and the finding must name the clause that was broken.

use std::sync::Arc;

use crate::breaks::{self, Break, READ_V2};
use crate::support::proxy::{Memory, Message, ObservedRequest, Tamper};
use crate::support::{emulator, findings, judge_through, sentence, shipped, story, thinned, troubles};
use futures::StreamExt as _;
use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;
use harness::engine::runner::Case;
use harness::spec::scenario::StepVerb;
use serde_json::Value;
use tokio::sync::OnceCell;

/// What is wrong with the judgement of one break; nothing if it was named.
async fn unnamed(emulator: &emulator::Emulator, row: &Break, seed: u64) -> Option<String> {
    let finished = judge_through(emulator, row.tamper, shipped(&[row.case]), seed).await;
    let found: Vec<_> = finished.iter().flat_map(|case| findings(case)).collect();
    if found.iter().any(|finding| finding.clause() == row.clause) {
        return None;
    }
    let judged: Vec<_> = match found.as_slice() {
        [] => finished.iter().map(|case| story(case)).collect(),
        found => found.iter().map(|finding| sentence(finding)).collect(),
    };
    Some(format!("{} ({})\n  expected {}\n  named    {}", row.name, row.case, row.clause, judged.join("\n           ")))
}

/// Each has a proxy and connections of its own.
const AT_ONCE: usize = 16;

async fn every_one_is_named(rows: Vec<Break>) {
    let emulator = emulator().await;
    let judged = rows.iter().enumerate().map(|(index, row)| unnamed(&emulator, row, index as u64));
    let judged: Vec<Option<String>> = futures::stream::iter(judged).buffered(AT_ONCE).collect().await;
    let unnamed: Vec<String> = judged.into_iter().flatten().collect();
    assert!(unnamed.is_empty(), "{} of {} breaks are not named:\n\n{}\n", unnamed.len(), rows.len(), unnamed.join("\n\n"));
}

/// Judges every break in so many tests, which run side by side: none that is in the table is left out.
macro_rules! in_parts {
    ($($name:ident: $part:literal),+) => {
        const PARTS: usize = [$($part),+].len();
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                every_one_is_named(breaks::all().into_iter().skip($part).step_by(PARTS).collect()).await;
            }
        )+
    };
}

in_parts! {
    every_break_is_named_1: 0,
    every_break_is_named_2: 1,
    every_break_is_named_3: 2,
    every_break_is_named_4: 3,
    every_break_is_named_5: 4,
    every_break_is_named_6: 5,
    every_break_is_named_7: 6,
    every_break_is_named_8: 7,
    every_break_is_named_9: 8,
    every_break_is_named_10: 9
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_of_a_wrong_media_type_is_sent_on_and_masked() {
    let as_a_page: fn(&ObservedRequest<'_>, &mut Message) = |asked, message| {
        if asked.is("authenticate") {
            message.header("content-type", "text/html")
        }
    };
    let tamper = Tamper { response: Some(as_a_page), ..Tamper::default() };
    let finished = judge_through(&emulator().await, tamper, shipped(&["an-extension-may-be-repeated"]), 1).await;
    let at_fault: Vec<_> = finished.iter().flat_map(|case| findings(case)).map(|finding| finding.operation.as_str()).collect();
    assert!(!at_fault.is_empty() && at_fault.iter().all(|operation| *operation == "qr.authenticate"), "{:?}", troubles(&finished));
    let exchanges = finished.iter().flat_map(|case| &case.record).filter(|exchange| exchange.operation == "qr.authenticate");
    let texts: Vec<_> = exchanges.filter_map(|exchange| Some(&exchange.response()?.body.text)).collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| text.contains("***") && !text.contains("eyJ")), "{texts:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_a_proxy_that_changes_nothing_nothing_is_found() {
    let mut names: Vec<_> = breaks::all().iter().map(|row| row.case).collect();
    names.sort_unstable();
    names.dedup();
    let finished = judge_through(&emulator().await, Tamper::default(), shipped(&names), 0).await;
    assert!(finished.len() >= names.len());
    assert_eq!(troubles(&finished), Vec::<String>::new());
}

/// Breaks one field as the proxy was configured: `field` → `how`.
fn break_field(memory: &Memory, message: &mut Message) {
    for (field, how) in memory.lock().unwrap().iter().filter_map(|(key, how)| Some((key.strip_prefix("break ")?, how.as_str()))) {
        match how {
            "absent" => message.remove(field),
            "another type" if ["code", "appliedFee", "threeDSApplied"].contains(&field) => message.set(field, "some text"),
            "another type" => message.set(field, 7),
            _ => message.set(field, "NOT-IN-THE-LIST"),
        }
    }
}

/// Every way to break a field of a schema that is in the JSON of v2.0, with the clause that its file gives it.
fn breaks_of(schema: &str, tamper: Tamper) -> Vec<Break> {
    let path = format!("{}/../contracts/schemas/gateway/{schema}.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let required = |field: &str| {
        let lists = [schema.get("required"), schema.pointer("/then/required")];
        lists.into_iter().flatten().any(|list| list.as_array().unwrap().iter().any(|name| name == field))
    };
    let mut rows = Vec::new();
    for (field, property) in schema["properties"].as_object().unwrap() {
        let mut row = |how: &'static str, keyword: &str| {
            let clause = property.pointer(&format!("/x-clauses/{keyword}")).or(property.get("x-clause")).unwrap().as_str().unwrap();
            let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
            let fact = Some((leaked(format!("break {field}")), how));
            rows.push(Break {
                name: leaked(format!("{field}: {how}")),
                case: READ_V2,
                clause: leaked(clause.to_owned()),
                tamper: Tamper { fact, ..tamper },
            });
        };
        if required(field) {
            row("absent", "required");
        }
        row("another type", "type");
        if ["enum", "$ref", "anyOf"].iter().any(|key| property.get(key).is_some()) {
            row("another value", "enum");
        }
    }
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_for_a_field_of_the_status_is_named() {
    let status = Tamper {
        response: Some(|asked, message| {
            if asked.is("v2.status") {
                break_field(asked.memory, message)
            }
        }),
        ..Tamper::default()
    };
    let rows = breaks_of("status-record", status);
    assert!(rows.len() > 40, "{}", rows.len());
    every_one_is_named(rows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_for_a_field_of_the_notification_is_named() {
    let notification = Tamper { push: Some(|memory, push| break_field(memory, &mut push.message)), ..Tamper::default() };
    let rows = breaks_of("notification", notification);
    assert!(rows.len() > 50, "{}", rows.len());
    every_one_is_named(rows).await;
}

/// Everything there is, judged as it is.
static SOUND: OnceCell<Vec<Arc<CaseFinished>>> = OnceCell::const_new();

/// Every scenario, once as it is and once tampered with, where that concerns it; answers what still passes although the
/// untampered run says that it must not.
async fn unnoticed(tamper: Tamper, concerns: fn(&Case, &CaseFinished) -> bool) -> Vec<String> {
    let mut plan = thinned(shipped(&["gateway / ", "terminal / ", "transfers / "]), 0);
    // A thousand attempts take their time, and have a row of their own.
    plan.retain(|case| !case.name.scenario.ends_with("1000-times"));
    let sound = SOUND.get_or_init(|| async { judge_through(&emulator().await, Tamper::default(), plan.clone(), 1).await }).await;
    assert_eq!(troubles(sound), Vec::<String>::new());
    let concerned: Vec<Case> = plan.into_iter().zip(sound).filter(|(case, sound)| concerns(case, sound)).map(|(case, _)| case).collect();
    assert!(concerned.len() > 100, "{} cases are concerned", concerned.len());
    let broken = judge_through(&emulator().await, tamper, concerned, 1).await;
    broken.iter().filter(|i| !matches!(i.verdict, Verdict::Failed { .. })).map(|i| story(i)).collect()
}

/// Whether a call was answered with a code that this holds for.
fn answered(case: &CaseFinished, code: fn(i64) -> bool) -> bool {
    case.record.iter().filter_map(|exchange| exchange.response_value()?.get("code")?.as_i64()).any(code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_accepts_everything_fails_wherever_something_must_be_refused() {
    let lenient = Tamper { response: Some(|asked, message| message.grant(asked)), ..Tamper::default() };
    // Transfers can't be made up by a proxy; that the real ones are shown to strangers has breaks of its own.
    // What a GET is answered with where the documents show another method is not shown, nor whether a refund of 0 is refused, nor what
    // a second capture is told, nor a second reversal while the first one is not performed.
    let refused = |case: &Case, sound: &CaseFinished| {
        let open = [
            "another-method-performs-nothing",
            "a-refund-of-nothing-gives-nothing-back",
            "two-captures-at-the-same-moment-take-the-money-once",
            "a-reversal-is-performed-once",
        ];
        let is_shown = case.name.api != "transfers" && !open.contains(&case.name.scenario.as_str());
        is_shown && answered(sound, |code| code != 0)
    };
    assert_eq!(unnoticed(lenient, refused).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_refuses_everything_fails_wherever_something_must_be_accepted() {
    let strict = Tamper { response: Some(|asked, message| message.deny(asked)), ..Tamper::default() };
    assert_eq!(unnoticed(strict, |_, sound| answered(sound, |code| code == 0)).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_notifies_nothing_fails_wherever_something_must_be_notified() {
    let silent = Tamper { push: Some(|_, push| push.times = 0), ..Tamper::default() };
    let waits = |case: &Case, _: &CaseFinished| case.steps.iter().any(|s| matches!(s.verb, StepVerb::Notification(_)));
    assert_eq!(unnoticed(silent, waits).await, Vec::<String>::new());
}

#[test]
fn the_table_breaks_many_different_rules() {
    let rows = breaks::all();
    let clauses: std::collections::BTreeSet<_> = rows.iter().map(|row| row.clause).collect();
    assert!(clauses.len() >= 150, "{} clauses", clauses.len());
    let declared = &crate::support::contracts().clauses;
    let unknown: Vec<_> = clauses.iter().filter(|clause| !declared.contains_key(**clause)).collect();
    assert_eq!(unknown, Vec::<&&str>::new());
}
