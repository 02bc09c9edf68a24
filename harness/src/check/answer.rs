//! Every answer is held against its operation's contract.

use super::{Judgement, about, schema_finding};
use crate::contract::{Content, Contracts, Operation};
use crate::exchange::{Answer, Coding, Decoded, Exchange, Outcome, TransportFailureKind};
use crate::record::redirected;
use crate::verdict::Finding;

/// Judges the answer of a call: that there is one, its media type, its bytes, its schema, its code, and
/// that a refused creation created nothing.
pub fn answer(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> Judgement {
    let mut findings = match &exchange.outcome {
        Outcome::Failed(failure) => {
            let what = match failure.kind {
                // Nobody was asked, so no rule was broken; the runner says that it could not judge.
                TransportFailureKind::Connect => return Judgement::default(),
                TransportFailureKind::Timeout => "no answer in time",
                TransportFailureKind::Broken => "the connection ended before the answer was whole",
                TransportFailureKind::TooLarge => "the answer is larger than any documented one",
            };
            vec![about(exchange, &operation.clause, format!("{what}: {}", failure.detail)).at("answer")]
        }
        Outcome::Answer(answer) => answered(contracts, operation, exchange, answer),
    };
    let assumed = assumed(contracts, operation, exchange);
    for finding in &mut findings {
        finding.assumed = finding.assumed.take().or_else(|| assumed.clone());
    }
    let held = if findings.is_empty() { held(operation, exchange) } else { Vec::new() };
    Judgement { findings, held }
}

/// Why a finding about this answer would be about an assumption: the call's path is assumed, and what
/// answered there does not look like the API at all.
pub fn assumed(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> Option<String> {
    let reason = operation.assumed.clone()?;
    let answers = exchange.answered().is_some_and(|body| contracts.code_of(operation, body).is_some());
    (!answers).then_some(reason)
}

fn answered(contracts: &Contracts, operation: &Operation, exchange: &Exchange, answer: &Answer) -> Vec<Finding> {
    if redirected(operation, exchange) {
        return redirect(operation, exchange, answer);
    }
    let contents = documented(operation, exchange, answer);
    let Some(content) = content_of(&contents, answer) else {
        return contents.first().map_or_else(Vec::new, |_| vec![wrong_media_type(operation, exchange, &contents, answer)]);
    };
    match &answer.body.decoded {
        Decoded::Opaque if content.coding == Coding::Other => Vec::new(),
        Decoded::Value(value, faults) => {
            let spelling = faults
                .iter()
                .map(|fault| about(exchange, &operation.clause, fault.message.clone()).at(format!("answer body, byte {}", fault.offset)));
            let mut findings: Vec<_> = spelling.collect();
            findings
                .extend(content.schema.faults(value).into_iter().map(|fault| schema_finding(exchange, operation, "answer body", fault)));
            findings.extend(code(contracts, operation, exchange));
            findings.extend(refusal(contracts, operation, exchange));
            findings
        }
        Decoded::Unreadable(fault) => {
            let message = format!("the answer (HTTP {}) can't be read: {}", answer.status, fault.message);
            vec![
                about(exchange, &operation.clause, message)
                    .at(format!("answer body, byte {}", fault.offset))
                    .compare(content.media_type.as_str(), excerpt(&answer.body.text)),
            ]
        }
        Decoded::Empty | Decoded::Opaque => {
            let message = format!("the answer (HTTP {}) has no body", answer.status);
            vec![about(exchange, &operation.clause, message).at("answer body").compare(content.media_type.as_str(), "")]
        }
    }
}

/// A redirect must say where to.
fn redirect(operation: &Operation, exchange: &Exchange, answer: &Answer) -> Vec<Finding> {
    if answer.header("location").is_some_and(|location| !location.is_empty()) {
        return Vec::new();
    }
    let message = format!("a redirect (HTTP {}) without `Location`", answer.status);
    vec![about(exchange, &operation.clause, message).at("answer header location")]
}

/// What the contract documents for this status and this request.
fn documented<'c>(operation: &'c Operation, exchange: &Exchange, answer: &Answer) -> Vec<&'c Content> {
    let sent = exchange.request.body.value();
    operation.answers(answer.status).iter().filter(|content| content.when.holds(sent)).collect()
}

/// The contract's content with the answer's media type. An answer without a media type is taken for
/// the documented one: the documents don't require the header.
fn content_of<'c>(contents: &[&'c Content], answer: &Answer) -> Option<&'c Content> {
    match answer.header("content-type") {
        None => contents.first().copied(),
        Some(header) => {
            let coding = Coding::of(header);
            contents
                .iter()
                .copied()
                .find(|c| if c.coding == Coding::Other { same_essence(&c.media_type, header) } else { c.coding == coding })
        }
    }
}

fn same_essence(media_type: &str, header: &str) -> bool {
    header.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media_type)
}

fn wrong_media_type(operation: &Operation, exchange: &Exchange, contents: &[&Content], answer: &Answer) -> Finding {
    let documented: Vec<_> = contents.iter().map(|c| c.media_type.as_str()).collect();
    let got = answer.header("content-type").unwrap_or_default();
    let message = format!("the answer (HTTP {}) is `{got}`, documented is `{}`", answer.status, documented.join("` or `"));
    about(exchange, &operation.clause, message).at("answer header content-type").compare(documented.join(" or "), got)
}

