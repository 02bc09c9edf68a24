//! Request bodies: read up to a limit, and only of a media type that the call takes.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// The largest request body that is read.
pub(crate) const LARGEST: usize = 1024 * 1024;

/// The longest that a body may take, as long as a head may.
const LONGEST: Duration = Duration::from_secs(30);

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// More than [`LARGEST`] bytes.
    TooLarge,
    /// The connection broke while sending.
    Broken,
    /// It took longer than [`LONGEST`].
    Slow,
}

impl BodyError {
    /// The status and the sentence of the response.
    pub(crate) const fn ruling(self) -> (StatusCode, &'static str) {
        match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, "the body took longer than 30 s"),
            Self::Broken => (StatusCode::BAD_REQUEST, "the body broke off"),
        }
    }
}

/// A body as the server hands it over.
pub(crate) trait RequestBody: http_body::Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> {}

impl<B: http_body::Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>> RequestBody for B {}

/// Reads a whole body.
pub(crate) async fn read(body: impl RequestBody) -> Result<Bytes, BodyError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    match tokio::time::timeout(LONGEST, Limited::new(body, LARGEST).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Broken),
        Err(_) => Err(BodyError::Slow),
    }
}

/// Whether the body is declared to be of this media type, with or without parameters. A body without a declared type is accepted.
pub(crate) fn is_of_type(headers: &HeaderMap, media_type: &str) -> bool {
    let Some(declared) = headers.get(header::CONTENT_TYPE) else { return true };
    let essence = declared.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(media_type)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body::Frame;

    use super::*;

    /// A body that never ends.
    struct Silent;

    impl http_body::Body for Silent {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_is_not_waited_for() {
        let begun = tokio::time::Instant::now();
        assert_eq!(read(Silent).await, Err(BodyError::Slow));
        assert_eq!(begun.elapsed(), LONGEST);
    }
}
