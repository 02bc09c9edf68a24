//! Tests of the formats against the schemas that their owners publish, and as people read them. The schemas are in
//! `tests/schemas/`.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Reporter;
use super::formats::FORMATS;
use super::github::GitHub;
use super::rendering::written;
use super::sample::{self, Run};
use crate::wire::exchange::{BinaryFile, Body, Exchange, ExchangeOutcome, Response};

fn schema(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/schemas").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The files of the HAR schema as one: each refers to the others by file name.
fn har_schema() -> Value {
    let mut definitions = serde_json::Map::new();
    for entry in std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/har")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(own) = name.strip_suffix(".json") else { continue };
        let mut part = schema(&format!("har/{name}"));
        part.as_object_mut().unwrap().remove("$id");
        part.as_object_mut().unwrap().remove("$schema");
        let text = part.to_string().replace(".json#\"", "\"").replace("\"$ref\":\"", "\"$ref\":\"#/definitions/");
        definitions.insert(own.to_owned(), serde_json::from_str(&text).unwrap());
    }
    json!({ "$schema": "http://json-schema.org/draft-06/schema#", "$ref": "#/definitions/har", "definitions": definitions })
}

fn runs() -> [Run; 3] {
    [sample::everything(), sample::run(), sample::run().with_contracts().passed("a", 3)]
}

fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn document(format: &str, run: &Run, timings: bool) -> Value {
    serde_json::from_str(&written(format, run, timings)).unwrap()
}

/// Checks that every run is valid, and that a removed required field is noticed.
fn holds(format: &str, schema: &Value, required: &str) {
    for (run, timings) in runs().iter().flat_map(|run| [(run, false), (run, true)]) {
        let mut document = document(format, run, timings);
        assert_eq!(faults(schema, &document), Vec::<String>::new(), "{format}");
        let (parent, key) = required.rsplit_once('/').unwrap();
        assert!(document.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).is_some());
        assert!(!faults(schema, &document).is_empty(), "{format}: accepted without {required}");
    }
}

#[test]
fn ctrf_holds_to_its_schema() {
    holds("ctrf", &schema("ctrf.schema.json"), "/results/summary/passed");
}

#[test]
fn sarif_holds_to_its_schema() {
    holds("sarif", &schema("sarif-schema-2.1.0.json"), "/runs/0/tool/driver/name");
}

#[test]
fn a_thousand_results_are_enough_and_what_is_left_out_is_said() {
    let mut run = sample::run().with_contracts();
    for number in 0..1_200 {
        run = run.failed(&format!("case-{number}"), vec![sample::finding(&format!("gateway.clause.{number}"))]);
    }
    let sarif = document("sarif", &run, false);
    let run = &sarif["runs"][0];
    let kept = [&run["results"], &run["tool"]["driver"]["rules"]].map(|list| list.as_array().unwrap().len());
    assert_eq!(kept, [1_000, 1_000]);
    let notes = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("200 more causes left out here"), "{notes}");
}

#[test]
fn har_holds_to_its_schema() {
    holds("har", &har_schema(), "/log/creator/version");
    let entries = document("har", &sample::everything(), false);
    assert_eq!(entries["log"]["entries"].as_array().unwrap().len(), 4);
}

