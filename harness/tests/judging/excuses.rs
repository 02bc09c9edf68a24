//! What the contracts excuse, a stranger does: for each reason of `x-free` and `x-assumed` there is a freedom of the emulator.

use std::collections::BTreeSet;
use std::path::Path;

use emulator::freedoms;
use harness::base::source::{Problems, Source};
use serde_json::Value;

/// Reasons that no freedom plays, and where they are proved instead.
const PROVED_ELSEWHERE: &[(&str, &str)] = &[];

/// The reasons that the contracts give, each with its API.
fn reasons() -> BTreeSet<(String, String)> {
    let contracts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts");
    let mut reasons = BTreeSet::new();
    for api in ["gateway", "status", "terminal", "transfers", "qr", "device"] {
        collect(api, &read(&contracts.join(format!("{api}.openapi.yaml"))), &mut reasons);
        for schema in std::fs::read_dir(contracts.join("schemas").join(api)).unwrap() {
            collect(api, &read(&schema.unwrap().path()), &mut reasons);
        }
    }
    reasons
}

/// A file of YAML, of which JSON is a part.
fn read(path: &Path) -> Value {
    let mut problems = Problems::new();
    let source = Source::read(path, &mut problems).unwrap();
    source.parse(&mut problems).unwrap().to_json()
}

fn collect(api: &str, value: &Value, reasons: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for reason in ["x-free", "x-assumed"].iter().filter_map(|key| fields.get(*key)).flat_map(texts) {
                reasons.insert((api.to_owned(), reason));
            }
            fields.values().for_each(|inner| collect(api, inner, reasons));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(api, item, reasons)),
        _ => {}
    }
}

/// A reason alone, or those of a list of places.
fn texts(reason: &Value) -> Vec<String> {
    let entries =
        reason.as_array().map_or_else(|| vec![reason], |entries| entries.iter().filter_map(|entry| entry.get("reason")).collect());
    entries.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn every_excuse_of_the_contracts_is_used_by_a_stranger() {
    let played: BTreeSet<(&str, &str)> = freedoms()
        .iter()
        .flat_map(|freedom| freedom.plays.iter().flat_map(|reason| freedom.apis.iter().map(move |api| (api.as_str(), reason.as_str()))))
        .collect();
    let proved: BTreeSet<&str> = PROVED_ELSEWHERE.iter().map(|(reason, _)| *reason).collect();
    let unused: Vec<_> = reasons()
        .into_iter()
        .filter(|(api, reason)| !played.contains(&(api.as_str(), reason.as_str())) && !proved.contains(reason.as_str()))
        .collect();
    assert!(unused.is_empty(), "no freedom of emulator/freedoms.yaml plays these:\n{unused:#?}");
}

#[test]
fn no_freedom_plays_what_no_contract_excuses() {
    let reasons: BTreeSet<String> = reasons().into_iter().map(|(_, reason)| reason).collect();
    let stale: Vec<_> = freedoms().iter().flat_map(|freedom| &freedom.plays).filter(|reason| !reasons.contains(*reason)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
    let stale: Vec<_> = PROVED_ELSEWHERE.iter().filter(|(reason, _)| !reasons.contains(*reason)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
}
