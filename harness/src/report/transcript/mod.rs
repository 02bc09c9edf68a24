//! One case's record as a text for people and for snapshots: values that differ from run to run are replaced by labels,
//! consistently, so that two runs with the same behaviour have the same text.

mod normalise;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::text::{clean, counted, fit};
use crate::judge::record::RecordEntry;
use crate::wire::exchange::{Body, Decoded, Direction, Exchange, ExchangeOutcome};
pub use normalise::{Normaliser, Rules};

/// Columns of a line; longer ones are cut.
const LINE: usize = 300;
/// Lines of one body.
const BODY_LINES: usize = 200;
/// The number of items shown of a list that is too long to be kept.
const LONG_LIST: usize = 2;

/// The record as a text: `→` was sent, `←` came back, `⇐` was pushed by the target, `•` happened outside the API.
pub fn transcript(record: &[RecordEntry], normaliser: &Normaliser) -> String {
    let (mut blocks, mut exchanges) = (Vec::new(), Vec::new());
    for entry in record {
        blocks.push(match entry {
            RecordEntry::Exchange(exchange) => {
                exchanges.push(Arc::clone(exchange));
                render(exchange)
            }
            RecordEntry::World { action, with, .. } => happened(action, with),
        });
    }
    let text = normaliser.learn(&exchanges).apply(&blocks.join("\n"));
    // Cut last: a value cut before its replacement would not be recognised.
    text.lines().map(|line| fit(line, LINE) + "\n").collect()
}

fn render(exchange: &Exchange) -> String {
    let (asks, responses, identity) = match exchange.direction {
        Direction::Call => ("→", "←", format!(", as {}", exchange.identity)),
        Direction::Notification => ("⇐", "⇒", String::new()),
    };
    let request = &exchange.request;
    let mut text = format!("{asks} {} {} ({}{identity})\n", request.method, clean(&request.url), exchange.operation);
    push_body(&mut text, &request.body);
    match &exchange.outcome {
        ExchangeOutcome::Response(response) => {
            text.push_str(&format!("{responses} {}\n", response.status));
            push_body(&mut text, &response.body);
        }
        ExchangeOutcome::Failed(failure) => text.push_str(&format!("{responses} no response: {}\n", clean(&failure.detail))),
    }
    text
}

/// An action of the world with its parameters.
fn happened(action: &str, with: &Map<String, Value>) -> String {
    let mut lines = Vec::new();
    for (name, value) in with {
        push_fields(&mut lines, name, value, &[]);
    }
    let lines: String = lines.iter().map(|line| format!("    {}\n", clean(line))).collect();
    format!("• {}\n{lines}", clean(action))
}

fn push_body(text: &mut String, body: &Body) {
    let mut lines = Vec::new();
    match &body.decoded {
        Decoded::Empty => {}
        Decoded::Value(value, faults) => {
            let long: Vec<&Value> = body.rests().iter().filter_map(|rest| value.pointer(&rest.pointer)).collect();
            push_fields(&mut lines, "", value, &long);
            lines.extend(body.rests().iter().map(|rest| format!("({})", rest.not_kept())));
            lines.extend(faults.iter().map(|fault| format!("({}: {})", fault.position, fault.message)));
        }
        Decoded::Unreadable(fault) => {
            lines.push(format!("(unreadable from {}: {})", fault.position, fault.message));
            lines.push(body.text.clone());
        }
        Decoded::Opaque => lines.push(body.text.clone()),
    }
    let hidden = lines.len().saturating_sub(BODY_LINES);
    for line in lines.iter().take(BODY_LINES) {
        text.push_str(&format!("    {}\n", clean(line)));
    }
    if hidden > 0 {
        text.push_str(&format!("    (and {})\n", counted(hidden, "more line")));
    }
}

/// A line per leaf, in the order received: `items[0].price: 100`. Of a list that is too long to be kept, only the first items.
fn push_fields(lines: &mut Vec<String>, name: &str, value: &Value, long: &[&Value]) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, below) in fields {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                push_fields(lines, &name, below, long);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let shown = if long.iter().any(|list| std::ptr::eq(*list, value)) { LONG_LIST } else { items.len() };
            for (index, below) in items.iter().take(shown).enumerate() {
                push_fields(lines, &format!("{name}[{index}]"), below, long);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            let colon = if name.is_empty() { "" } else { ": " };
            lines.push(format!("{name}{colon}{value}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{call, push, unanswered};

    fn entries(record: &[Arc<Exchange>]) -> Vec<RecordEntry> {
        record.iter().map(|exchange| RecordEntry::Exchange(Arc::clone(exchange))).collect()
    }

    fn normaliser() -> Normaliser {
        let exact = vec![("http://127.0.0.1:4010".to_owned(), "{base}".to_owned()), ("127.0.0.1:4010".to_owned(), "[host]".to_owned())];
        Normaliser::new(exact).with(Rules {
            numbered: vec!["transId".into()],
            hidden: vec!["createdAt".into()],
            segments: vec![("/w/".into(), "[world]".into())],
        })
    }

    #[test]
    fn a_record_reads_like_a_conversation() {
        let record = [
            call(0, "/v1.0/create", "price=10000&curr=CZK", r#"{"code":0,"transId":"QX7P-41","createdAt":"2026-01-02T03:04:05Z"}"#),
            push(1, "transId=QX7P-41&status=PAID"),
            call(
                2,
                "/v1.0/create",
                "price=1",
                r#"{"code":0,"transId":"ZZ9-9","list":[{"id":"QX7P-41"},{}],"redirect":"http://127.0.0.1:4010/QX7P-41"}"#,
            ),
            call(3, "/v1.0/status", "transId=ZZ9-9", "{broken"),
            unanswered(4),
        ];
        insta::assert_snapshot!(transcript(&entries(&record), &normaliser()));
    }

    #[test]
    fn what_happens_outside_the_api_is_in_its_place() {
        let created = call(0, "/v1.0/create", "price=1", r#"{"transId":"QX7P-4100"}"#);
        let with = serde_json::json!({ "transId": "QX7P-4100", "settings": { "fee": 7 } }).as_object().cloned().unwrap();
        let pays = RecordEntry::World { action: "payer.pays".into(), with, response: Value::Null };
        let text = transcript(&[RecordEntry::Exchange(created), pays], &normaliser());
        assert!(text.ends_with("\n\n• payer.pays\n    transId: [transId-1]\n    settings.fee: 7\n"), "{text}");
    }

    #[test]
    fn other_values_of_another_run_give_the_same_text() {
        let run = |id: &str| {
            let response = format!(r#"{{"code":0,"transId":"{id}"}}"#);
            let record = [call(0, "/v1.0/create", "price=1", &response), call(1, &format!("/{id}"), "", "{}")];
            transcript(&entries(&record), &normaliser())
        };
        assert_eq!(run("AAAA-BBBB"), run("CCCC-DDDD-EEEE"));
    }

    #[test]
    fn a_long_value_is_cut_after_it_is_replaced() {
        let run = |id: &str| {
            let response = format!(r#"{{"transId":"{id}","text":"{}/{id}/{}"}}"#, "x".repeat(280), "y".repeat(80));
            transcript(&entries(&[call(0, "/v1.0/create", "", &response)]), &normaliser())
        };
        assert_eq!(run("AAAA-BBBB"), run("CCCC-DDDD-EEEE-FFFF-GGGG"));
        assert!(run("AAAA-BBBB").lines().all(|line| line.chars().count() <= LINE));
    }

    #[test]
    fn an_empty_record_is_an_empty_text() {
        assert_eq!(transcript(&[], &normaliser()), "");
    }
}
