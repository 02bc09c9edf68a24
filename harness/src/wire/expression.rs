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
#[error("`{0}` is not `$request.path.NAME`, `$request.query.NAME`, `$request.body#/POINTER` or `$response.body#/POINTER`")]
pub struct ExpressionError(String);

impl RuntimeExpression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        if let Some(name) = text.strip_prefix("$request.path.") {
            return Ok(Self::RequestPath(name.to_owned()));
        }
        if let Some(name) = text.strip_prefix("$request.query.") {
            return Ok(Self::RequestQuery(name.to_owned()));
        }
        if text == "$response.body" {
            return Ok(Self::ResponseBody(String::new()));
        }
        if let Some(pointer) = text.strip_prefix("$request.body#") {
            return Ok(Self::RequestBody(pointer.to_owned()));
        }
        if let Some(pointer) = text.strip_prefix("$response.body#") {
            return Ok(Self::ResponseBody(pointer.to_owned()));
        }
        Err(ExpressionError(text.to_owned()))
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
