//! OpenAPI's runtime expressions: `$request.path.transId`, `$request.body#/transId`, `$response.body#/status`.

use std::fmt;

use serde_json::Value;

use crate::exchange::Exchange;

/// A place in an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A path parameter.
    RequestPath(String),
    /// A field of the request body, by JSON Pointer.
    RequestBody(String),
    /// A field of the answer's body, by JSON Pointer.
    ResponseBody(String),
}

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix("$request.path.") {
            return Ok(Self::RequestPath(name.to_owned()));
        }
        if let Some(pointer) = text.strip_prefix("$request.body#") {
            return Ok(Self::RequestBody(pointer.to_owned()));
        }
        if let Some(pointer) = text.strip_prefix("$response.body#") {
            return Ok(Self::ResponseBody(pointer.to_owned()));
        }
        Err(format!("`{text}` is not `$request.path.NAME`, `$request.body#/POINTER` or `$response.body#/POINTER`"))
    }

    /// The value at that place, if it is there.
    pub fn value<'e>(&self, exchange: &'e Exchange) -> Option<&'e Value> {
        match self {
            Self::RequestPath(name) => exchange.request.path.get(name),
            Self::RequestBody(pointer) => exchange.request.body.value()?.pointer(pointer),
            Self::ResponseBody(pointer) => exchange.answered()?.pointer(pointer),
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
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestPath(name) => write!(f, "$request.path.{name}"),
            Self::RequestBody(pointer) => write!(f, "$request.body#{pointer}"),
            Self::ResponseBody(pointer) => write!(f, "$response.body#{pointer}"),
        }
    }
}
