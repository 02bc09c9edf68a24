//! Request bodies: read up to a limit, and only of a media type that the call takes.

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// The largest request body that is read.
pub(crate) const LARGEST: usize = 1024 * 1024;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// More than [`LARGEST`] bytes.
    TooLarge,
    /// The connection broke while sending.
    Broken,
}

impl BodyError {
    /// The status and the sentence of the response.
    pub(crate) const fn ruling(self) -> (StatusCode, &'static str) {
        match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
            Self::Broken => (StatusCode::BAD_REQUEST, "the body broke off"),
        }
    }
}

/// Reads a whole body.
pub(crate) async fn read<B>(body: B) -> Result<Bytes, BodyError>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    match Limited::new(body, LARGEST).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Err(_) => Err(BodyError::Broken),
    }
}

/// Whether the body is declared to be of this media type, with or without parameters. A body without a declared type is accepted.
pub(crate) fn is_of_type(headers: &HeaderMap, media_type: &str) -> bool {
    let Some(declared) = headers.get(header::CONTENT_TYPE) else { return true };
    let essence = declared.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(media_type)
}
