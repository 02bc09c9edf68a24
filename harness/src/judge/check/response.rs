//! Every response is judged by the contract of its operation.

use std::collections::HashMap;

use super::{Judgement, about, schema_finding};
use crate::base::place::{Message, Place};
use crate::base::text::excerpt;
use crate::base::verdict::Finding;
use crate::judge::record::redirected;
use crate::spec::contract::{Content, Operation, REPORTED_PER_CAUSE};
use crate::wire::exchange::SchemaFault;
use crate::wire::exchange::{BodyFault, Coding, Decoded, Exchange, ExchangeOutcome, Response, TransportFailureKind};

/// The most characters of a body that a finding shows.
const EXCERPT: usize = 200;

/// Judges the response of a call: its presence, media type, bytes, schema and code, and that a refused creation created nothing.
pub fn response(operation: &Operation, exchange: &Exchange) -> Judgement {
    let findings = response_findings(operation, exchange);
    let held = if findings.is_empty() { held(operation, exchange) } else { Vec::new() };
    Judgement { findings, held }
}

/// The violations of a response, without the clauses that passed, which take longer to determine.
pub fn response_findings(operation: &Operation, exchange: &Exchange) -> Vec<Finding> {
    match &exchange.outcome {
        ExchangeOutcome::Failed(failure) => {
            let what = match failure.kind {
                // No server was reached, or its response was not read, so no rule was broken; the runner reports that it could not judge.
                TransportFailureKind::Connect | TransportFailureKind::Unread => return Vec::new(),
                TransportFailureKind::Timeout => "no response in time",
                TransportFailureKind::Broken => "the connection ended before the response was whole",
                TransportFailureKind::TooLarge => "the response is larger than any documented one",
            };
            vec![about(exchange, &operation.clause, format!("{what}: {}", failure.detail)).at(Place::Whole(Message::Response))]
        }
        ExchangeOutcome::Response(_) if exchange.unread().is_some() => Vec::new(),
        ExchangeOutcome::Response(response) => received(operation, exchange, response),
    }
}

fn received(operation: &Operation, exchange: &Exchange, response: &Response) -> Vec<Finding> {
    if redirected(operation, exchange) {
        return redirect(operation, exchange, response);
    }
    if operation.empty_response && operation.accepted(exchange) {
        return filled(operation, exchange, response);
    }
    let mut findings = Vec::from_iter(mislabelled(operation, exchange, response));
    if let Some(content) = operation.judged_content(exchange) {
        findings.extend(held_against(operation, content, exchange, response));
    }
    findings
}

/// Checks that a media type is one of those that are documented. Where none needs to be stated, another one is assumed if the body can be
/// read all the same.
fn mislabelled(operation: &Operation, exchange: &Exchange, response: &Response) -> Option<Finding> {
    let contents = operation.documented(&exchange.request, response.status);
    if contents.is_empty() || operation.content_of(exchange).is_some() {
        return None;
    }
    let assumed = operation.judged_content(exchange).and(operation.unstated_media_type()).map(str::to_owned);
    Some(Finding { assumed, ..wrong_media_type(operation, exchange, &contents, response) })
}

/// Compares a response with its documented content.
fn held_against(operation: &Operation, content: &Content, exchange: &Exchange, response: &Response) -> Vec<Finding> {
    match &response.body.decoded {
        Decoded::Opaque if content.coding == Coding::Other && content.format.is_none() => Vec::new(),
        Decoded::Value(value, faults) => {
            let mut findings: Vec<_> = faults.iter().map(|fault| misspelt(operation, content, exchange, fault)).collect();
            let is_misspelt = |fault: &SchemaFault| faults.iter().any(|f| f.covers(&fault.instance));
            let breaks = content.schema.faults_with(value, response.body.rests()).into_iter().filter(|fault| !is_misspelt(fault));
            findings.extend(first_few(breaks).into_iter().map(|(fault, more)| {
                let mut finding = located(schema_finding(exchange, operation, Message::Response, fault), response);
                finding.message.push_str(if more { " (more of the same are not listed)" } else { "" });
                finding.assumed = finding.assumed.or_else(|| content.assumed.clone());
                finding
            }));
            findings.extend(code(operation, exchange));
            findings.extend(refusal(operation, exchange));
            findings
        }
        Decoded::Unreadable(fault) => {
            let message = format!("the response (HTTP {}) can't be read: {}", response.status, fault.message);
            let clause = content.schema.clause_at("").filter(|_| content.format.is_some());
            let finding = about(exchange, &clause.unwrap_or_else(|| operation.clause.clone()), message).at(fault.at(Message::Response));
            // The layout of a file may be assumed; that JSON is valid never is, nor the encoding that was asked for.
            let is_layout = content.format.is_some() && !fault.of_the_wrapping;
            let assumed = content.assumed.clone().or_else(|| content.schema.assumed.clone()).filter(|_| is_layout);
            vec![Finding { assumed, ..finding }.compare(content.media_type.as_str(), excerpt(&response.body.text, EXCERPT))]
        }
        // A documented response without a schema may be empty: the documents do not describe it.
        Decoded::Empty if content.is_any() && content.format.is_none() => Vec::new(),
        Decoded::Empty if operation.no_content && response.status == 204 => Vec::new(),
        Decoded::Empty | Decoded::Opaque => {
            let message = format!("the response (HTTP {}) has no body", response.status);
            let finding = about(exchange, &operation.clause, message).at(Place::body(Message::Response));
            // If the documents show no response, they do not show that there is a body either.
            let no_content = response.status == 204 && response.body.decoded == Decoded::Empty;
            let assumed = content.assumed.clone().or_else(|| content.schema.assumed.clone()).filter(|_| no_content);
            vec![Finding { assumed, ..finding }.compare(content.media_type.as_str(), "")]
        }
    }
}

