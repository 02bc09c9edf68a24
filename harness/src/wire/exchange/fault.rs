//! A violation of a schema, as a value.

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
    /// The value of the keyword, or its meaning.
    pub expected: Value,
    /// What was there.
    pub got: Value,
    /// A sentence for readers.
    pub message: String,
    /// Why the keyword is assumed, if it is.
    pub assumed: Option<String>,
}
