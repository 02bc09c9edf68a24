use super::*;
use crate::base::skip::SkipReason;
use crate::engine::event::{OpenReason, Standing};
use crate::engine::outcome::Missing;
use crate::report::sample::{self, Full, Run, call, finding, push, unanswered};
use crate::wire::exchange::Exchange;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/events.schema.json");

fn written(run: &Run, all_records: bool) -> String {
    let mut out = Vec::new();
    let mut ndjson = Ndjson::new(&mut out, all_records);
    for event in run.events() {
        ndjson.event(&event).unwrap();
    }
    String::from_utf8(out).unwrap()
}

/// A run with every variant of everything that is written.
fn everything() -> Run {
    let record =
        vec![call(0, "/v1.0/create", "price=10000&curr=CZK", r#"{"code":0,"transId":"AAAA-1"}"#), push(1, "transId=AAAA-1"), unanswered(2)];
    sample::run()
        .passed("create", 1)
        .record(vec![call(0, "/v1.0/create", "price=1", "{}")])
        .failed("limits", vec![finding("gateway.create.limit"), sample::assumed("gateway.path")])
        .record(record)
        .skipped("pay", "no payer")
        .broken("status", "connection refused")
        .clause("a.passed", Standing::Passed { times: 3, injected: 0, in_passing: 0 })
        .clause("b.skipped", Standing::Skipped { reason: OpenReason::Skipped(SkipReason::Other("no payer".into())) })
        .clause("c.unchecked", Standing::Unchecked { reason: "not visible".into() })
        .clause("d.untouched", Standing::Untouched)
        .row("payment/paid", 0)
        .inconclusive(Missing::NothingSelected)
}

fn pretty(schema: &Value) -> String {
    serde_json::to_string_pretty(schema).unwrap() + "\n"
}

#[test]
fn one_object_per_line() {
    insta::assert_snapshot!(written(&everything(), false));
}

#[test]
fn the_same_events_give_the_same_bytes() {
    assert_eq!(written(&everything(), true), written(&everything(), true));
}

#[test]
fn records_of_passed_cases_are_written_on_request() {
    let records = |all| written(&everything(), all).lines().filter(|line| line.contains("\"record\":[")).count();
    assert_eq!((records(false), records(true)), (2, 4));
}

#[test]
fn a_long_body_is_cut_between_characters_and_says_so() {
    let mut long = Exchange::clone(&call(0, "/v1.0/create", "", ""));
    long.request.body.text = format!("a{}", "ř".repeat(MAX_RECORDED_BODY_BYTES));
    let text = written(&sample::run().failed("x", vec![finding("y")]).record(vec![long.into()]), false);
    assert!(text.contains("the first 16383 of 32769 bytes"), "{}", text.len());
    assert!(text.len() < MAX_RECORDED_BODY_BYTES + 4096);
}

#[test]
fn every_line_follows_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for line in written(&everything(), true).lines().chain(written(&everything(), false).lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let errors: Vec<_> = validator.iter_errors(&line).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{line:#}\n{errors:#?}");
    }
}

#[test]
fn the_schema_refuses_what_is_not_a_line() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for wrong in [serde_json::json!({}), serde_json::json!({"event": "run-ended"}), serde_json::json!({"event": "run-started", "seed": 1})]
    {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn the_committed_schema_is_current() {
    let committed = std::fs::read_to_string(SCHEMA).unwrap_or_default();
    let advice = "docs/events.schema.json is not current: cargo run -q --bin paycheck -- schema events > docs/events.schema.json";
    assert!(committed == pretty(&schema()), "{advice}");
}

#[test]
fn a_full_disk_is_reported() {
    let mut ndjson = Ndjson::new(Full, false);
    for event in everything().events() {
        assert_eq!(ndjson.event(&event).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