/// The first few faults of each cause: a fault in every row of a table is reported for some rows. The flag of the last one says
/// that there are more.
fn first_few(faults: impl Iterator<Item = SchemaFault>) -> Vec<(SchemaFault, bool)> {
    let mut reported: Vec<(SchemaFault, bool)> = Vec::new();
    let mut places: HashMap<(String, Option<String>), Vec<usize>> = HashMap::new();
    for fault in faults {
        let of_its_cause = places.entry((fault.contract.clone(), fault.clause.clone())).or_default();
        if of_its_cause.len() < REPORTED_PER_CAUSE {
            of_its_cause.push(reported.len());
            reported.push((fault, false));
        } else if let Some((_, more)) = of_its_cause.last().and_then(|last| reported.get_mut(*last)) {
            *more = true;
        }
    }
    reported
}

/// Checks that a response that must have no body has none.
fn filled(operation: &Operation, exchange: &Exchange, response: &Response) -> Vec<Finding> {
    if response.body.decoded == Decoded::Empty {
        return Vec::new();
    }
    let message = format!("the response (HTTP {}) must have no body", response.status);
    vec![about(exchange, &operation.clause, message).at(Place::body(Message::Response)).compare("", excerpt(&response.body.text, EXCERPT))]
}

/// Checks that a redirect has a location.
fn redirect(operation: &Operation, exchange: &Exchange, response: &Response) -> Vec<Finding> {
    if response.header("location").is_some_and(|location| !location.is_empty()) {
        return Vec::new();
    }
    let message = format!("a redirect (HTTP {}) without `Location`", response.status);
    vec![about(exchange, &operation.clause, message).at(Place::header(Message::Response, "location"))]
}

/// A finding about the spelling of a body.
fn misspelt(operation: &Operation, content: &Content, exchange: &Exchange, fault: &BodyFault) -> Finding {
    let of_a_file = content.format.is_some() || !fault.pointer.is_empty();
    let clause = content.schema.clause_at(&fault.pointer).filter(|_| of_a_file);
    let mut finding =
        about(exchange, &clause.unwrap_or_else(|| operation.clause.clone()), fault.message.clone()).at(fault.at(Message::Response));
    // The wrapping of a file belongs to the field that holds it, which the documents show.
    let holder = fault.pointer.rsplit_once('/').map_or("", |(holder, _)| holder);
    let at = if fault.of_the_wrapping { holder } else { &fault.pointer };
    finding.assumed = content.assumed.clone().or_else(|| content.schema.assumed_at(at)).filter(|_| of_a_file);
    finding
}

/// A finding about a part of a file, with its entry, line and column.
fn located(mut finding: Finding, response: &Response) -> Finding {
    finding.at = finding.at.map(|at| {
        let position = at.pointer().map(|pointer| response.body.places.position(pointer));
        at.in_file(position.unwrap_or_default())
    });
    finding
}

fn wrong_media_type(operation: &Operation, exchange: &Exchange, contents: &[&Content], response: &Response) -> Finding {
    let documented: Vec<_> = contents.iter().map(|c| c.media_type.as_str()).collect();
    let got = response.header("content-type").unwrap_or_default();
    let message = format!("the response (HTTP {}) is `{got}`, documented is `{}`", response.status, documented.join("` or `"));
    about(exchange, &operation.clause, message).at(Place::header(Message::Response, "content-type")).compare(documented.join(" or "), got)
}

