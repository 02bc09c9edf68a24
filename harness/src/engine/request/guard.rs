//! The last check of a request before it is sent: its bytes decide whether a live target may receive it.
//!
//! Which fields make a call harmless is data (`x-safe-when` in the contracts). The origin of the request does not count: a
//! script, a template, a text in place of the body, a mutation.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::routes::Routes;
use crate::spec::contract::{Content, Contracts, Operation};
use crate::spec::target::{Refusal, Target};
use crate::wire::exchange::{Coding, decode_form, decode_json};
use crate::wire::expression::text_of;

/// Decides which requests a target may receive.
#[derive(Debug)]
pub(crate) struct Guard {
    contracts: Arc<Contracts>,
    routes: Routes,
    /// The refusal, with the line of the target file that would allow it; nothing is refused if there is none.
    refusal: Option<Refusal>,
}

/// The guard's consent to a request. Only the guard gives it, and no sender sends without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Consent(());

/// Consent for the control API of an emulator, which moves no money and which only a target file opens (`Target::may_control`).
pub(super) fn for_control() -> Consent {
    Consent(())
}

/// Consent for a request that a test makes up.
#[cfg(test)]
pub(super) fn given() -> Consent {
    Consent(())
}

/// A request as its bytes say it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded<'e> {
    pub(crate) method: &'e str,
    pub(crate) path: &'e [u8],
    pub(crate) query: &'e [u8],
    pub(crate) headers: &'e [(&'e str, &'e [u8])],
    pub(crate) body: &'e [u8],
}

/// Who asks for a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'o> {
    /// The operation that is meant.
    pub(crate) operation: &'o str,
    /// The step: `file:line:column`.
    pub(crate) place: &'o str,
}

/// A request that a live target must not receive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {refusal}")]
pub(crate) struct RefusedRequest {
    /// The step that asks for it.
    place: String,
    /// The refused part, and the line of the target file that allows it.
    refusal: Refusal,
}

impl Guard {
    /// The guard of a target.
    pub(crate) fn new(contracts: Arc<Contracts>, target: &Target) -> Self {
        let routes = Routes::new(&contracts, target);
        Self { refusal: target.may_move_money().err(), contracts, routes }
    }

    /// The addresses of the target's operations.
    pub(crate) fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Looks at a request. It is judged by the operation that is meant and by every operation that its method and path
    /// may lead to.
    pub(crate) fn consent(&self, request: &Encoded<'_>, origin: Origin<'_>) -> Result<Consent, RefusedRequest> {
        let Some(refusal) = &self.refusal else { return Ok(Consent(())) };
        for id in std::iter::once(origin.operation).chain(self.routes.tolerant(request.method, request.path)) {
            let danger = self.contracts.operations.get(id).and_then(|operation| danger(operation, request));
            if let Some(danger) = danger {
                let at = if id == origin.operation { String::new() } else { format!(" at the address of {id}") };
                let refusal = Refusal { what: format!("{}{at} {danger}", origin.operation), ..refusal.clone() };
                return Err(RefusedRequest { place: origin.place.to_owned(), refusal });
            }
        }
        Ok(Consent(()))
    }
}

/// Why a request may move real money.
#[derive(Debug, PartialEq, Eq)]
enum Danger {
    /// The body does not have the field with the value that makes the call harmless.
    Missing { field: String, value: String },
    /// The field is there more than once, or under a name that some server takes for it.
    Ambiguous { field: String },
    /// A part of the request can't be read, and why.
    Unreadable { part: &'static str, why: String },
}

impl fmt::Display for Danger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { field, value } => write!(f, "without `{field}: {value}` in its body"),
            Self::Ambiguous { field } => write!(f, "with more than one `{field}`"),
            Self::Unreadable { part, why } => write!(f, "with a {part} that can't be read ({why})"),
        }
    }
}

/// The danger of a request to an operation, if there is one.
fn danger(operation: &Operation, request: &Encoded<'_>) -> Option<Danger> {
    if operation.safe_when.is_empty() {
        return None;
    }
    let body = match Body::read(operation.request.as_ref(), request) {
        Ok(body) => body,
        Err(why) => return Some(Danger::Unreadable { part: "body", why }),
    };
    operation.safe_when.iter().find_map(|(field, value)| body.danger(field, value).or_else(|| in_query(request.query, field, value)))
}

