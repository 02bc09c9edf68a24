//! How a response shows that a call succeeded, or why it was refused.

use serde_json::Value;

use crate::wire::exchange::Exchange;
use crate::wire::expression::text_of;

/// Where the responses of a call show success and refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Success {
    /// A number in the body: `code`, where one value means success.
    Code {
        /// The field of the body.
        field: String,
        /// The value that means success.
        value: i64,
    },
    /// Only a refusal has a code, a name such as `DEVICE_REVOKED` in this field. Success is HTTP 2xx.
    RefusalCode {
        /// The field of the body.
        field: String,
    },
    /// The HTTP status: 2xx is success, and the status is the code.
    #[default]
    Status,
}

impl Success {
    /// The field of the body that holds the code, if any.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Code { field, .. } | Self::RefusalCode { field } => Some(field),
            Self::Status => None,
        }
    }

    /// The code of success, if there is one.
    pub fn value(&self) -> Option<i64> {
        match self {
            Self::Code { value, .. } => Some(*value),
            Self::RefusalCode { .. } | Self::Status => None,
        }
    }

    /// The code of a response, as text: `1402`, `DEVICE_REVOKED`, the HTTP status `403`.
    pub fn code(&self, exchange: &Exchange) -> Option<String> {
        match self {
            Self::Code { field, .. } => exchange.response_value()?.get(field)?.as_i64().map(|code| code.to_string()),
            Self::RefusalCode { field } => exchange.response_value()?.get(field)?.as_str().map(str::to_owned),
            Self::Status => exchange.response().map(|response| response.status.to_string()),
        }
    }

    /// Whether the response to a call shows success.
    pub fn is_reported_by(&self, exchange: &Exchange) -> bool {
        match self {
            Self::Code { field, value } => exchange.response_value().and_then(|body| body.get(field)?.as_i64()) == Some(*value),
            Self::RefusalCode { .. } | Self::Status => exchange.response().is_some_and(|response| (200..300).contains(&response.status)),
        }
    }

    /// A documented code as it is written in a response.
    pub fn code_value(&self, code: &str) -> Value {
        match self {
            Self::RefusalCode { .. } => Value::String(code.to_owned()),
            Self::Code { .. } | Self::Status => code.parse::<i64>().map_or_else(|_| Value::String(code.to_owned()), Value::from),
        }
    }
}

/// The texts of codes listed as numbers or names.
pub(super) fn code_texts<'v>(codes: impl IntoIterator<Item = &'v Value>) -> Vec<String> {
    codes.into_iter().filter_map(text_of).collect()
}
