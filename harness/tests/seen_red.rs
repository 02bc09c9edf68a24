//! Every clause that a schema of an answer or of a notification carries has been seen red: what a green
//! run recorded is broken in one place at a time, and the checks, which need no server, are asked again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness::check;
use harness::contract::{Content, Contracts, Operation};
use harness::exchange::{Decoded, Direction, Exchange, Outcome};
use harness::record::Record;
use harness::verdict::Verdict;
use serde_json::{Map, Value, json};

/// What may stand in place of a value: other types, nothing, words and numbers that no list has.
fn substitutes() -> [Value; 8] {
    [json!({"not": "a text"}), json!([1]), json!(-1), json!(0.5), json!(true), json!(""), json!("no such value"), Value::Null]
}

/// A value with one place changed, at any depth.
fn broken(value: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = substitutes().into_iter().filter(|other| other != value).collect();
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                let mut without = map.clone();
                without.remove(name);
                all.push(Value::Object(without));
                all.extend(broken(inner).into_iter().map(|inner| with(map, name, inner)));
            }
            // Fields that must not be there.
            all.extend(["applepay", "applepayMessage"].map(|name| with(map, name, json!("PAID"))));
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate().take(1) {
                all.extend(broken(inner).into_iter().map(|inner| {
                    let mut changed = items.clone();
                    changed[index] = inner;
                    Value::Array(changed)
                }));
            }
        }
        _ => {}
    }
    all
}

fn with(map: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut changed = map.clone();
    changed.insert(name.to_owned(), value);
    Value::Object(changed)
}

/// The clauses that a schema carries.
fn carried(schema: &Value, clauses: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            for (key, below) in map {
                match key.as_str() {
                    "x-clause" => clauses.extend(below.as_str().map(str::to_owned)),
                    "x-clauses" => below.as_object().unwrap().values().for_each(|c| match c {
                        Value::Object(by_field) => clauses.extend(by_field.values().filter_map(Value::as_str).map(str::to_owned)),
                        other => clauses.extend(other.as_str().map(str::to_owned)),
                    }),
                    "examples" | "enum" | "const" | "default" => {}
                    _ => carried(below, clauses),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| carried(item, clauses)),
        _ => {}
    }
}

fn carried_by(contents: &[Content]) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    contents.iter().for_each(|content| carried(&content.schema.expanded, &mut clauses));
    clauses
}

fn body(exchange: &mut Exchange) -> Option<&mut Decoded> {
    match (exchange.direction, &mut exchange.outcome) {
        (Direction::Notification, _) => Some(&mut exchange.request.body.decoded),
        (Direction::Call, Outcome::Answer(answer)) => Some(&mut answer.body.decoded),
        (Direction::Call, Outcome::Failed(_)) => None,
    }
}

/// The clauses that the checks name when the exchange is broken in every way, one at a time.
fn red(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    let mut changed = exchange.clone();
    let Some(Decoded::Value(value, _)) = body(&mut changed).map(|b| b.clone()) else { return clauses };
    for value in broken(&value) {
        *body(&mut changed).unwrap() = Decoded::Value(value, Vec::new());
        let judgement = match changed.direction {
            Direction::Call => check::answer(contracts, operation, &changed),
            Direction::Notification => check::notification(contracts, operation, &changed, &Record::default(), &|_, _| None),
        };
        clauses.extend(judgement.findings.into_iter().flat_map(|finding| finding.clauses));
    }
    clauses
}

/// One exchange of each shape: operation and the fields that were there.
fn shapes(records: &[Arc<Exchange>]) -> Vec<&Arc<Exchange>> {
    let mut shapes = BTreeMap::new();
    for exchange in records {
        let mut copy = Exchange::clone(exchange);
        let Some(Decoded::Value(value, _)) = body(&mut copy) else { continue };
        let fields: Vec<String> = match value {
            Value::Object(map) => map.keys().cloned().collect(),
            Value::Array(items) => vec![format!("{} items", items.len().min(1))],
            _ => Vec::new(),
        };
        let success = value.get("code").map(Value::to_string);
        shapes.entry((exchange.operation.clone(), fields, success)).or_insert(exchange);
    }
    shapes.into_values().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_clause_of_an_answer_or_a_notification_has_been_seen_red() {
    let contracts = support::contracts();
    let emulator = support::emulator().await;
    let base = emulator.base_url().parse().unwrap();
    let mut plan = support::shipped(&["gateway / ", "status / "]);
    plan.retain(|instance| !instance.name.scenario.contains("attempted-1000-times"));
    let ended = support::judge(support::target(&base), plan, 1, None).await;
    assert!(ended.iter().all(|instance| instance.verdict == Verdict::Passed), "{:#?}", support::troubles(&ended));
    let records: Vec<_> = ended.iter().flat_map(|instance| instance.record.iter().cloned()).collect();

    let mut seen = BTreeSet::new();
    for exchange in shapes(&records) {
        if let Some(operation) = contracts.operation(&exchange.operation) {
            seen.extend(red(&contracts, operation, exchange));
        }
    }
    let mut wanted = BTreeSet::new();
    for operation in contracts.operations.values() {
        wanted.extend(carried_by(&operation.answer));
        wanted.extend(carried_by(&operation.error_answer));
    }
    for notification in contracts.notifications.values() {
        wanted.extend(carried_by(notification.request.as_slice()));
    }
    let never: Vec<_> = wanted.difference(&seen).collect();
    assert!(wanted.len() > 100, "{}", wanted.len());
    assert!(never.is_empty(), "{} of {} clauses were never seen red: {never:#?}", never.len(), wanted.len());
}
