//! A stream in the middle of an exchange, for a reader that begins it anew.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::engine::client::Stream;

/// A stream over which a part of a request was written and a part of its response was read. What was written is not written again,
/// and what was read is read again, as soon as it could have been answered.
pub(super) struct Begun {
    stream: Box<dyn Stream>,
    /// The number of bytes that were written and are going to be given once more.
    written: usize,
    read: Bytes,
    /// Why no more can be read.
    error: Option<io::Error>,
    /// The task that waits to read until the written bytes were repeated.
    reader: Option<Waker>,
}

impl Begun {
    pub(super) fn new(stream: Box<dyn Stream>, written: usize, (read, error): (Bytes, Option<io::Error>)) -> Self {
        Self { stream, written, read, error, reader: None }
    }
}

impl AsyncRead for Begun {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.written > 0 {
            self.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        if self.read.is_empty() {
            if let Some(error) = self.error.take() {
                return Poll::Ready(Err(error));
            }
            return Pin::new(&mut self.stream).poll_read(context, into);
        }
        let piece = self.read.len().min(into.remaining());
        into.put_slice(self.read.get(..piece).unwrap_or_default());
        self.read.advance(piece);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Begun {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.written == 0 {
            return Pin::new(&mut self.stream).poll_write(context, bytes);
        }
        let known = self.written.min(bytes.len());
        self.written -= known;
        if self.written == 0 {
            self.reader.take().iter().for_each(Waker::wake_by_ref);
        }
        Poll::Ready(Ok(known))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
