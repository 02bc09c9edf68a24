//! OpenAPI's runtime expressions: `$request.path.transId`, `$request.query.type`, `$request.body#/transId`,
//! `$response.body#/status`.

use std::fmt;

use serde_json::Value;

use crate::wire::exchange::{Exchange, Request};

/// A place in an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeExpression {
    /// A path parameter.
    RequestPath(String),
    /// A query parameter.
    RequestQuery(String),
    /// A field of the request body, by JSON Pointer.
    RequestBody(String),
    /// A field of the response's body, by JSON Pointer.
    ResponseBody(String),
}

/// The error for a text that is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not `$request.path.NAME`, `$request.query.NAME`, `$request.body#/POINTER`, `$response.body#/POINTER` or `$response.body`"
)]
pub struct ExpressionError(String);

impl RuntimeExpression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let name = |prefix: &str| text.strip_prefix(prefix).filter(|name| !name.is_empty()).map(str::to_owned);
        // A JSON Pointer is empty, or begins with a slash; any other text would never be found.
        let is_pointer = |pointer: &&str| pointer.is_empty() || pointer.starts_with('/');
        let pointer = |prefix: &str| text.strip_prefix(prefix).filter(is_pointer).map(str::to_owned);
        let whole = || (text == "$response.body").then(String::new);
        let found = name("$request.path.")
            .map(Self::RequestPath)
            .or_else(|| name("$request.query.").map(Self::RequestQuery))
            .or_else(|| pointer("$request.body#").map(Self::RequestBody))
            .or_else(|| pointer("$response.body#").or_else(whole).map(Self::ResponseBody));
        found.ok_or_else(|| ExpressionError(text.to_owned()))
    }

    /// The value at that place, if present.
    pub fn value<'e>(&self, exchange: &'e Exchange) -> Option<&'e Value> {
        match self {
            Self::ResponseBody(pointer) => exchange.response_value()?.pointer(pointer),
            Self::RequestPath(_) | Self::RequestQuery(_) | Self::RequestBody(_) => self.sent(&exchange.request),
        }
    }

    /// The value at that place of a request without a response.
    pub fn sent<'r>(&self, request: &'r Request) -> Option<&'r Value> {
        match self {
            Self::RequestPath(name) => request.path.get(name),
            Self::RequestQuery(name) => request.query.get(name),
            Self::RequestBody(pointer) => request.body.value()?.pointer(pointer),
            Self::ResponseBody(_) => None,
        }
    }

    /// The JSON Pointer, if the place is in a body.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::RequestBody(pointer) | Self::ResponseBody(pointer) => Some(pointer),
            Self::RequestPath(_) | Self::RequestQuery(_) => None,
        }
    }

    /// The parameter or top field of the request at that place; none if it is deeper in the body, or in the response.
    pub fn request_field(&self) -> Option<&str> {
        match self {
            Self::RequestPath(name) | Self::RequestQuery(name) => Some(name),
            Self::RequestBody(pointer) => pointer.strip_prefix('/').filter(|name| !name.contains('/')),
            Self::ResponseBody(_) => None,
        }
    }

    /// The value as text: identifiers are compared as text, whatever their type.
    pub fn text(&self, exchange: &Exchange) -> Option<String> {
        self.value(exchange).and_then(text_of)
    }
}

/// A scalar as text; nothing for null, lists and maps.
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number_text(number)),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number is its value, however it is written: `1.0` is 1.
fn number_text(number: &serde_json::Number) -> String {
    let whole = number.as_f64().filter(|value| number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT);
    // Minus zero is zero.
    whole.map_or_else(|| number.to_string(), |value| format!("{:.0}", value + 0.0))
}

/// Up to here a fraction holds every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl fmt::Display for RuntimeExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestPath(name) => write!(f, "$request.path.{name}"),
            Self::RequestQuery(name) => write!(f, "$request.query.{name}"),
            Self::RequestBody(pointer) => write!(f, "$request.body#{pointer}"),
            Self::ResponseBody(pointer) => write!(f, "$response.body#{pointer}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_value() {
        for (number, text) in
            [("10000.0", "10000"), ("1e4", "10000"), ("-0.0", "0"), ("1.5", "1.5"), ("9007199254740993", "9007199254740993")]
        {
            assert_eq!(text_of(&serde_json::from_str(number).unwrap()).as_deref(), Some(text), "{number}");
        }
    }

    #[test]
    fn an_expression_is_written_as_it_is_read() {
        for text in ["$request.path.transId", "$request.query.type", "$request.body#/a/b", "$request.body#", "$response.body#/status"] {
            assert_eq!(RuntimeExpression::parse(text).map(|read| read.to_string()).as_deref(), Ok(text));
        }
        assert_eq!(RuntimeExpression::parse("$response.body"), Ok(RuntimeExpression::ResponseBody(String::new())));
    }

    #[test]
    fn what_would_never_be_found_is_no_expression() {
        for text in ["$request.body#transId", "$response.body#status", "$request.path.", "$request.query.", "$request.body", "transId", ""]
        {
            let error = RuntimeExpression::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{text}` is not")) && error.ends_with("or `$response.body`"), "{error}");
        }
    }

    #[test]
    fn a_place_in_the_request_has_a_name_unless_it_is_deeper() {
        let field = |text: &str| RuntimeExpression::parse(text).unwrap().request_field().map(str::to_owned);
        assert_eq!(field("$request.path.id").as_deref(), Some("id"));
        assert_eq!(field("$request.query.id").as_deref(), Some("id"));
        assert_eq!(field("$request.body#/transId").as_deref(), Some("transId"));
        assert_eq!((field("$request.body#/payment/id"), field("$request.body#"), field("$response.body#/id")), (None, None, None));
    }
}
