//! Bodies and queries.

use http::StatusCode;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::failure::Failure;
use crate::device::core::Refusal;
use crate::device::core::upload::Upload;
use crate::wire::{Context, Fields, body, form, json};

/// "An invalid JSON body is rejected before dispatch with 400 and no errorCode": before the caller is authenticated.
pub(super) fn check_json(context: Context<'_>, bytes: &[u8]) -> Result<(), Failure> {
    let refused = |why| Failure::BeforeDispatch(StatusCode::BAD_REQUEST, why);
    if !body::is_of_type(&context.head.headers, "application/json") {
        return Err(refused("the device API takes application/json"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| refused("the JSON is not UTF-8"))?;
    serde_json::from_str::<IgnoredAny>(text).map(|_| ()).map_err(|_| refused("the body is not JSON"))
}

/// The fields of a flat object.
pub(super) fn read_fields(bytes: &[u8]) -> Result<Fields<'_>, Failure> {
    json::decode(bytes).map_err(|_| Refusal::invalid("the body is an object with each field once").into())
}

/// The fields of a flat object that may be missing.
pub(super) fn read_optional_fields(bytes: &[u8]) -> Result<Fields<'_>, Failure> {
    if bytes.is_empty() { Ok(Fields::default()) } else { read_fields(bytes) }
}

/// A batch of records.
pub(super) fn read_batch(bytes: &[u8], name: &str) -> Result<Upload, Failure> {
    let body: Value = serde_json::from_slice(bytes).map_err(|_| Refusal::invalid("the body can't be read"))?;
    Ok(Upload::read(body, name)?)
}

/// "Query `since` (integer int64, epoch ms)."
pub(super) fn read_since(context: Context<'_>) -> Result<Option<i64>, Failure> {
    let refused = || Failure::from(Refusal::invalid("since is an integer, in epoch milliseconds"));
    let fields = form::decode(context.query()).map_err(|_| refused())?;
    fields.long("since").map_err(|_| refused())
}
