//! "Every call answers with `code` and `message`": results of the gateway, of terminals and about transfers.

use http::StatusCode;

use super::{ApiResponse, FormRecord, JsonRecord, Record};
use crate::common::{Code, Refusal};

/// Writes code and message into a record.
pub(crate) fn write<R: Record>(mut record: R, code: Code, message: &str) -> R {
    record.integer("code", i64::from(code.number()));
    record.text("message", message);
    record
}

/// Begins the record of a call that succeeded.
pub(crate) fn ok<R: Record>(record: R) -> R {
    write(record, Code::OK, "OK")
}

/// A refusal in JSON.
pub(crate) fn json_refusal(status: StatusCode, refusal: &Refusal) -> ApiResponse {
    ApiResponse::json(status, write(JsonRecord::with_capacity(96), refusal.code, &refusal.message).into_bytes())
}

/// A refusal in a form.
pub(crate) fn form_refusal(status: StatusCode, refusal: &Refusal) -> ApiResponse {
    ApiResponse { status, ..ApiResponse::form(write(FormRecord::with_capacity(96), refusal.code, &refusal.message).into_bytes()) }
}
