//! What an assumption of ours excuses: its own place, and nothing beside it.
//!
//! The documents do not show everything, and the contracts assume the rest (`x-assumed`). A target built by others may rightly
//! differ at such a place. Everything around it is documented and is judged in full.

use serde_json::{Map, Value};

use crate::base::not_judged::{NOTHING_THERE, NotJudgedReason};
use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::spec::contract::Operation;
use crate::spec::scenario::{Given, Matcher};
use crate::spec::target::Target;
use crate::wire::exchange::Exchange;

/// Why a call cannot be judged: its path is assumed, and this target has nothing there.
pub fn not_there(target: &Target, operation: &Operation, exchange: &Exchange) -> Option<NotJudgedReason> {
    let assumed = target.assumed_path(operation)?.to_owned();
    let status = nothing_there(operation, exchange)?;
    Some(NotJudgedReason::NotThere { operation: operation.id.clone(), status, assumed })
}

/// Why a call could not be judged if its operation never responds otherwise: its path is assumed, and the response has a status of a
/// server that has nothing there, or is that of an unknown path (`is_as_unknown_path`). The body shows nothing by itself, as every error of an
/// API may have the same fields.
pub fn may_not_be_there(target: &Target, operation: &Operation, exchange: &Exchange, is_as_unknown_path: bool) -> Option<NotJudgedReason> {
    let assumed = target.assumed_path(operation)?.to_owned();
    let status = exchange.response()?.status;
    let reason = || NotJudgedReason::NotThere { operation: operation.id.clone(), status, assumed };
    (is_as_unknown_path || NOTHING_THERE.contains(&status)).then(reason)
}

/// Whether a response shows that its operation is at its path.
pub fn is_shown_there(exchange: &Exchange) -> bool {
    exchange.response().is_some_and(|response| shows_there(response.status))
}

/// Whether a status shows that an operation is at its path. Many servers read the body (400), ask for credentials (401) and count
/// requests (429) before they look for the path, and what is in front of them fails with a 5xx.
pub fn shows_there(status: u16) -> bool {
    status < 500 && !matches!(status, 400 | 401 | 429) && !NOTHING_THERE.contains(&status)
}

/// Why a response cannot be judged: the documents do not show the request (the records of uploads, closings and logs), and it is
/// refused as invalid (HTTP 400 or 422) or its records are rejected. This applies if the target file has no example of its own,
/// or if the script adds fields to that example.
pub fn request_not_shown(target: &Target, operation: &Operation, exchange: &Exchange) -> Option<NotJudgedReason> {
    let assumed = operation.request.as_ref()?.schema.assumed.clone()?;
    if target.assert_assumed || operation.success.value().is_some() {
        return None;
    }
    let is_unknown = match target.examples.get(&operation.id) {
        Some(example) => says_more(exchange, example),
        None => is_invalid(operation, exchange)? || has_rejected(operation, exchange),
    };
    is_unknown.then(|| NotJudgedReason::RequestNotShown { operation: operation.id.clone(), assumed })
}

/// Why a refusal cannot be judged: the request has a value that the documents do not show, and the code may be about it.
pub fn value_not_shown(target: &Target, operation: &Operation, exchange: &Exchange) -> Option<NotJudgedReason> {
    if target.assert_assumed {
        return None;
    }
    let (code, sent) = (operation.code(exchange)?, exchange.request.body.value()?);
    let open = operation.open_values.iter().find(|open| open.excuses(sent, &code))?;
    let (operation, field, assumed) = (operation.id.clone(), open.field.clone(), open.reason.clone());
    Some(NotJudgedReason::ValueNotShown { operation, field, assumed })
}

/// Whether a response has a status for an invalid request.
fn is_invalid(operation: &Operation, exchange: &Exchange) -> Option<bool> {
    let status = exchange.response()?.status;
    let has_fields = exchange.response_value().is_some_and(|body| has_error_fields(operation, exchange, status, body));
    Some(matches!(status, 400 | 422) && has_fields)
}