/// Checks that a code is in the documented list.
fn code(operation: &Operation, exchange: &Exchange) -> Option<Finding> {
    let clause = operation.other_code.as_deref()?;
    let code = operation.code(exchange)?;
    if operation.codes.contains_key(&code) {
        return None;
    }
    let documented: Vec<_> = operation.codes.keys().map(String::as_str).collect();
    let message = format!("the code {code} is not documented for this call");
    let place = operation.success.field().map_or(Place::Status, |field| Place::field(Message::Response, field));
    let finding = about(exchange, clause, message).at(place).compare(documented.join(", "), operation.success.code_value(&code));
    Some(Finding { assumed: operation.codes_assumed.clone(), ..finding })
}

/// Checks that a refused creation returns no field that only an accepted one has.
fn refusal(operation: &Operation, exchange: &Exchange) -> Option<Finding> {
    let refusal = operation.refusal.as_ref()?;
    let body = exchange.response_value()?;
    if !refused(operation, exchange) {
        return None;
    }
    let field = refusal.absent.iter().find(|field| body.get(field.as_str()).is_some_and(|v| !v.is_null() && v != ""))?;
    let message = format!("the call was refused, and still returned `{field}`");
    Some(
        about(exchange, &refusal.clause, message)
            .at(Place::field(Message::Response, field))
            .compare("no such field", body.get(field).cloned().unwrap_or_default()),
    )
}

/// Whether the response shows that the call was refused.
fn refused(operation: &Operation, exchange: &Exchange) -> bool {
    let silent = operation.success.value().is_some() && operation.code(exchange).is_none();
    exchange.response().is_some() && !operation.accepted(exchange) && !silent
}