/// A code outside the documented list.
fn code(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> Option<Finding> {
    let clause = operation.other_code.as_deref()?;
    let (field, _) = contracts.codes.get(&operation.api)?;
    let code = contracts.code_of(operation, exchange.answered()?)?;
    if operation.codes.contains_key(&code.to_string()) {
        return None;
    }
    let documented: Vec<_> = operation.codes.keys().map(String::as_str).collect();
    let message = format!("the code {code} is not documented for this call");
    Some(about(exchange, clause, message).at(format!("answer body /{field}")).compare(documented.join(", "), code))
}

/// A refused creation answers nothing that only an accepted one has.
fn refusal(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> Option<Finding> {
    let refusal = operation.refusal.as_ref()?;
    let body = exchange.answered()?;
    if contracts.is_success(operation, body) || contracts.code_of(operation, body).is_none() {
        return None;
    }
    let field = refusal.absent.iter().find(|field| body.get(field.as_str()).is_some_and(|v| !v.is_null() && v != ""))?;
    let message = format!("the call was refused, and still answers `{field}`");
    Some(
        about(exchange, &refusal.clause, message)
            .at(format!("answer body /{field}"))
            .compare("no such field", body.get(field).cloned().unwrap_or_default()),
    )
}

fn held(operation: &Operation, exchange: &Exchange) -> Vec<String> {
    let mut held = vec![operation.clause.clone()];
    if let Some(answer) = exchange.answer() {
        let content = content_of(&documented(operation, exchange, answer), answer);
        if let (Some(content), Some(value)) = (content, answer.body.value()) {
            held.extend(content.schema.held(value));
        }
    }
    held.extend(operation.other_code.clone());
    held
}

/// The beginning of a text, for a finding.
fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, named, raw};
    use super::*;
    use crate::exchange::TransportFailure;
    use serde_json::{Value, json};

    fn judged(exchange: &Exchange) -> Judgement {
        let contracts = contracts();
        answer(&contracts, contracts.operations.get(&exchange.operation).unwrap(), exchange)
    }

    fn ordered(answer: Value) -> Judgement {
        judged(&call("shop.order", "", json!({"size": 1}), answer))
    }

    #[test]
    fn a_documented_answer_holds_what_it_was_held_against() {
        let judgement = judged(&call("shop.read", "N1", Value::Null, json!({"code": 0, "state": "OPEN", "more": 1})));
        assert_eq!(named(&judgement), Vec::<String>::new());
        assert_eq!(judgement.held, ["shop.read.call", "shop.read.state"]);
    }

    #[test]
    fn a_value_outside_the_schema_names_its_clause_and_place() {
        let judgement = judged(&call("shop.read", "N1", Value::Null, json!({"code": 0, "state": "LOST"})));
        assert_eq!(named(&judgement), ["shop.read.state"]);
        let finding = judgement.findings.first().unwrap();
        assert_eq!(finding.at.as_deref(), Some("answer body /state"));
        assert_eq!(finding.got, Some(json!("LOST")));
        assert!(finding.curl.as_deref().unwrap().contains("'http://shop/order'"));
    }

    #[test]
    fn a_code_outside_the_list_is_found() {
        assert_eq!(named(&ordered(json!({"code": 8}))), ["shop.order.codes"]);
        assert_eq!(named(&ordered(json!({"code": 9}))), Vec::<String>::new());
    }

    #[test]
    fn a_refused_creation_answers_no_identifier() {
        assert_eq!(named(&ordered(json!({"code": 9, "number": "N1"}))), ["shop.order.refused"]);
        assert_eq!(named(&ordered(json!({"code": 9, "number": ""}))), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_read_is_found() {
        for (bytes, media_type) in [
            (&b"{\"code\":"[..], "application/json"),
            (b"{\"code\":0,\"code\":1}", "application/json"),
            (b"\xff", "application/json"),
            (b"", "application/json"),
            (b"{\"code\":0}", "text/html"),
        ] {
            assert_eq!(named(&judged(&raw("shop.send", "N1", bytes, media_type))), ["shop.send.call"], "{media_type}");
        }
    }

    #[test]
    fn a_connection_that_breaks_is_found() {
        for kind in [TransportFailureKind::Timeout, TransportFailureKind::Broken, TransportFailureKind::TooLarge] {
            let mut exchange = raw("shop.send", "N1", b"", "application/json");
            exchange.outcome = Outcome::Failed(TransportFailure { kind, detail: "x".into() });
            assert_eq!(named(&judged(&exchange)), ["shop.send.call"]);
        }
    }

    #[test]
    fn an_answer_without_a_media_type_is_taken_for_the_documented_one() {
        let mut exchange = raw("shop.send", "N1", b"{\"code\":0}", "application/json");
        if let Outcome::Answer(answer) = &mut exchange.outcome {
            answer.headers.clear();
        }
        assert_eq!(named(&judged(&exchange)), Vec::<String>::new());
    }
}
