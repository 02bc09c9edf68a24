//! Documented success, seen in the bytes of a response.

use http::HeaderMap;
use serde_json::Value;

use crate::spec::contract::{Content, Operation, Success, When};
use crate::wire::exchange::{Coding, Decoded, Request, decode_json_over};

/// What the contract documents for success in response to one request: some responses are only for requests that say something
/// certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Documented {
    /// The same for every request.
    Always,
    /// The contents of the response with these places, and whether a redirect is one, too.
    Here { contents: Vec<usize>, redirect: bool },
}

impl Documented {
    /// What is documented in response to a request. `recorded` records it, where that matters.
    pub(super) fn for_request(operation: &Operation, recorded: impl FnOnce() -> Request) -> Self {
        let is_conditional = operation.response.iter().any(|content| content.when != When::default());
        if !is_conditional && operation.redirect.is_none() {
            return Self::Always;
        }
        let request = recorded();
        let contents = operation.response.iter().enumerate().filter(|(_, content)| content.when.holds(&request));
        let redirect = operation.redirect.as_ref().is_some_and(|when| when.holds(&request));
        Self::Here { contents: contents.map(|(place, _)| place).collect(), redirect }
    }

    /// The content of a response with this media type, if it is documented.
    fn content<'o>(&self, operation: &'o Operation, media_type: Option<&str>) -> Option<&'o Content> {
        let is_it = |content: &&Content| media_type.is_none_or(|media_type| content.is(media_type));
        match self {
            Self::Always => operation.response.iter().find(is_it),
            Self::Here { contents, .. } => contents.iter().filter_map(|place| operation.response.get(*place)).find(is_it),
        }
    }

    fn is_redirect(&self) -> bool {
        matches!(self, Self::Here { redirect: true, .. })
    }
}

/// Why a content can't be judged by its bytes alone, if it can't.
pub(super) fn needs_record(content: &Content) -> Option<&'static str> {
    match content.coding {
        _ if content.format.is_some() => Some("the response is a file"),
        Coding::Other if content.is_any() => Some("its contract says nothing of the response"),
        Coding::Other => None,
        Coding::Json | Coding::Form => content.schema.beyond_a_schema(),
    }
}

/// How a response that is a documented success answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// With a body.
    Value,
    /// With no body, or with one that says nothing.
    Silent,
    /// With a redirect.
    Redirect,
}

/// Whether a response is a documented success in every respect that can be seen from it alone, and how it answers. `decoded` is
/// overwritten with its body: the responses to one call mostly have one shape.
pub(super) fn success(
    operation: &Operation,
    documented: &Documented,
    (status, headers, body): (u16, &HeaderMap, &[u8]),
    decoded: &mut Value,
) -> Option<Answer> {
    if (300..400).contains(&status) && documented.is_redirect() {
        *decoded = Value::Null;
        let location = headers.get(http::header::LOCATION);
        return location.filter(|location| !location.is_empty()).map(|_| Answer::Redirect);
    }
    if !(200..300).contains(&status) {
        return None;
    }
    if operation.empty_response {
        *decoded = Value::Null;
        return (body.is_empty() && says_success(operation, status, decoded)).then_some(Answer::Silent);
    }
    // A content type that can't be read is not the documented one.
    let media_type = headers.get(http::header::CONTENT_TYPE).map(|value| value.to_str()).transpose().ok()?;
    let content = documented.content(operation, media_type).filter(|content| needs_record(content).is_none())?;
    if body.is_empty() {
        return None;
    }
    if content.coding == Coding::Other {
        *decoded = Value::Null;
        return says_success(operation, status, decoded).then_some(Answer::Silent);
    }
    let is_fine = is_read(content, body, decoded) && content.schema.accepts(decoded) && says_success(operation, status, decoded);
    is_fine.then_some(Answer::Value)
}

/// Whether the bytes can be read, and nothing is wrong with how they are written.
fn is_read(content: &Content, body: &[u8], decoded: &mut Value) -> bool {
    if content.coding == Coding::Json {
        return decode_json_over(decoded, body).is_ok_and(|faults| faults.is_empty());
    }
    let Decoded::Value(value, faults) = Decoded::decode(content.coding, body) else { return false };
    *decoded = value;
    if let Value::Object(fields) = decoded {
        content.schema.read_form(fields);
    }
    faults.is_empty()
}

/// Whether the response says success, by a documented code where it has one.
fn says_success(operation: &Operation, status: u16, value: &Value) -> bool {
    let is_listed = |code: &str| operation.other_code.is_none() || operation.codes.contains_key(code);
    match &operation.success {
        Success::Code { field, value: success } => {
            value.get(field).and_then(Value::as_i64) == Some(*success) && is_listed(&success.to_string())
        }
        Success::NoCode { field } => value.get(field).is_none(),
        Success::Status => is_listed(&status.to_string()),
    }
}
