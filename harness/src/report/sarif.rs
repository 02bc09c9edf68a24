//! SARIF 2.1.0: findings for code scanners. Clauses are rules, scenario lines are locations.

use std::io;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::Reporter;
use super::bug::bug_report_of;
use super::format::{Format, FormatOptions};
use crate::base::exit::Exit;
use crate::base::output::write_whole;
use crate::base::source_place::SourcePlace;
use crate::base::text::{bounded, counted};
use crate::base::verdict::{Finding, FindingKind};
use crate::engine::outcome::{Cause, Missing, Outcome, StartLine, Weight, WireMessage};

pub(super) const FORMAT: Format = Format {
    name: "sarif",
    label: "SARIF",
    help: "Writes the causes of failure as SARIF 2.1.0, for code scanning",
    needs_exchanges: false,
    reporter: |options| Ok(Box::new(Sarif { options })),
};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The most results; a scanner that takes in thousands of one run shows none of them.
const MAX_RESULTS: usize = 1_000;
/// The longest text of one result.
const MAX_TEXT_BYTES: usize = 32 * 1024;
/// The longest value or message in it.
const MAX_PART_BYTES: usize = 4 * 1024;

/// Writes the findings when the command ends.
struct Sarif {
    options: FormatOptions,
}

impl Reporter for Sarif {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(&document(outcome))?;
        bytes.push(b'\n');
        write_whole(&self.options.to, &bytes)
    }
}

fn document(outcome: &Outcome) -> Value {
    let mut rules = IndexMap::new();
    let results: Vec<Value> = outcome.causes.iter().take(MAX_RESULTS).map(|cause| result(cause, &mut rules)).collect();
    let judged = !matches!(outcome.exit(), Exit::Unreachable | Exit::Interrupted);
    let left_out = outcome.causes.len().saturating_sub(MAX_RESULTS);
    let left_out = (left_out > 0).then(|| format!("{} left out here", counted(left_out, "more cause")));
    let notes = outcome.missing.iter().map(Missing::to_string).chain(left_out);
    let notifications: Vec<Value> = notes.map(|text| json!({ "level": "warning", "message": { "text": text } })).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "paycheck",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            } },
            "automationDetails": { "id": format!("paycheck/{}/", outcome.heading.verb.name()) },
            "invocations": [{
                "executionSuccessful": judged,
                "exitCode": outcome.exit().code(),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// What stays the same from run to run. A cause of several clauses has the name of the one that the run met first, which its
/// selection decides.
fn fingerprint(name: &str, finding: &Finding) -> String {
    match &finding.kind {
        FindingKind::Refused(code) => format!("refused with {code}|{}", finding.operation),
        FindingKind::OtherCode { expected, got, .. } => format!("{got} for {expected}|{}", finding.operation),
        FindingKind::Differs | FindingKind::Unexpected | FindingKind::NothingArrived => {
            let at = finding.at.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{name}|{}|{at}", finding.operation)
        }
    }
}

fn result(cause: &Cause, rules: &mut IndexMap<String, Value>) -> Value {
    let id = cause.name.clone();
    let index = rules.insert_full(id.clone(), rule(cause)).0;
    let mut result = Map::from_iter([
        ("ruleId".to_owned(), json!(id)),
        ("ruleIndex".to_owned(), json!(index)),
        ("level".to_owned(), json!(level(&cause.weight))),
        ("message".to_owned(), json!({ "text": bounded(&cause.message, MAX_PART_BYTES) })),
        ("properties".to_owned(), json!({ "seen": cause.seen })),
    ]);
    if let Weight::Known(by) = &cause.weight {
        result.insert("suppressions".into(), json!([{ "kind": "external", "status": "accepted", "justification": by }]));
    }
    if let Some(evidence) = &cause.evidence {
        let details = bounded(&bug_report_of(cause, MAX_PART_BYTES).unwrap_or_default(), MAX_TEXT_BYTES);
        result.insert("message".into(), json!({ "text": format!("{}\n\n{details}", bounded(&cause.message, MAX_PART_BYTES)) }));
        result.insert("occurrenceCount".into(), evidence.cases.max(1).into());
        result.insert(
            "partialFingerprints".into(),
            json!({ "cause/v1": bounded(&fingerprint(&cause.name, &evidence.finding), MAX_PART_BYTES) }),
        );
        result.extend(evidence.finding.step.as_ref().and_then(locations).map(|locations| ("locations".to_owned(), locations)));
        if let [request, response, ..] = evidence.messages.as_slice() {
            let messages = [("webRequest", web_request(request)), ("webResponse", web_response(response))];
            result.extend(messages.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        }
    }
    Value::Object(result)
}

fn level(weight: &Weight) -> &'static str {
    match weight {
        Weight::Fails => "error",
        Weight::Known(_) => "warning",
        Weight::Noted | Weight::Assumed(_) => "note",
    }
}

fn rule(cause: &Cause) -> Value {
    let rule = cause.evidence.as_ref().and_then(|evidence| evidence.rule.as_ref());
    match rule {
        Some(rule) => {
            let mut properties = json!({ "tags": [rule.api()], "document": rule.document, "section": rule.section, "place": rule.place });
            if let (Some(line), Some(properties)) = (rule.line, properties.as_object_mut()) {
                properties.insert("line".to_owned(), line.into());
            }
            json!({
                "id": cause.name,
                "shortDescription": { "text": rule.says },
                "help": { "text": format!("{} Source: {}.", rule.says, rule.source()) },
                "properties": properties,
            })
        }
        None => json!({ "id": cause.name, "shortDescription": { "text": cause.name } }),
    }
}

fn locations(place: &SourcePlace) -> Option<Value> {
    let (line, column) = place.line_and_column()?;
    let region = json!({ "startLine": line, "startColumn": column });
    Some(json!([{ "physicalLocation": { "artifactLocation": { "uri": uri(place.file()) }, "region": region } }]))
}

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escaped: String = path.bytes().map(|byte| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect();
    if path.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

fn web_request(message: &WireMessage) -> Option<Value> {
    let StartLine::Request { method, url } = &message.start else { return None };
    Some(json!({ "method": method, "target": url, "headers": headers(message), "body": body(message) }))
}

fn web_response(message: &WireMessage) -> Option<Value> {
    match &message.start {
        StartLine::Status(status) => Some(json!({ "statusCode": status, "headers": headers(message), "body": body(message) })),
        StartLine::NoResponse(_) => Some(json!({ "noResponseReceived": true, "reasonPhrase": message.start.to_string() })),
        StartLine::Request { .. } | StartLine::Value { .. } => None,
    }
}

fn body(message: &WireMessage) -> Value {
    json!({ "text": bounded(&message.body, MAX_PART_BYTES) })
}

fn headers(message: &WireMessage) -> Map<String, Value> {
    message.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_the_same_whichever_of_its_clauses_came_first() {
        let refused = |clause: &str, code: &str| Finding { kind: FindingKind::Refused(code.to_owned()), ..Finding::new(clause, "pay", "") };
        let by = |finding: &Finding| fingerprint(finding.clause(), finding);
        assert_eq!(by(&refused("pay.euro", "9")), by(&refused("pay.most", "9")));
        assert_ne!(by(&refused("pay.euro", "9")), by(&refused("pay.euro", "8")));
        assert_ne!(by(&Finding::new("pay.euro", "pay", "")), by(&Finding::new("pay.most", "pay", "")));
    }
}