/// Whether a part of the request was rejected.
fn has_rejected(operation: &Operation, exchange: &Exchange) -> bool {
    let rejected = operation.rejected.as_deref().and_then(|pointer| exchange.response_value()?.pointer(pointer));
    rejected.and_then(Value::as_array).is_some_and(|records| !records.is_empty())
}

/// Whether a request has fields that the example of the target file lacks.
fn says_more(exchange: &Exchange, example: &Map<String, Value>) -> bool {
    let sent = exchange.request.body.value().and_then(Value::as_object);
    sent.is_some_and(|fields| fields.keys().any(|field| !example.contains_key(field)))
}

/// The HTTP status with which a server, and not the API, shows that there is nothing at the path. A response of the API has the
/// fields of its errors; it is judged like any other.
pub fn nothing_there(operation: &Operation, exchange: &Exchange) -> Option<u16> {
    let status = exchange.response()?.status;
    let is_the_api = exchange.response_value().is_some_and(|body| has_error_fields(operation, exchange, status, body));
    (NOTHING_THERE.contains(&status) && !is_the_api).then_some(status)
}

/// Whether a body has the field of the code, or every field that the documents require of an error. A lone `message` is also what
/// web frameworks return.
fn has_error_fields(operation: &Operation, exchange: &Exchange, status: u16, body: &Value) -> bool {
    let has_code = operation.success.field().is_some_and(|field| body.get(field).is_some());
    let has_required = |required: Vec<&str>| !required.is_empty() && required.iter().all(|field| body.get(field).is_some());
    has_code || operation.documented(&exchange.request, status).iter().any(|content| has_required(content.schema.required_fields()))
}

/// Why a place of the response is assumed, if it is: its field, its layout, or the body as a whole.
pub fn place_assumed(operation: &Operation, exchange: &Exchange, place: &Place) -> Option<String> {
    let Place::Body { message: Message::Response, pointer: Some(pointer), .. } = place else { return None };
    let content = operation.judged_content(exchange)?;
    content.assumed.clone().or_else(|| content.schema.assumed_at(pointer.as_str()))
}

/// Why the code of a refusal is assumed, if it is and only the code differs. Whether a call is refused or accepted does not
/// depend on the list of codes.
pub fn code_assumed(operation: &Operation, expected: &Matcher, exchange: &Exchange, given: &Given<'_>) -> Option<String> {
    let reason = operation.codes_assumed.clone()?;
    let success = Value::from(operation.success.value()?);
    let wants_refusal = expected.mismatches("", Some(&success), given).is_ok_and(|found| !found.is_empty());
    let is_refused = operation.code(exchange).is_some() && !operation.accepted(exchange);
    (wants_refusal && is_refused).then_some(reason)
}

