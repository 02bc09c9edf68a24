//! Compares a response with the expectations of a scenario's step.

use std::ops::Range;

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::{about, code_assumed, place_assumed};
use crate::base::place::{Message, Place};
use crate::base::pointer;
use crate::base::verdict::{Finding, FindingKind};
use crate::spec::contract::{Contracts, Operation, Success};
use crate::spec::scenario::{Given, MatchError, Matcher, Mismatch, Variables};
use crate::wire::exchange::{Body, Exchange, NotKept};
use crate::wire::expression::{RuntimeExpression, text_of};

/// The part of a response that an expectation is about.
#[derive(Clone, Copy, Debug)]
pub enum Compared<'c> {
    /// The body of the response, as far as it is kept.
    Body(Option<&'c Body>),
    /// The HTTP status, in a mapping.
    Status(&'c Value),
    /// The headers, by their names.
    Headers(&'c Value),
    /// The text of the body.
    Text(&'c Value),
}

impl<'c> Compared<'c> {
    /// The place of a part, by its pointer.
    fn place(self, pointer: &str) -> Place {
        match self {
            Self::Body(_) => Place::value(Message::Response, pointer),
            Self::Status(_) => Place::Status,
            Self::Text(_) => Place::body(Message::Response),
            Self::Headers(_) => Place::header(Message::Response, pointer::names(pointer).next().unwrap_or_default()),
        }
    }

    /// What a part is called in a message; bodies have a field `status`, too.
    fn what(self, field: &str) -> String {
        match (self, field) {
            (Self::Status(_), _) => "the HTTP status".to_owned(),
            (_, "") => "the body".to_owned(),
            (_, field) => format!("`{field}`"),
        }
    }

    fn value_at(self, pointer: &str) -> Result<Option<&'c Value>, NotKept> {
        match self {
            Self::Body(body) => body.map_or(Ok(None), |body| body.value_at(pointer)),
            Self::Status(value) | Self::Headers(value) | Self::Text(value) => Ok(value.pointer(pointer)),
        }
    }

    fn given(self, variables: &'c Variables) -> Given<'c> {
        match self {
            Self::Body(Some(body)) => Given::with(variables, body),
            Self::Body(None) | Self::Status(_) | Self::Headers(_) | Self::Text(_) => Given::uncut(variables),
        }
    }
}

/// Compares a response with a step's expectation. An expectation at an assumed place is assumed, too. Fails if a template cannot
/// be filled in, or if the expectation cannot be decided because only the beginning of a list is kept.
pub fn expectation(
    operation: &Operation,
    expected: &IndexMap<String, Matcher>,
    compared: Compared<'_>,
    exchange: &Exchange,
    variables: &Variables,
    clauses: impl Fn(&Mismatch) -> Vec<String>,
) -> Result<Vec<Finding>, MatchError> {
    let (mut findings, given) = (Vec::new(), compared.given(variables));
    for (name, matcher) in expected {
        // An empty name is the whole body.
        let pointer = if name.is_empty() || name.starts_with('/') { name.clone() } else { format!("/{name}") };
        for mismatch in matcher.mismatches(&pointer, compared.value_at(&pointer)?, &given)? {
            let named = clauses(&mismatch);
            let is_any = is_any_refusal(operation, compared, &mismatch);
            let mut finding = about(exchange, "", message(operation, compared, &mismatch)).at(compared.place(&mismatch.pointer));
            finding.clauses = named;
            finding.kind = kind(operation, compared, (matcher, &mismatch));
            finding.assumed = assumed(operation, (name, matcher), compared, exchange, &given)
                .or_else(|| finding.at.as_ref().and_then(|place| place_assumed(operation, exchange, place)));
            let expected = if is_any { json!({ "$not": mismatch.got }) } else { mismatch.expected };
            findings.push(finding.compare(expected, mismatch.got));
        }
    }
    Ok(findings)
}

/// The longest code in a message; what a target sends may be of any length.
const LONGEST_CODE: usize = 40;

/// Whether a field of the body is the code of the operation's responses.
fn is_code_of(operation: &Operation, compared: Compared<'_>, field: &str) -> bool {
    matches!(compared, Compared::Body(_)) && operation.success.field() == Some(field)
}

/// What differs, in words: of a code and of an HTTP status also which came, and what the operation means by it.
fn message(operation: &Operation, compared: Compared<'_>, mismatch: &Mismatch) -> String {
    let field = mismatch.pointer.trim_start_matches('/');
    let what = compared.what(field);
    let is_status = matches!(compared, Compared::Status(_));
    let is_code = is_code_of(operation, compared, field) || (is_status && operation.success == Success::Status);
    let is_told = is_code || is_status;
    let code = |value: &Value| {
        let code = text_of(value).filter(|code| is_told && code.chars().count() <= LONGEST_CODE)?;
        Some(match operation.codes.get(&code).filter(|_| is_code) {
            Some(known) => format!("{code} ({})", known.means),
            None => code,
        })
    };
    match (code(&mismatch.got), code(&mismatch.expected)) {
        (Some(got), Some(expected)) => format!("{what} is {got}, where the scenario expects {expected}"),
        (Some(got), None) => format!("{what} is {got}, which the scenario does not expect"),
        (None, _) => format!("{what} is not what the scenario expects"),
    }
}

/// Whether success came where any documented refusal would do: then the list of all of them says no more than that.
fn is_any_refusal(operation: &Operation, compared: Compared<'_>, mismatch: &Mismatch) -> bool {
    let Mismatch { pointer, expected, got } = mismatch;
    let is_success = is_code_of(operation, compared, pointer.trim_start_matches('/')) && got.as_i64() == operation.success.value();
    let codes = expected.get("$one-of").and_then(Value::as_array).filter(|_| is_success && got.is_number());
    let Some(codes) = codes else { return false };
    let refusals: Vec<Value> = operation.codes.keys().map(|code| operation.success.code_value(code)).filter(|code| code != got).collect();
    refusals.len() > 1 && refusals.iter().all(|code| codes.contains(code))
}

/// What kind of mismatch it is, by which findings are grouped into causes.
fn kind(operation: &Operation, compared: Compared<'_>, of: (&Matcher, &Mismatch)) -> FindingKind {
    let refused = refused(operation, compared, of).map(FindingKind::Refused);
    refused.or_else(|| other_code(operation, compared, of.1)).unwrap_or(FindingKind::Unexpected)
}

/// Both codes, where an operation refused what it should refuse, but with another code.
fn other_code(operation: &Operation, compared: Compared<'_>, mismatch: &Mismatch) -> Option<FindingKind> {
    let Mismatch { pointer, expected, got } = mismatch;
    let is_refusal = |code: &Value| match operation.success.value() {
        Some(success) => code.as_i64().is_some_and(|code| code != success),
        // Only a refusal has a code at all.
        None => code.is_string(),
    };
    let of_refusal = |code: &Value| text_of(code).filter(|text| is_refusal(code) && text.chars().count() <= LONGEST_CODE);
    let is_code = is_code_of(operation, compared, pointer.trim_start_matches('/'));
    let (expected, got) = (of_refusal(expected).filter(|_| is_code)?, of_refusal(got)?);
    Some(FindingKind::OtherCode { expected, got, clause: code_clause(operation, mismatch) })
}

/// The code, or the HTTP status, with which an operation refused what the scenario expects to succeed.
fn refused(operation: &Operation, compared: Compared<'_>, (matcher, mismatch): (&Matcher, &Mismatch)) -> Option<String> {
    let Mismatch { pointer, expected, got } = mismatch;
    let is_refusal = match compared {
        Compared::Status(_) => {
            let in_range = |value: &Value, range: Range<u64>| value.as_u64().is_some_and(|status| range.contains(&status));
            in_range(got, 400..600) && (in_range(expected, 200..300) || matches!(matcher, Matcher::Success))
        }
        _ if is_code_of(operation, compared, pointer.trim_start_matches('/')) => {
            operation.success.value().is_some_and(|success| expected.as_i64() == Some(success) && got.as_i64() != Some(success))
        }
        Compared::Body(_) | Compared::Headers(_) | Compared::Text(_) => false,
    };
    text_of(got).filter(|code| is_refusal && code.chars().count() <= LONGEST_CODE)
}

/// Why an expected code is assumed, if it is.
fn assumed(
    operation: &Operation,
    (name, matcher): (&str, &Matcher),
    compared: Compared<'_>,
    exchange: &Exchange,
    given: &Given<'_>,
) -> Option<String> {
    is_code_of(operation, compared, name.trim_start_matches('/')).then(|| code_assumed(operation, matcher, exchange, given)).flatten()
}

/// The clause of an expected code.
pub fn code_clause(operation: &Operation, mismatch: &Mismatch) -> Option<String> {
    let field = operation.success.field()?;
    let code = text_of(&mismatch.expected).filter(|_| mismatch.pointer.trim_start_matches('/') == field)?;
    operation.codes.get(&code).map(|code| code.clause.clone())
}

/// The clause of a resource's transition table, if the mismatch is about its state: a documented but wrong state breaks the
/// table, not the list of states.
pub fn state_clause(contracts: &Contracts, operation: &Operation, mismatch: &Mismatch) -> Option<String> {
    let shows = operation.shows.as_ref()?;
    let table = contracts.tables.get(&shows.about.resource)?;
    let RuntimeExpression::ResponseBody(pointer) = &shows.state else { return None };
    let known = mismatch.got.as_str().is_some_and(|state| table.states.contains_key(state));
    (known && *pointer == mismatch.pointer).then(|| table.undocumented.clone())
}

/// The clause of a field in the schema of a response or notification.
pub fn field_clause(operation: &Operation, pointer: &str) -> Option<String> {
    let field = pointer.trim_start_matches('/').split('/').next()?;
    let contents = operation.response.iter().chain(&operation.request);
    contents.into_iter().find_map(|content| content.schema.clause_of_field(field))
}

#[cfg(test)]
mod tests {
    use super::super::testing::contracts;
    use super::*;

    fn said(compared: Compared<'_>, pointer: &str, expected: Value, got: Value) -> String {
        let contracts = contracts();
        message(&contracts.operations["shop.order"], compared, &Mismatch { pointer: pointer.to_owned(), expected, got })
    }

    #[test]
    fn a_code_is_told_with_its_meaning() {
        let body = Compared::Body(None);
        assert_eq!(said(body, "/code", json!(0), json!(9)), "`code` is 9 (sold out), where the scenario expects 0 (OK)");
        assert_eq!(said(body, "/code", json!(9), json!("8")), "`code` is 8, where the scenario expects 9 (sold out)");
        assert_eq!(said(body, "/code", json!([0, 9]), json!(8)), "`code` is 8, which the scenario does not expect");
    }

    #[test]
    fn the_list_of_all_refusals_is_any_refusal() {
        let mut contracts = contracts();
        let codes = &mut contracts.operations["shop.order"].codes;
        codes.insert("8".to_owned(), codes["9"].clone());
        let is_any = |pointer: &str, expected: Value, got: Value| {
            let mismatch = Mismatch { pointer: pointer.to_owned(), expected, got };
            is_any_refusal(&contracts.operations["shop.order"], Compared::Body(None), &mismatch)
        };
        assert!(is_any("/code", json!({ "$one-of": [9, 8] }), json!(0)));
        assert!(!is_any("/code", json!({ "$one-of": [9, 8] }), json!(7)), "an undocumented code");
        assert!(!is_any("/size", json!({ "$one-of": [9, 8] }), json!(0)));
        assert!(!is_any("/code", json!({ "$one-of": [9] }), json!(0)), "one of two");
        assert!(!is_any("/code", json!(9), json!(0)));
    }

    #[test]
    fn a_status_is_told_and_is_no_code_of_the_body() {
        let status = json!({});
        let said = said(Compared::Status(&status), "/status", json!(200), json!(9));
        assert_eq!(said, "the HTTP status is 9, where the scenario expects 200");
    }

    #[test]
    fn what_is_no_code_is_left_to_what_is_expected_and_got() {
        let body = Compared::Body(None);
        for (pointer, got) in [("/size", json!(9)), ("/code", Value::Null), ("/code", json!("x".repeat(41))), ("", json!({}))] {
            let field = if pointer.is_empty() { "the body".to_owned() } else { format!("`{}`", &pointer[1..]) };
            assert_eq!(said(body, pointer, json!(0), got), format!("{field} is not what the scenario expects"));
        }
    }

    #[test]
    fn a_refusal_is_another_code_than_success_where_success_is_expected() {
        let contracts = contracts();
        let code = |pointer: &str, expected: Value, got: Value| {
            let mismatch = Mismatch { pointer: pointer.to_owned(), expected, got };
            refused(&contracts.operations["shop.order"], Compared::Body(None), (&Matcher::Any, &mismatch))
        };
        assert_eq!(code("/code", json!(0), json!(9)).as_deref(), Some("9"));
        assert_eq!(code("/code", json!(0), json!("0")).as_deref(), Some("0"), "a text is no code");
        assert_eq!(code("/code", json!(9), json!(0)), None, "accepted what it should have refused");
        assert_eq!(code("/code", json!(0), Value::Null), None);
        assert_eq!(code("/size", json!(0), json!(9)), None);
        assert_eq!(code("/code", json!(0), json!("x".repeat(41))), None);
    }

    #[test]
    fn two_codes_of_refusals_are_another_code() {
        let contracts = contracts();
        let other = |pointer: &str, expected: Value, got: Value| {
            let mismatch = Mismatch { pointer: pointer.to_owned(), expected, got };
            kind(&contracts.operations["shop.order"], Compared::Body(None), (&Matcher::Any, &mismatch))
        };
        let clause = Some("shop.order.code.9".to_owned());
        let codes = FindingKind::OtherCode { expected: "9".to_owned(), got: "8".to_owned(), clause };
        assert_eq!(other("/code", json!(9), json!(8)), codes);
        assert_eq!(other("/code", json!(9), json!(0)), FindingKind::Unexpected, "accepted: each rule that it breaks is a cause");
        assert_eq!(other("/code", json!(9), json!("8")), FindingKind::Unexpected, "a text is no code");
        assert_eq!(other("/size", json!(9), json!(8)), FindingKind::Unexpected);
        assert_eq!(other("/code", json!(0), json!(8)), FindingKind::Refused("8".to_owned()));
    }

    #[test]
    fn a_refusal_by_status_is_one_of_4xx_and_5xx() {
        let contracts = contracts();
        let body = json!({});
        let status = |matcher: &Matcher, expected: Value, got: u16| {
            let mismatch = Mismatch { pointer: String::new(), expected, got: json!(got) };
            refused(&contracts.operations["shop.order"], Compared::Status(&body), (matcher, &mismatch))
        };
        assert_eq!(status(&Matcher::Any, json!(200), 403).as_deref(), Some("403"));
        assert_eq!(status(&Matcher::Success, json!("2xx"), 500).as_deref(), Some("500"));
        assert_eq!(status(&Matcher::Success, json!("2xx"), 302), None);
        assert_eq!(status(&Matcher::Any, json!(200), 201), None);
        assert_eq!(status(&Matcher::Any, json!(403), 500), None);
    }
}
