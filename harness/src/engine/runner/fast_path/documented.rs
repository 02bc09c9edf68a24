//! Recognises documented success in the bytes of a response.

use http::HeaderMap;
use serde_json::{Map, Value};

use crate::spec::contract::{Content, Operation, Success, When};
use crate::wire::exchange::{Coding, Request, decode_form_over, decode_json_over};

/// The documented success of one request: some responses are documented only for certain requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Documented {
    /// The same for every request.
    Always,
    /// The contents with these indexes, and whether a redirect is documented too.
    Here { contents: Vec<usize>, redirect: bool },
}

impl Documented {
    /// The documented success of a request. `recorded` records the request if that is needed.
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

/// Why a content cannot be judged by its bytes alone, if so.
pub(super) fn needs_record(content: &Content) -> Option<&'static str> {
    match content.coding {
        _ if content.format.is_some() => Some("the response is a file"),
        Coding::Other if content.is_any() => Some("its contract says nothing of the response"),
        Coding::Other => None,
        Coding::Json | Coding::Form => content.schema.beyond_a_schema(),
    }
}

/// The form of a successful response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SuccessForm {
    /// With a body.
    Value,
    /// With no body, or with one without fields.
    Silent,
    /// With a redirect.
    Redirect,
}

/// Whether a response is a documented success in every respect that can be judged from it alone, and its form. `decoded` is
/// overwritten with its body: the responses to one call mostly have the same shape.
pub(super) fn success(
    operation: &Operation,
    documented: &Documented,
    (status, headers, body): (u16, &HeaderMap, &[u8]),
    decoded: &mut Value,
) -> Option<SuccessForm> {
    if (300..400).contains(&status) && documented.is_redirect() {
        *decoded = Value::Null;
        let location = headers.get(http::header::LOCATION);
        return location.filter(|location| !location.is_empty()).map(|_| SuccessForm::Redirect);
    }
    if !(200..300).contains(&status) {
        return None;
    }
    if operation.empty_response {
        *decoded = Value::Null;
        return (body.is_empty() && says_success(operation, status, decoded)).then_some(SuccessForm::Silent);
    }
    // An unreadable content type is not the documented one.
    let media_type = headers.get(http::header::CONTENT_TYPE).map(|value| value.to_str()).transpose().ok()?;
    let content = documented.content(operation, media_type).filter(|content| needs_record(content).is_none())?;
    if body.is_empty() {
        return None;
    }
    if content.coding == Coding::Other {
        *decoded = Value::Null;
        return says_success(operation, status, decoded).then_some(SuccessForm::Silent);
    }
    let is_fine = is_read(content, body, decoded) && content.schema.accepts(decoded) && says_success(operation, status, decoded);
    is_fine.then_some(SuccessForm::Value)
}

/// Whether the bytes can be decoded without spelling faults.
fn is_read(content: &Content, body: &[u8], decoded: &mut Value) -> bool {
    if content.coding == Coding::Json {
        return decode_json_over(decoded, body).is_ok_and(|faults| faults.is_empty());
    }
    if !decoded.is_object() {
        *decoded = Value::Object(Map::new());
    }
    let Value::Object(fields) = decoded else { return false };
    let Ok(faults) = decode_form_over(fields, body) else { return false };
    content.schema.read_form(fields);
    faults.is_empty()
}

/// Whether the response shows success, by a documented code if it has one.
fn says_success(operation: &Operation, status: u16, value: &Value) -> bool {
    let is_listed = |code: &str| operation.other_code.is_none() || operation.codes.contains_key(code);
    match &operation.success {
        Success::Code { field, value: success } => {
            value.get(field).and_then(Value::as_i64) == Some(*success) && is_listed(&success.to_string())
        }
        Success::RefusalCode { field } => value.get(field).is_none(),
        Success::Status => is_listed(&status.to_string()),
    }
}
