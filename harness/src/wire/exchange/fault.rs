//! What a schema finds wrong with a body, as a value.

use serde_json::Value;

/// One keyword that an instance does not satisfy.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaFault {
    /// The keyword: `maximum`.
    pub keyword: String,
    /// Where in the instance, as a JSON Pointer.
    pub instance: String,
    /// Where in the contract: `schemas/gateway/….json#/properties/price/maximum`.
    pub contract: String,
    /// The clause carried, if any.
    pub clause: Option<String>,
    /// The keyword's own value, or what it stands for.
    pub expected: Value,
    /// What was there.
    pub got: Value,
    /// In words.
    pub message: String,
    /// Why the keyword is assumed, if it is.
    pub assumed: Option<String>,
}
