//! Ordinary exchanges: a request that is written at once, and a response whose head says how many bytes follow.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};

use super::begun::Begun;
use crate::engine::client::{LONGEST_HEAD, Stream};
use crate::engine::request::ConnectionRequest;
use crate::engine::transport::reply::{FailedAttempt, Reply};
use crate::wire::exchange::HttpVersion;

/// The most headers of an ordinary response.
const MOST_HEADERS: usize = 64;
/// What is read at once at first. A longer response makes the buffer grow.
const BUFFER: usize = 8 * 1024;
/// The longest ordinary response.
const LONGEST: usize = 256 * 1024;

/// A connection on which all exchanges were ordinary so far.
pub(super) struct Ordinary {
    stream: Box<dyn Stream>,
    /// Its memory is reused.
    buffer: Vec<u8>,
    /// How much of it is read.
    filled: usize,
    /// Why no more could be read.
    error: Option<io::Error>,
}

/// What came of an exchange.
pub(super) enum Exchanged {
    /// The response, and whether the connection is over after it.
    Whole(Reply, bool),
    /// The exchange is not ordinary. The number of bytes of the request that are written.
    Begun { written: usize },
}

/// What the bytes that were read so far are.
enum ReadSoFar {
    /// The beginning of the head of a response.
    Head,
    /// The beginning of a response with its whole head, and the number of bytes that are missing.
    Part(usize),
    /// A response, and whether more was read than it.
    Whole(Reply, bool),
    Unusual,
}

impl Ordinary {
    pub(super) fn new(stream: Box<dyn Stream>) -> Self {
        Self { stream, buffer: Vec::new(), filled: 0, error: None }
    }

    /// The stream in the middle of the present exchange, for another reader.
    pub(super) fn begun(self, written: usize) -> Begun {
        let read = Bytes::copy_from_slice(self.buffer.get(..self.filled).unwrap_or_default());
        Begun::new(self.stream, written, (read, self.error))
    }

    /// One exchange, as far as it is ordinary; `began` is set once the head of the response has arrived.
    pub(super) async fn exchange(
        &mut self,
        request: &ConnectionRequest,
        most: usize,
        began: &AtomicBool,
    ) -> Result<Exchanged, FailedAttempt> {
        self.filled = 0;
        if self.is_closed().await {
            return Err(FailedAttempt::Unsent);
        }
        if matches!(*request.method(), Method::HEAD | Method::CONNECT) {
            return Ok(Exchanged::Begun { written: 0 });
        }
        let (written, is_whole) = self.write(request.to_http1()).await;
        if !is_whole {
            return Ok(Exchanged::Begun { written });
        }
        let mut missing = 1;
        while self.read(missing).await {
            match self.response(most) {
                ReadSoFar::Head => missing = 1,
                ReadSoFar::Part(part) => {
                    began.store(true, Ordering::Relaxed);
                    missing = part;
                }
                ReadSoFar::Whole(reply, over) => return Ok(Exchanged::Whole(reply, over)),
                ReadSoFar::Unusual => break,
            }
        }
        Ok(Exchanged::Begun { written })
    }

    /// Whether the target has closed the idle connection, or has sent what it was not asked for.
    async fn is_closed(&mut self) -> bool {
        let Self { stream, buffer, .. } = self;
        buffer.resize(buffer.len().max(BUFFER), 0);
        let closed = poll_fn(|context| {
            let mut into = ReadBuf::new(buffer);
            Poll::Ready(Pin::new(&mut *stream).poll_read(context, &mut into).is_ready())
        });
        closed.await
    }

    /// Writes what is taken at once. Returns how much that is, and whether it is all and on its way; if not, the library writes the
    /// rest, or finds out what is wrong.
    async fn write(&mut self, bytes: &[u8]) -> (usize, bool) {
        let stream = &mut self.stream;
        let written = poll_fn(|context| {
            let written = match Pin::new(&mut *stream).poll_write(context, bytes) {
                Poll::Ready(Ok(written)) => written,
                Poll::Ready(Err(_)) | Poll::Pending => 0,
            };
            let flushed = matches!(Pin::new(&mut *stream).poll_flush(context), Poll::Ready(Ok(())));
            Poll::Ready((written, flushed && written == bytes.len()))
        });
        written.await
    }

    /// Reads at least `least` bytes. Returns `false` if there are no more, or too many for an ordinary response.
    async fn read(&mut self, least: usize) -> bool {
        let wanted = self.filled.saturating_add(least);
        if wanted > LONGEST {
            return false;
        }
        if wanted > self.buffer.len() {
            self.buffer.resize(wanted.max(2 * self.buffer.len()), 0);
        }
        let Self { stream, buffer, filled, error } = self;
        while *filled < wanted {
            let Some(free) = buffer.get_mut(*filled..) else { return false };
            let read = poll_fn(|context| {
                let mut into = ReadBuf::new(&mut *free);
                let read = Pin::new(&mut *stream).poll_read(context, &mut into);
                read.map(|read| read.map(|()| into.filled().len()))
            });
            match read.await {
                Ok(0) => return false,
                Ok(read) => *filled += read,
                Err(failed) => {
                    *error = Some(failed);
                    return false;
                }
            }
        }
        true
    }

    /// Reads the response in the buffer.
    fn response(&self, most: usize) -> ReadSoFar {
        let raw = Bytes::copy_from_slice(self.buffer.get(..self.filled).unwrap_or_default());
        let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut []);
        match httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut response, &raw, &mut headers) {
            // The library says what is wrong with it.
            Ok(httparse::Status::Partial) if raw.len() >= LONGEST_HEAD as usize => ReadSoFar::Unusual,
            Ok(httparse::Status::Partial) => ReadSoFar::Head,
            Ok(httparse::Status::Complete(head)) => whole(&raw, &response, head, most).unwrap_or(ReadSoFar::Unusual),
            Err(_) => ReadSoFar::Unusual,
        }
    }
}

/// The response with this head, if it is ordinary.
fn whole(raw: &Bytes, response: &httparse::Response<'_, '_>, head: usize, most: usize) -> Option<ReadSoFar> {
    let status = response.code.filter(|status| (200..600).contains(status) && !matches!(status, 204 | 304))?;
    let mut headers = HeaderMap::with_capacity(response.headers.len());
    let mut length = None;
    for header in response.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        let is_usual = match name {
            TRANSFER_ENCODING => false,
            CONNECTION => header.value.eq_ignore_ascii_case(b"keep-alive"),
            CONTENT_LENGTH => length.replace(number(header.value)?).is_none(),
            _ => true,
        };
        if !is_usual {
            return None;
        }
        headers.append(name, HeaderValue::from_maybe_shared(raw.slice_ref(header.value)).ok()?);
    }
    let length = length.filter(|length| *length <= most && response.version == Some(1))?;
    let end = head.checked_add(length)?;
    if let Some(missing) = end.checked_sub(raw.len()).filter(|missing| *missing > 0) {
        return Some(ReadSoFar::Part(missing));
    }
    let reply = Reply { status, headers, body: raw.slice(head..end), http: HttpVersion::One };
    Some(ReadSoFar::Whole(reply, raw.len() > end))
}

/// A number without signs or spaces.
fn number(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    text.parse().ok()
}
