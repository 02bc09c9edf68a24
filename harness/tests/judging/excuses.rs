//! What the contracts excuse, a stranger does: for each reason of `x-free`, `x-assumed`, `x-codes-assumed` and `x-open-values` there is
//! a freedom of the emulator.

use std::collections::BTreeSet;
use std::path::Path;

use emulator::freedoms;
use harness::base::source::{Problems, Source};
use serde_json::Value;

const TOKENS: &str = "a token is opaque to the checks: what they send back is what they were given";
const CODES: &str = "the contract of the code allows every account, text and version that its format knows";
const SAMPLES: &str = "samples are judged by their layout alone";
const LAYOUTS: &str = "a layout of another kind breaks an assumed rule alone, which is told and does not count";

/// The keywords that excuse something, each with its reason.
const EXCUSING: [&str; 4] = ["x-free", "x-assumed", "x-codes-assumed", "x-open-values"];

/// Reasons that no freedom plays yet, and what holds there.
const NOT_PLAYED: &[(&str, &str)] = &[
    ("the service chooses the token; whether it is one, shows when it is sent (Device activation request)", TOKENS),
    ("the service chooses the token (Device token exchange response)", TOKENS),
    ("the service chooses the token (What the service does)", TOKENS),
    ("the service numbers its devices (Device activation request)", TOKENS),
    ("the character set of the EPC QR text is not said (QR payment creation)", CODES),
    ("the version of the format is not said (QR payment creation)", CODES),
    ("whether the code offers more than a payment order is not said (QR payment creation)", CODES),
    ("the money goes to an account of the service's choice (QR payment creation)", CODES),
    (
        "the money goes to an account of the service's choice; its check digits are judged when the code is read (QR payment creation)",
        CODES,
    ),
    (
        "the money goes to accounts of the service's choice; their check digits are judged when the code is read (QR payment creation)",
        CODES,
    ),
    ("whose account it is, is the service's choice (QR payment creation)", CODES),
    ("the payment generates the symbol itself; only that of another payment it can't be (QR payment creation)", CODES),
    ("The document shows `email=<EMAIL>` and not where it stands; a query parameter is assumed.", "the call works without it"),
    ("what the sample details say is not shown (Endpoints)", SAMPLES),
    ("what the sample files say is not shown (Endpoints)", SAMPLES),
    ("no order of the items is shown (Statement envelopes)", SAMPLES),
    ("no order of the payments is shown (Statement envelopes)", SAMPLES),
    ("The document names the format ABO/GPC and shows nothing of it; the layout is that of Czech banks.", LAYOUTS),
];

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
            for reason in EXCUSING.iter().filter_map(|key| fields.get(*key)).flat_map(texts) {
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
    let explained: BTreeSet<&str> = NOT_PLAYED.iter().map(|(reason, _)| *reason).collect();
    let unused: Vec<_> = reasons()
        .into_iter()
        .filter(|(api, reason)| !played.contains(&(api.as_str(), reason.as_str())) && !explained.contains(reason.as_str()))
        .collect();
    assert!(unused.is_empty(), "no freedom of emulator/freedoms.yaml plays these:\n{unused:#?}");
}

#[test]
fn no_freedom_plays_what_no_contract_excuses() {
    let reasons: BTreeSet<String> = reasons().into_iter().map(|(_, reason)| reason).collect();
    let stale: Vec<_> = freedoms().iter().flat_map(|freedom| &freedom.plays).filter(|reason| !reasons.contains(*reason)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
    let stale: Vec<_> = NOT_PLAYED.iter().filter(|(reason, _)| !reasons.contains(*reason)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
}
