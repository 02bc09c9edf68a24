//! Request bodies: read up to a limit, and only of a media type that the call takes.

use std::any::Any;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use http_body::Frame;
use http_body_util::BodyExt as _;

/// The largest request body that is read.
pub(crate) const LARGEST: usize = 8 * 1024 * 1024;

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
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 8 MiB"),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, "the body took longer than 30 s"),
            Self::Broken => (StatusCode::BAD_REQUEST, "the body broke off"),
        }
    }
}

/// A body as the server hands it over.
pub(crate) trait RequestBody: http_body::Body<Data = Bytes> {
    /// Why it ends too early.
    fn cause(error: &Self::Error) -> BodyError;
}

impl<B: http_body::Body<Data = Bytes, Error: 'static>> RequestBody for B {
    fn cause(error: &B::Error) -> BodyError {
        // A body that was read before knows.
        (error as &dyn Any).downcast_ref::<BodyError>().copied().unwrap_or(BodyError::Broken)
    }
}

/// A body that was read before, or could not be: who reads it learns the same.
pub(crate) struct ReadBody(Option<Result<Bytes, BodyError>>);

impl ReadBody {
    /// A body with this outcome of reading it.
    pub(crate) const fn new(read: Result<Bytes, BodyError>) -> Self {
        Self(Some(read))
    }
}

impl http_body::Body for ReadBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        Poll::Ready(self.0.take().map(|read| read.map(Frame::data)))
    }
}

/// Reads a whole body.
pub(crate) async fn read(body: impl RequestBody) -> Result<Bytes, BodyError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    tokio::time::timeout(LONGEST, collect(body)).await.unwrap_or(Err(BodyError::Slow))
}

/// Copies what arrives: a list of its frames would take thirty times as much memory where each has one byte.
async fn collect<B: RequestBody>(body: B) -> Result<Bytes, BodyError> {
    let (mut body, mut bytes) = (pin!(body), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| B::cause(&error))?.into_data() else { continue };
        if bytes.len() + data.len() > LARGEST {
            return Err(BodyError::TooLarge);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
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

    /// A body of pieces of two bytes.
    struct Pieces(usize);

    impl http_body::Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let left = self.0.checked_sub(1);
            self.0 = left.unwrap_or_default();
            Poll::Ready(left.map(|_| Ok(Frame::data(Bytes::from_static(b"ab")))))
        }
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit_in_whatever_pieces_it_arrives() {
        assert_eq!(read(Pieces(LARGEST / 2)).await.map(|bytes| bytes.len()), Ok(LARGEST));
        assert_eq!(read(Pieces(LARGEST / 2 + 1)).await, Err(BodyError::TooLarge));
    }

    #[tokio::test]
    async fn a_body_that_was_read_before_reads_the_same() {
        for outcome in [Ok(Bytes::new()), Ok(Bytes::from_static(b"ab")), Err(BodyError::TooLarge), Err(BodyError::Slow)] {
            assert_eq!(read(ReadBody::new(outcome.clone())).await, outcome);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_is_not_waited_for() {
        let begun = tokio::time::Instant::now();
        assert_eq!(read(Silent).await, Err(BodyError::Slow));
        assert_eq!(begun.elapsed(), LONGEST);
    }
}