/// A reader that decodes the text has the bytes of the file again. A file that is not kept has no text that could be taken for it.
#[test]
fn a_binary_file_is_in_har_as_its_bytes() {
    let downloaded = |bytes: Option<Vec<u8>>| {
        let mut exchange = Exchange::clone(&sample::call(0, "/day.zip", "", ""));
        let file = Some(Box::new(BinaryFile { size: 4, bytes }));
        let body = Body { text: "(4 bytes: a.csv)".into(), file, ..Body::default() };
        exchange.outcome = ExchangeOutcome::Response(Response { status: 200, headers: Vec::new(), body });
        Arc::new(exchange)
    };
    let run = sample::run().passed("files", 1).record(vec![downloaded(Some(b"PK\x03\x04".to_vec())), downloaded(None)]);
    let har = document("har", &run, false);
    assert_eq!(faults(&har_schema(), &har), Vec::<String>::new());
    let note = json!({ "size": 4, "mimeType": "x-unknown", "comment": "(4 bytes: a.csv)" });
    let mut kept = note.clone();
    kept["text"] = json!("UEsDBA==");
    kept["encoding"] = json!("base64");
    let entries = har["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.iter().map(|entry| &entry["response"]["content"]).collect::<Vec<_>>(), [&kept, &note]);
    assert!(entries.iter().all(|entry| entry["response"]["bodySize"] == 4), "{har}");
}

/// Whether xmllint finds the report valid; `None` if it is not installed. CI must have it.
fn is_valid(xml: &str) -> Option<Result<(), String>> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("junit.xml");
    std::fs::write(&file, xml).unwrap();
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schemas/junit-10.xsd");
    let Ok(ended) = std::process::Command::new("xmllint").args(["--noout", "--nonet", "--schema", schema]).arg(&file).output() else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "xmllint is not installed: apt-get install libxml2-utils");
        return None;
    };
    Some(if ended.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&ended.stderr).into_owned()) })
}

#[test]
fn junit_holds_to_the_schema_of_jenkins() {
    for (run, timings) in runs().iter().flat_map(|run| [(run, false), (run, true)]) {
        let xml = written("junit", run, timings);
        let Some(valid) = is_valid(&xml) else { return };
        assert_eq!(valid, Ok(()), "{xml}");
        let broken = is_valid(&xml.replace("<testsuites ", "<testsuites skipped=\"0\" "));
        assert!(broken.is_some_and(|valid| valid.is_err()), "the schema allows what Jenkins refuses");
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    for format in FORMATS {
        let [one, two] = [written(format.name, &sample::everything(), false), written(format.name, &sample::everything(), false)];
        assert!(!one.is_empty() && one == two, "{}", format.name);
    }
}

#[test]
fn no_format_carries_what_a_terminal_obeys() {
    for format in FORMATS {
        assert!(!written(format.name, &sample::everything(), false).contains('\u{1b}'), "{}", format.name);
    }
}

fn without_version(text: &str) -> String {
    text.replace(&format!("\"{}\"", env!("CARGO_PKG_VERSION")), "\"[version]\"")
}

#[test]
fn as_people_and_tools_read_them() {
    for format in ["ctrf", "sarif", "har", "markdown"] {
        insta::assert_snapshot!(format, without_version(&written(format, &sample::everything(), false)));
    }
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary.md");
    std::fs::write(&summary, "before\n").unwrap();
    let mut out = Vec::new();
    GitHub::new(&mut out, Some(summary.clone())).finish(&sample::everything().outcome()).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")), "{out}");
    insta::assert_snapshot!("github", out);
    let text = std::fs::read_to_string(summary).unwrap();
    assert!(text.starts_with("before\n# FAILED"), "{text}");
}

/// Whether the text is one code span, which ends at the next equal run of backticks.
fn is_code(text: &str) -> bool {
    let ticks: String = text.chars().take_while(|c| *c == '`').collect();
    let within = text.strip_prefix(&ticks).and_then(|rest| rest.strip_suffix(&ticks));
    within.is_some_and(|within| !within.contains(&ticks) && !within.ends_with('`'))
}

#[test]
fn nothing_in_a_summary_is_markdown_of_the_target() {
    let text = written("markdown", &sample::everything(), false);
    let mut fence = None;
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            Some(open) if *open == line => fence = None,
            Some(_) => {}
            None if line.contains(": `") => assert!(is_code(line.split_once(": ").unwrap().1), "{line}"),
            None => assert!(!line.starts_with("# planted") && !line.contains("](http") && !line.contains("<script"), "{line}"),
        }
    }
    assert_eq!(fence, None, "a block is never closed");
}