/// Marks findings at places of the response that are assumed.
pub fn excuse_places(operation: &Operation, exchange: &Exchange, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.assumed.is_none()) {
        finding.assumed = finding.at.as_ref().and_then(|place| place_assumed(operation, exchange, place));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, raw, with_status};
    use super::*;
    use serde_json::json;

    fn there(operation: &str, exchange: &Exchange) -> Option<u16> {
        nothing_there(contracts().operations.get(operation).unwrap(), exchange)
    }

    #[test]
    fn only_three_statuses_say_that_nothing_is_there() {
        for status in [200, 301, 400, 401, 403, 404, 405, 410, 500, 501, 502, 503] {
            let answered = with_status(raw("shop.send", "N1", b"<p>Not found</p>", "text/html"), status);
            assert_eq!(there("shop.send", &answered).is_some(), [404, 405, 501].contains(&status), "{status}");
        }
        assert_eq!(there("shop.send", &with_status(raw("shop.send", "N1", b"", ""), 404)), Some(404));
    }

    #[test]
    fn the_fields_of_an_error_show_that_the_api_responds() {
        let answered = |body: Value| there("shop.send", &with_status(call("shop.send", "N1", Value::Null, body), 404));
        assert_eq!(answered(json!({"code": 9})), None);
        assert_eq!(answered(json!({"code": "of another type"})), None, "it is judged, and found");
        assert_eq!(answered(json!({"message": "Not Found"})), Some(404), "as web frameworks say it");
        assert_eq!(answered(json!({})), Some(404));
    }

    #[test]
    fn only_the_place_that_is_assumed_is_excused() {
        let contracts = contracts();
        let operation = contracts.operations.get("shop.back").unwrap();
        let exchange = call("shop.back", "", Value::Null, json!({"code": 0}));
        let assumed = |place: Place| place_assumed(operation, &exchange, &place).is_some();
        assert!(assumed(Place::field(Message::Response, "note")));
        assert!(assumed(Place::field(Message::Response, "an undescribed field")));
        assert!(!assumed(Place::field(Message::Response, "code")));
        assert!(!assumed(Place::field(Message::Request, "note")));
        assert!(!assumed(Place::body(Message::Response)) && !assumed(Place::Status));
    }

    #[test]
    fn a_path_that_is_stated_or_asserted_is_not_assumed() {
        let contracts = contracts();
        let operation = contracts.operations.get("shop.back").unwrap();
        let gone = with_status(raw("shop.back", "", b"", ""), 404);
        let target = |more: &str| {
            let text = format!("title: t\nbase: http://shop.invalid\n{more}");
            crate::spec::target::parse(&crate::base::source::Source::new("t.yaml", text), &contracts, &|_| None).unwrap()
        };
        let reason = not_there(&target(""), operation, &gone).unwrap();
        assert_eq!(reason.excused(), Some("shop.back"));
        assert_eq!(not_there(&target("paths: { shop.back: /back }"), operation, &gone), None);
        assert_eq!(not_there(&target("assert-assumed: true"), operation, &gone), None);
        let documented = contracts.operations.get("shop.send").unwrap();
        assert_eq!(not_there(&target(""), documented, &with_status(raw("shop.send", "N1", b"", ""), 404)), None);
    }

    #[test]
    fn another_refusal_is_excused_and_an_acceptance_is_not() {
        let contracts = contracts();
        let operation = contracts.operations.get("shop.back").unwrap();
        let matcher = |expected: i64| Matcher::Equal(crate::spec::scenario::Template::Plain(expected.into()));
        let variables = crate::spec::scenario::Variables::default();
        let excused = |expected: i64, got: Value| {
            let exchange = call("shop.back", "", Value::Null, json!({ "code": got }));
            code_assumed(operation, &matcher(expected), &exchange, &Given::uncut(&variables)).is_some()
        };
        assert!(excused(9, json!(8)), "one refusal for another");
        assert!(!excused(9, json!(0)), "accepted, although it must be refused");
        assert!(!excused(0, json!(8)), "refused, although it must be accepted");
        assert!(!excused(9, json!("8")), "no code at all");
    }

    #[test]
    fn a_value_that_the_documents_do_not_list_may_be_refused() {
        use crate::spec::contract::Contracts;

        let contracts = Contracts::shipped();
        let operation = contracts.operations.get("gateway.v2.create").unwrap();
        let text = "title: t\nbase: http://shop.invalid\n".to_owned();
        let live = crate::spec::target::parse(&crate::base::source::Source::new("t.yaml", text), &contracts, &|_| None).unwrap();
        let own = Target { assert_assumed: true, ..live.clone() };
        let excused = |target: &Target, method: &str, code: u32| {
            let exchange = call("gateway.v2.create", "", json!({"method": method}), json!({"code": code}));
            value_not_shown(target, operation, &exchange).is_some()
        };
        assert!(excused(&live, "CARD_ALL", 1103) && excused(&live, "CARD_ALL", 1308));
        assert!(!excused(&live, "ALL", 1103), "the documents show this value");
        assert!(!excused(&live, "CARD_ALL", 1400), "the code is about something else");
        assert!(!excused(&own, "CARD_ALL", 1103), "our own emulator has it");
    }
}