fn held(operation: &Operation, exchange: &Exchange) -> Vec<String> {
    let Some(response) = exchange.response().filter(|_| exchange.unread().is_none()) else { return Vec::new() };
    let mut held = vec![operation.clause.clone()];
    let content = operation.judged_content(exchange);
    if let (Some(content), Some(value)) = (content, response.body.value()) {
        held.extend(content.schema.held_with(value, response.body.rests()));
    }
    // A response without a code shows nothing of the list of codes.
    held.extend(operation.other_code.clone().filter(|_| operation.code(exchange).is_some()));
    held.extend(operation.refusal.as_ref().filter(|_| refused(operation, exchange)).map(|refusal| refusal.clause.clone()));
    held
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, named, raw, with_status};
    use super::*;
    use crate::spec::contract::Success;
    use crate::wire::exchange::TransportFailure;
    use serde_json::{Value, json};

    fn judged(exchange: &Exchange) -> Judgement {
        let contracts = contracts();
        response(contracts.operations.get(&exchange.operation).unwrap(), exchange)
    }

    fn ordered(response: Value) -> Judgement {
        judged(&call("shop.order", "", json!({"size": 1}), response))
    }

    #[test]
    fn a_documented_response_passes_its_clauses() {
        let judgement = judged(&call("shop.read", "N1", Value::Null, json!({"code": 0, "state": "OPEN", "more": 1})));
        assert_eq!(named(&judgement), Vec::<String>::new());
        assert_eq!(judgement.held, ["shop.read.call", "shop.read.state"]);
    }

    #[test]
    fn a_value_outside_the_schema_names_its_clause_and_place() {
        let judgement = judged(&call("shop.read", "N1", Value::Null, json!({"code": 0, "state": "LOST"})));
        assert_eq!(named(&judgement), ["shop.read.state"]);
        let finding = judgement.findings.first().unwrap();
        assert_eq!(finding.at, Some(Place::field(Message::Response, "state")));
        assert_eq!(finding.got, Some(json!("LOST")));
        assert!(finding.curl.as_deref().unwrap().contains("'http://shop/order'"));
    }

    #[test]
    fn a_code_outside_the_list_is_found() {
        assert_eq!(named(&ordered(json!({"code": 8}))), ["shop.order.codes"]);
        assert_eq!(named(&ordered(json!({"code": 9}))), Vec::<String>::new());
    }

    #[test]
    fn the_list_of_codes_is_proven_only_by_a_response_with_a_code() {
        let mut contracts = contracts();
        let operation = contracts.operations.get_mut("shop.back").unwrap();
        operation.success = Success::RefusalCode { field: "code".to_owned() };
        let held = |body: Value| held(operation, &call("shop.back", "", Value::Null, body));
        assert_eq!(held(json!({"note": "n"})), ["shop.back.call"]);
        assert_eq!(held(json!({"code": "9", "note": "n"})), ["shop.back.call", "shop.order.codes"]);
    }

    /// What counts of the response to a call whose path, codes and note are assumed.
    fn counted(exchange: &Exchange) -> usize {
        judged(exchange).findings.iter().filter(|finding| finding.counts()).count()
    }

    #[test]
    fn an_assumed_path_excuses_no_response() {
        for (status, bytes) in [(500, &b""[..]), (200, b""), (200, b"{}"), (200, b"{\"code\": \"0\"}"), (200, b"{\"code\":"), (404, b"")] {
            let exchange = with_status(raw("shop.back", "", bytes, "application/json"), status);
            assert!(counted(&exchange) > 0, "{status} {}", String::from_utf8_lossy(bytes));
        }
        for kind in [TransportFailureKind::Timeout, TransportFailureKind::Broken] {
            let mut exchange = raw("shop.back", "", b"", "application/json");
            exchange.outcome = ExchangeOutcome::Failed(TransportFailure { kind, detail: "x".into() });
            assert_eq!(counted(&exchange), 1);
        }
    }

    #[test]
    fn an_assumed_field_and_an_assumed_list_of_codes_excuse_themselves_alone() {
        let found = |body: Value| {
            let exchange = call("shop.back", "", Value::Null, body);
            (judged(&exchange).findings.len(), counted(&exchange))
        };
        assert_eq!(found(json!({"code": 0, "note": "n"})), (0, 0));
        assert_eq!(found(json!({"code": 0})), (1, 0), "the note is assumed");
        assert_eq!(found(json!({"code": 0, "note": 1})), (1, 0), "its type is, too");
        assert_eq!(found(json!({"code": 8, "note": "n"})), (1, 0), "the list of codes is assumed");
        assert_eq!(found(json!({"code": "8", "note": "n"})), (1, 1), "that there is a code is documented");
        assert_eq!(found(json!({"note": "n"})), (1, 1));
    }

    #[test]
    fn a_refused_creation_has_no_identifier() {
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
    fn a_body_may_be_missing_where_the_contract_says_so() {
        let empty = |call, status| named(&judged(&with_status(raw(call, "N1", b"", "application/json"), status)));
        assert_eq!(empty("shop.list", 204), Vec::<String>::new());
        assert_eq!(empty("shop.list", 200), ["shop.list.call"]);
        assert_eq!(empty("shop.send", 204), ["shop.send.call"]);
    }

    #[test]
    fn a_connection_that_breaks_is_found() {
        for kind in [TransportFailureKind::Timeout, TransportFailureKind::Broken, TransportFailureKind::TooLarge] {
            let mut exchange = raw("shop.send", "N1", b"", "application/json");
            exchange.outcome = ExchangeOutcome::Failed(TransportFailure { kind, detail: "x".into() });
            assert_eq!(named(&judged(&exchange)), ["shop.send.call"]);
        }
    }

    #[test]
    fn a_response_without_a_media_type_counts_as_the_documented_one() {
        let mut exchange = raw("shop.send", "N1", b"{\"code\":0}", "application/json");
        if let ExchangeOutcome::Response(response) = &mut exchange.outcome {
            response.headers.clear();
        }
        assert_eq!(named(&judged(&exchange)), Vec::<String>::new());
    }

    #[test]
    fn another_media_type_counts_only_where_the_documents_ask_for_one_and_its_body_is_judged_all_the_same() {
        let labelled = |call: &str, body: &[u8]| {
            let mut exchange = raw(call, "N1", body, "application/json");
            if let ExchangeOutcome::Response(response) = &mut exchange.outcome {
                response.headers = vec![("content-type".into(), "text/html".into())];
            }
            judged(&exchange)
        };
        let counting = |judged: &Judgement| judged.findings.iter().map(|finding| finding.assumed.is_none()).collect::<Vec<_>>();
        assert_eq!(counting(&labelled("shop.send", b"{\"code\":0}")), [true]);
        assert_eq!(counting(&labelled("shop.list", b"[]")), [false]);
        assert_eq!(counting(&labelled("shop.list", b"{}")), [false, true]);
        assert_eq!(counting(&labelled("shop.list", b"<html></html>")), [true], "a page is no JSON");
    }
}