/// A field of the query that contradicts the body, or may.
fn in_query(query: &[u8], field: &str, value: &Value) -> Option<Danger> {
    for pair in pairs(query) {
        match pair {
            Err(why) => return Some(Danger::Unreadable { part: "query", why }),
            Ok((name, in_query)) if may_mean(&name, field) && (name != field || text_of(value).as_ref() != Some(&in_query)) => {
                return Some(Danger::Ambiguous { field: field.to_owned() });
            }
            Ok(_) => {}
        }
    }
    None
}

/// A decoded body.
struct Body {
    coding: Coding,
    value: Value,
    /// The names of its fields as often as they are there, also those that only some servers see.
    names: Vec<String>,
}

impl Body {
    /// Reads a body as its contract and its headers describe it. The error is the reason why it cannot be read.
    fn read(content: Option<&Content>, request: &Encoded<'_>) -> Result<Self, String> {
        let content = content.ok_or("the documents give this call none")?;
        let nothing = Self { coding: content.coding, value: Value::Null, names: Vec::new() };
        if request.body.is_empty() {
            return Ok(nothing);
        }
        is_unencoded(content, request.headers)?;
        let decoded = match content.coding {
            Coding::Json => decode_json(request.body),
            Coding::Form => decode_form(request.body).map(|(fields, faults)| (Value::Object(fields), faults)),
            Coding::Other => return Err("the documents don't say how it is written".to_owned()),
        };
        let (value, faults) = decoded.map_err(|fault| fault.message)?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault.message);
        }
        let names = match content.coding {
            Coding::Form => pairs(request.body).map(|pair| pair.map(|(name, _)| name)).collect::<Result<_, _>>()?,
            Coding::Json | Coding::Other => value.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default(),
        };
        Ok(Self { value, names, ..nothing })
    }

    fn danger(&self, field: &str, value: &Value) -> Option<Danger> {
        if self.names.iter().filter(|name| may_mean(name, field)).count() > 1 {
            return Some(Danger::Ambiguous { field: field.to_owned() });
        }
        let stated = self.value.get(field);
        let is_said = match self.coding {
            // A form has no types: every value is a text.
            Coding::Form => stated.and_then(text_of) == text_of(value),
            Coding::Json | Coding::Other => stated == Some(value),
        };
        (!is_said).then(|| Danger::Missing { field: field.to_owned(), value: value.to_string() })
    }
}

/// Checks that the headers describe the body as the contract does, so that every server reads it in the same way.
fn is_unencoded(content: &Content, headers: &[(&str, &[u8])]) -> Result<(), String> {
    let named = |name: &'static str| headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
    if named("content-encoding").any(|coding| !coding.eq_ignore_ascii_case(b"identity")) {
        return Err("it is compressed".to_owned());
    }
    let mut types = named("content-type");
    let (Some(media_type), None) = (types.next(), types.next()) else {
        return Err("it has not exactly one content type".to_owned());
    };
    let mut parts = media_type.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    if !parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case(content.media_type.as_bytes())) {
        return Err(format!("its content type is {}", media_type.escape_ascii()));
    }
    let is_utf8 =
        |parameter: &[u8]| [&b"charset=utf-8"[..], b"charset=\"utf-8\""].iter().any(|spelling| parameter.eq_ignore_ascii_case(spelling));
    match parts.find(|parameter| !is_utf8(parameter)) {
        Some(parameter) => Err(format!("its content type says {}", parameter.escape_ascii())),
        None => Ok(()),
    }
}

/// Names and values of a form or a query, also split where only some servers do.
fn pairs(text: &[u8]) -> impl Iterator<Item = Result<(String, String), String>> + '_ {
    text.split(|byte| matches!(byte, b'&' | b';')).filter(|pair| !pair.is_empty()).map(|pair| {
        let (fields, faults) = decode_form(pair).map_err(|fault| fault.message)?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault.message);
        }
        let pair = fields.into_iter().next().and_then(|(name, value)| Some((name, text_of(&value)?)));
        pair.ok_or_else(|| "a part of it has no name".to_owned())
    })
}

