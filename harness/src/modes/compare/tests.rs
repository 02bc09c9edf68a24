use serde_json::{Value, json};

use super::testing::{contracts, failed, order, passed, push, read, read_of, response, run};
use super::*;
use crate::base::exit::Exit;
use crate::base::place::{Message, Place};
use crate::base::skip::SkipReason;
use crate::base::verdict::{Accepted, Finding, Verdict};
use crate::report::TerminalOptions;
use crate::report::rendering::{junit_text, screen};
use crate::wire::exchange::{Exchange, ExchangeOutcome, TransportFailure, TransportFailureKind};

/// The differences: standing, place, reason.
fn listed(comparison: &Comparison) -> Vec<(DifferenceStanding, String, String)> {
    comparison
        .differences
        .iter()
        .map(|d| (d.standing, format!("{} {}", d.operation, d.at.as_ref().map_or_else(|| "-".to_owned(), Place::to_string)), d.why.clone()))
        .collect()
}

fn compared(a: &PlayedRun, b: &PlayedRun) -> Comparison {
    let comparison = compare(a, b, &contracts());
    let turned = compare(b, a, &contracts());
    assert_eq!(comparison.differences.len(), turned.differences.len(), "what differs one way does so the other way");
    comparison
}

/// The only difference between two status responses.
fn only(a: Value, b: Value) -> (DifferenceStanding, String, String) {
    let comparison = compared(&passed(vec![order("N1"), read(a)]), &passed(vec![order("N1"), read(b)]));
    let mut differences = listed(&comparison);
    assert_eq!(differences.len(), 1, "{differences:#?}");
    differences.remove(0)
}

fn standing(a: Value, b: Value) -> DifferenceStanding {
    only(a, b).0
}

#[test]
fn the_same_is_alike() {
    let run = passed(vec![order("N1"), read(json!({"code": 0, "state": "OPEN"})), push(json!({"number": "N1"}))]);
    let comparison = compared(&run, &run);
    assert_eq!((comparison.differences.len(), comparison.outcome(&contracts(), false).exit()), (0, Exit::Passed));
    assert_eq!(comparison.cases, Cases { compared: 1, alike: 1, ..Cases::default() });
}

#[test]
fn other_names_for_the_same_things_are_no_difference() {
    let run = |id: &str| {
        passed(vec![order(id), read_of(id, json!({"code": 0, "number": id, "message": format!("see {id}")})), push(json!({"number": id}))])
    };
    assert_eq!(listed(&compared(&run("AB12-CD34"), &run("ZZ99-YY88"))), []);
    let confused = passed(vec![
        order("ZZ99-YY88"),
        read_of("ZZ99-YY88", json!({"code": 0, "number": "AB12-CD34", "message": "see ZZ99-YY88"})),
        push(json!({"number": "XX77-XX77"})),
    ]);
    let found = compared(&run("AB12-CD34"), &confused);
    assert!(
        listed(&found).contains(&(
            DifferenceStanding::Changed,
            "shop.push notification body /number".into(),
            "what is one thing on one side is another or several on the other".into()
        )),
        "{found:#?}"
    );
}

#[test]
fn what_the_documents_leave_open_is_reported_as_allowed() {
    for (a, b) in [
        (json!({"code": 0, "message": "OK"}), json!({"code": 0, "message": "V pořádku"})),
        (json!({"code": 0}), json!({"code": 0, "message": "OK"})),
        (json!({"code": 0}), json!({"code": 0, "more": {"a": 1}})),
        (json!({"code": 0, "cents": 5}), json!({"code": 0, "cents": "5"})),
        (json!({"code": 0, "until": "2026-01-01T00:00:00Z"}), json!({"code": 0, "until": "2026-01-02T00:00:00Z"})),
        (json!({"code": 0, "page": "https://a.example/x"}), json!({"code": 0, "page": "https://b.example/y"})),
        (json!({"code": 0, "items": [{"cents": 1}, {"cents": 2}]}), json!({"code": 0, "items": [{"cents": 2}, {"cents": 1}]})),
    ] {
        assert_eq!(standing(a.clone(), b.clone()), DifferenceStanding::Freedom, "{a} {b}");
    }
}

