//! What contracts and scenarios excuse, a stranger does: for each reason of `x-free`, `x-assumed`, `x-codes-assumed`, `x-open-values`,
//! `x-not-refused`, `x-rejected` and a step's `assumed` there is a freedom of the emulator, or `excuses.yaml` says why there can be none.

use std::collections::BTreeSet;
use std::path::Path;

use emulator::freedoms;
use harness::base::source::{Problems, Source};
use serde_json::Value;

/// The keywords that excuse something, each with its reason.
const EXCUSING: [&str; 6] = ["x-free", "x-assumed", "x-codes-assumed", "x-open-values", "x-not-refused", "x-rejected"];

const APIS: [&str; 6] = ["gateway", "status", "terminal", "transfers", "qr", "device"];

/// The reasons that no freedom can play: those of `excuses.yaml`, each with what holds there.
fn explained() -> BTreeSet<String> {
    let file = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judging/excuses.yaml"));
    let reasons = file.as_object().unwrap().values().flat_map(|reasons| reasons.as_array().unwrap());
    reasons.map(|reason| reason.as_str().unwrap().to_owned()).collect()
}

/// The reasons that contracts and scenarios give, each with its API.
fn reasons() -> BTreeSet<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let contracts = root.join("contracts");
    let mut reasons = BTreeSet::new();
    for api in APIS {
        collect(api, &EXCUSING, &read(&contracts.join(format!("{api}.openapi.yaml"))), &mut reasons);
        for schema in std::fs::read_dir(contracts.join("schemas").join(api)).unwrap() {
            collect(api, &EXCUSING, &read(&schema.unwrap().path()), &mut reasons);
        }
        for scenario in std::fs::read_dir(root.join("scenarios").join(api)).unwrap() {
            collect(api, &["assumed"], &read(&scenario.unwrap().path()), &mut reasons);
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

fn collect(api: &str, excusing: &[&str], value: &Value, reasons: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for reason in excusing.iter().filter_map(|key| fields.get(*key)).flat_map(texts) {
                reasons.insert((api.to_owned(), reason));
            }
            fields.values().for_each(|inner| collect(api, excusing, inner, reasons));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(api, excusing, item, reasons)),
        _ => {}
    }
}

/// A reason alone, those of a list of places, or those of keywords.
fn texts(reason: &Value) -> Vec<String> {
    let entries: Vec<&Value> = match reason {
        Value::Array(entries) => entries.iter().filter_map(|entry| entry.get("reason")).collect(),
        Value::Object(by_keyword) => by_keyword.values().collect(),
        alone => vec![alone],
    };
    entries.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn every_excuse_is_used_by_a_stranger() {
    let played: BTreeSet<(&str, &str)> = freedoms()
        .iter()
        .flat_map(|freedom| freedom.plays.iter().flat_map(|reason| freedom.apis.iter().map(move |api| (api.as_str(), reason.as_str()))))
        .collect();
    let explained = explained();
    let unused: Vec<_> = reasons()
        .into_iter()
        .filter(|(api, reason)| !played.contains(&(api.as_str(), reason.as_str())) && !explained.contains(reason))
        .collect();
    assert!(
        unused.is_empty(),
        "no freedom of emulator/freedoms.yaml plays these, and tests/judging/excuses.yaml does not say why none can:\n{unused:#?}"
    );
}

#[test]
fn no_freedom_plays_what_nothing_excuses() {
    let reasons: BTreeSet<String> = reasons().into_iter().map(|(_, reason)| reason).collect();
    let stale: Vec<_> = freedoms().iter().flat_map(|freedom| &freedom.plays).filter(|reason| !reasons.contains(*reason)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
    let stale: Vec<_> = explained().into_iter().filter(|reason| !reasons.contains(reason)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
}