/// Whether some server takes a name for a field: in other letters, with blanks around it, as the first of an array.
fn may_mean(name: &str, field: &str) -> bool {
    let name = name.split(['[', '\0']).next().unwrap_or_default();
    name.trim_matches(|c: char| c.is_whitespace() || c.is_control()).eq_ignore_ascii_case(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Source;
    use crate::spec::target;

    const JSON: &[u8] = b"application/json";
    const FORM: &[u8] = b"application/x-www-form-urlencoded";
    const V1: (&str, &str) = ("gateway.v1.create", "/v1.0/create");
    const V2: (&str, &str) = ("gateway.v2.create", "/v2.0/payment.json");

    fn guard(more: &str) -> Guard {
        let contracts = Contracts::shipped();
        let text = format!("title: live\nbase: http://192.0.2.1/shop\ncredentials: {{ main: {{ merchant: '1' }} }}\n{more}");
        let target =
            target::parse(&Source::new("target.yaml", text), &contracts, &|_| None).unwrap_or_else(|e| panic!("{}", e.render(false)));
        Guard::new(contracts, &target)
    }

    fn post<'e>(path: &'e str, query: &'e str, headers: &'e [(&'e str, &'e [u8])], body: &'e [u8]) -> Encoded<'e> {
        Encoded { method: "POST", path: path.as_bytes(), query: query.as_bytes(), headers, body }
    }

    fn asked(guard: &Guard, operation: &str, request: &Encoded<'_>) -> Result<Consent, String> {
        guard.consent(request, Origin { operation, place: "shop.yaml:4:5" }).map_err(|refused| refused.to_string())
    }

    /// Asks about a call with its own content type.
    fn sent((operation, path): (&str, &str), query: &str, body: &str) -> Result<Consent, String> {
        let media_type = if operation == V1.0 { FORM } else { JSON };
        asked(&guard(""), operation, &post(&format!("/shop{path}"), query, &[("content-type", media_type)], body.as_bytes()))
    }

    fn refused(call: (&str, &str), query: &str, body: &str, why: &str) {
        let message = sent(call, query, body).expect_err(body);
        assert!(message.contains(why), "{body}: {message}");
    }

    #[test]
    fn what_says_that_it_is_a_test_is_let_through() {
        for body in ["test=true", "price=1&test=true&label=a%3Bb", "%74est=true", "test=%74rue", "test=true&latest=no", "&test=true&"] {
            assert!(sent(V1, "", body).is_ok(), "{body}: {:?}", sent(V1, "", body));
        }
        for body in ["{\"test\":true}", " { \"price\" : 1, \"test\" : true }", "{\"t\\u0065st\":true}"] {
            assert!(sent(V2, "", body).is_ok(), "{body}: {:?}", sent(V2, "", body));
        }
        assert!(sent(V1, "test=true&lang=cs", "test=true").is_ok());
    }

    #[test]
    fn what_does_not_say_so_is_refused() {
        for body in ["", "price=1", "test=false", "test=1", "test=TRUE", "test=", "test", "latest=true", "Test=true", "test%5B%5D=true"] {
            refused(V1, "", body, "gateway.v1.create without `test: true` in its body");
        }
        // The documents ask for a boolean in JSON; how a target reads a text is not documented.
        for body in ["", "{}", "{\"test\":false}", "{\"test\":\"true\"}", "{\"test\":1}", "{\"a\":{\"test\":true}}", "[true]", "true"] {
            refused(V2, "", body, "gateway.v2.create without `test: true` in its body");
        }
    }

    #[test]
    fn what_may_be_read_in_two_ways_is_refused() {
        for body in ["test=true&Test=false", "test=true&test%20=0", "test[]=false&test=true", "label=a;test=false&test=true"] {
            refused(V1, "", body, "with more than one `test`");
        }
        refused(V2, "", "{\"test\":true,\"TEST\":false}", "with more than one `test`");
        for query in ["test=false", "Test=true", "te%73t=0", "a=b;test=false", "test[]=true"] {
            refused(V1, query, "test=true", "with more than one `test`");
            refused(V2, query, "{\"test\":true}", "with more than one `test`");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for body in ["test=true&test=false", "test=true&test=true", "test=true&a=%zz", "test=true&%ff=1"] {
            refused(V1, "", body, "with a body that can't be read");
        }
        for body in ["{\"test\":true", "{\"test\":true,\"test\":false}", "test=true", "\u{feff}{\"test\":true}", "{\"test\":true}\0"] {
            refused(V2, "", body, "with a body that can't be read");
        }
        refused(V1, "a=%zz", "test=true", "with a query that can't be read");
    }

    #[test]
    fn headers_that_say_something_else_of_the_body_are_refused() {
        let (guard, path, body) = (guard(""), "/shop/v2.0/payment.json", b"{\"test\":true}");
        let asked = |headers: &[(&str, &[u8])]| asked(&guard, V2.0, &post(path, "", headers, body));
        for good in [JSON, b"Application/JSON; charset=UTF-8", b"application/json;charset=\"utf-8\""] {
            assert!(asked(&[("Content-Type", good)]).is_ok(), "{}", good.escape_ascii());
        }
        assert!(asked(&[("content-type", JSON), ("content-encoding", b"identity")]).is_ok());
        for bad in [
            &[][..],
            &[("content-type", FORM)],
            &[("content-type", &b"text/plain"[..])],
            &[("content-type", &b"application/json; charset=utf-16"[..])],
            &[("content-type", JSON), ("Content-Type", JSON)],
            &[("content-type", JSON), ("content-encoding", b"gzip")],
        ] {
            let message = asked(bad).unwrap_err();
            assert!(message.contains("with a body that can't be read"), "{message}");
        }
    }

    #[test]
    fn an_address_counts_whatever_operation_was_meant() {
        let guard = guard("paths: { gateway.v2.create: /pay/new }\n");
        let status = |method: &'static str, path: &'static str| {
            let request = Encoded { method, ..post(path, "", &[("content-type", FORM)], b"transId=AB12") };
            asked(&guard, "gateway.v1.status", &request)
        };
        assert!(status("POST", "/shop/v1.0/status").is_ok());
        // The target's own path, the contract's path that it replaces, other spellings and methods.
        for path in ["/shop/pay/new", "/shop/v2.0/payment.json", "/shop/v1.0/create", "/shop/v1.0//x/..%2fcreate/", "/V1.0/CREATE"] {
            let message = status("POST", path).unwrap_err();
            assert!(message.contains("gateway.v1.status at the address of gateway."), "{message}");
        }
        assert!(status("PUT", "/shop/v1.0/create").is_err());
    }

    #[test]
    fn the_message_says_what_and_where_and_what_opens_it() {
        assert_eq!(
            sent(V1, "", "price=1").unwrap_err(),
            "shop.yaml:4:5: gateway.v1.create without `test: true` in its body is refused against a target that is not on this machine; \
             `allow: { production: true }` in the target file opens it"
        );
    }

    #[test]
    fn a_line_of_the_target_file_opens_it() {
        let request = post("/shop/v1.0/create", "", &[], b"");
        assert!(asked(&guard(""), V1.0, &request).is_err());
        assert!(asked(&guard("allow: { production: true }\n"), V1.0, &request).is_ok());
    }

    #[test]
    fn the_address_of_one_operation_is_no_other_one_s() {
        let guard = guard("");
        for operation in guard.contracts.operations.values() {
            let path = operation.path.as_str().replace(['{', '}'], "");
            let found = guard.routes.tolerant(&operation.method, format!("/shop{path}").as_bytes());
            assert!(found.contains(&operation.id.as_str()), "{path}");
            // A path of one parameter alone matches the end of many addresses; only its own operation matters.
            let guarded = |id: &&&str| guard.contracts.operations.get(**id).is_some_and(|other| !other.safe_when.is_empty());
            let others: Vec<_> = found.iter().filter(guarded).filter(|id| **id != operation.id).collect();
            assert!(others.is_empty(), "{path}: {others:?}");
        }
    }
}