#[test]
fn what_no_rule_decides_is_reported_as_a_change() {
    assert_eq!(only(json!({"code": 0, "state": "OPEN"}), json!({"code": 0, "state": "SENT"})).1, "shop.read response body /state");
    for (a, b) in [
        (json!({"code": 0, "cents": 5}), json!({"code": 0, "cents": 6})),
        (json!({"code": 0, "items": [{"cents": 1}]}), json!({"code": 0, "items": []})),
        (json!({"code": 0, "items": [{"cents": 1}]}), json!({"code": 0, "items": [{"cents": 2}]})),
        (json!({"code": 0, "until": "2026-"}), json!({"code": 0, "until": "2027-"})),
        (json!({"code": 0, "state": "OPEN"}), json!({"code": 9, "message": "gone"})),
    ] {
        assert_eq!(standing(a.clone(), b.clone()), DifferenceStanding::Changed, "{a} {b}");
    }
    let comparison = compared(&passed(vec![read(json!({"cents": 1}))]), &passed(vec![read(json!({"cents": 2}))]));
    assert_eq!(
        (comparison.outcome(&contracts(), false).exit(), comparison.outcome(&contracts(), true).exit()),
        (Exit::Findings, Exit::Passed)
    );
}

#[test]
fn another_documented_code_is_free_and_an_unknown_one_is_not() {
    let refused = |code: u16| {
        let mut exchange = order("N1");
        *response(&mut exchange) = response(&mut read(json!({"code": code}))).clone();
        passed(vec![exchange])
    };
    assert_eq!(listed(&compared(&refused(8), &refused(9)))[0].0, DifferenceStanding::Freedom);
    assert_eq!(listed(&compared(&refused(8), &refused(7)))[0].0, DifferenceStanding::Changed);
}

#[test]
fn what_one_side_breaks_is_a_break_and_is_reported_once() {
    let good = passed(vec![order("N1"), read(json!({"code": 0, "state": "OPEN"})), read(json!({"code": 0, "state": "OPEN"}))]);
    let bad = vec![order("N1"), read(json!({"code": 0, "state": "LOST"}))];
    let bad = failed(bad, "shop.read.state", Place::field(Message::Response, "state"), json!("LOST"));
    let found = compared(&good, &bad);
    assert_eq!(found.differences.len(), 1, "{found:#?}");
    let difference = &found.differences[0];
    assert_eq!(
        (difference.standing, difference.broken_by, difference.kind),
        (DifferenceStanding::Break, Some(ComparedSide::B), DifferenceKind::Value)
    );
    assert_eq!(difference.clauses, ["shop.read.state"]);
    assert_eq!((&difference.examples[0].a, &difference.examples[0].b), (&Some(json!("OPEN")), &Some(json!("LOST"))));
    assert_eq!(compared(&bad, &good).differences[0].broken_by, Some(ComparedSide::A));
    assert_eq!(found.outcome(&contracts(), true).exit(), Exit::Findings, "no allowance for breaks");
}

#[test]
fn what_both_break_alike_is_no_break() {
    let bad = || failed(vec![read(json!({"state": "LOST"}))], "shop.read.state", Place::field(Message::Response, "state"), json!("LOST"));
    assert_eq!(listed(&compared(&bad(), &bad())), []);
}

#[test]
fn a_rule_that_is_assumed_breaks_nothing_and_an_accepted_break_is_known() {
    let with = |change: fn(&mut Finding)| {
        let mut run =
            failed(vec![read(json!({"state": "LOST"}))], "shop.read.state", Place::field(Message::Response, "state"), json!("LOST"));
        if let Verdict::Failed { findings } = &mut run.cases[0].verdict {
            findings.iter_mut().for_each(change);
        }
        run
    };
    let good = passed(vec![read(json!({"state": "OPEN"}))]);
    let assumed = compared(&good, &with(|finding| finding.assumed = Some("not shown".into())));
    assert_eq!(assumed.differences[0].standing, DifferenceStanding::Changed);
    let accepts = |finding: &mut Finding| {
        finding.known = Some(Accepted { owner: "Jana".into(), reason: "r".into(), expires: "2026-12-31".into() });
    };
    let known = compared(&good, &with(accepts));
    assert_eq!((known.differences[0].standing, known.outcome(&contracts(), false).exit()), (DifferenceStanding::Known, Exit::Passed));
    assert_eq!(known.differences[0].known.as_ref().unwrap().owner, "Jana");
}

#[test]
fn more_polls_and_the_same_notification_again_are_free_and_another_one_is_not() {
    let open = || read(json!({"code": 0, "state": "OPEN"}));
    let sent = || push(json!({"number": "N1", "state": "SENT"}));
    let once = passed(vec![order("N1"), open(), sent()]);
    let more = passed(vec![order("N1"), open(), open(), sent(), sent()]);
    let found = compared(&once, &more);
    assert!(found.differences.iter().all(|d| d.standing == DifferenceStanding::Freedom) && found.differences.len() == 2, "{found:#?}");
    let other = passed(vec![order("N1"), open(), sent(), push(json!({"number": "N1", "state": "OPEN"}))]);
    assert_eq!(listed(&compared(&once, &other))[0].0, DifferenceStanding::Changed);
    let asked = passed(vec![order("N1"), order("N2"), open(), sent()]);
    assert_eq!(listed(&compared(&once, &asked))[0].0, DifferenceStanding::Changed);
}

#[test]
fn headers_are_free_and_are_reported() {
    let with = |value: &str| {
        let mut exchange = read(json!({"code": 0}));
        response(&mut exchange).headers.push(("x-request-id".into(), value.into()));
        passed(vec![exchange])
    };
    assert_eq!(
        listed(&compared(&with("1"), &with("2"))),
        [(DifferenceStanding::Freedom, "shop.read response header x-request-id".into(), "headers".into())]
    );
}

#[test]
fn a_connection_that_breaks_is_a_difference() {
    let broken = || {
        let mut exchange: Exchange = read(json!({}));
        exchange.outcome = ExchangeOutcome::Failed(TransportFailure { kind: TransportFailureKind::Broken, detail: "reset".into() });
        passed(vec![exchange])
    };
    assert_eq!(listed(&compared(&broken(), &passed(vec![read(json!({}))])))[0].1, "shop.read response");
    assert_eq!(listed(&compared(&broken(), &broken())), []);
}

#[test]
fn what_was_judged_on_one_side_only_makes_it_inconclusive() {
    let skipped = || Verdict::Skipped { reason: SkipReason::Other("no payer".into()) };
    let good = || (Verdict::Passed, vec![order("N1")]);
    let found =
        compared(&run("a", vec![good(), good(), (skipped(), vec![])]), &run("b", vec![good(), (skipped(), vec![]), (skipped(), vec![])]));
    assert_eq!(missing(&found), ["1 case judged on A only: no payer"]);
    assert_eq!((found.outcome(&contracts(), false).exit(), found.cases.on_neither), (Exit::Inconclusive, 1));
    let found = compared(&run("a", vec![good()]), &run("b", vec![good(), good()]));
    assert_eq!(missing(&found), ["1 case judged on B only: A has no such case"]);
    assert_eq!(missing(&compared(&PlayedRun::default(), &PlayedRun::default())), ["nothing could be compared"]);
}

fn everything() -> Comparison {
    let state = |state: &str| vec![order("N1"), read(json!({"code": 0, "state": state, "cents": 5, "message": "OK"}))];
    let good = |count: usize| (0..count).map(|_| (Verdict::Passed, state("OPEN")));
    let a = run("shop of yesterday", good(4).collect());
    let mut b = passed(vec![order("N2-N2-N2"), read_of("N2-N2-N2", json!({"code": 0, "state": "OPEN", "cents": 6, "message": "ok"}))]);
    b.target = "shop of today".into();
    let mut bad = failed(state("LOST"), "shop.read.state", Place::field(Message::Response, "state"), json!("LOST"));
    b.cases.append(&mut bad.cases);
    b.cases.extend(run("", good(2).collect()).cases.split_off(1));
    for (number, played) in b.cases.iter_mut().enumerate() {
        played.name.case = (number + 1).to_string();
    }
    compare(&a, &b, &contracts())
}

fn missing(comparison: &Comparison) -> Vec<String> {
    comparison.missing.iter().map(ToString::to_string).collect()
}

#[test]
fn a_comparison_is_one_screen() {
    insta::assert_snapshot!(screen(&everything().outcome(&contracts(), false), TerminalOptions::default()));
}

#[test]
fn changes_that_are_allowed_are_shown_and_do_not_count() {
    insta::assert_snapshot!(screen(&everything().outcome(&contracts(), true), TerminalOptions::default()));
}

#[test]
fn a_comparison_is_a_junit_file() {
    insta::assert_snapshot!(junit_text(&everything().outcome(&contracts(), false)));
    assert!(junit_text(&everything().outcome(&contracts(), true)).contains("failures=\"1\""), "changes are allowed");
}

#[test]
fn the_result_follows_its_schema_and_the_same_runs_give_the_same_bytes() {
    let schema = schema();
    assert_eq!(jsonschema::meta::validate(&schema).err().map(|error| error.to_string()), None);
    let json = || everything().outcome(&contracts(), false).document.unwrap().json().unwrap();
    let bytes = json();
    assert_eq!(bytes, json());
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert_eq!(validator.iter_errors(&value).map(|error| error.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/compare.schema.json")).unwrap_or_default();
    let current = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    assert!(
        committed == current,
        "docs/compare.schema.json is not current: cargo run -q --bin paycheck -- schema compare > docs/compare.schema.json"
    );
}
