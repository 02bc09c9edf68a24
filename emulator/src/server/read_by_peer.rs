//! A connection whose peer has to read what it asked for.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long nothing of a response may be taken, as long as a head may take.
const UNREAD: Duration = Duration::from_secs(30);

/// A stream that fails once nothing that was written to it was taken for [`UNREAD`]: a response that waits for its reader takes memory.
#[derive(Debug)]
pub(super) struct ReadByPeer<S> {
    stream: S,
    /// Runs while the stream takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> ReadByPeer<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, stalled: None }
    }

    /// What a stream says of a write, or an error once it has taken nothing for too long.
    fn in_time<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReadByPeer<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReadByPeer<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, written)
    }

    // Without these two the library copies every body behind its head.
    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.in_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.in_time(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.in_time(context, ended)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_not_read_is_waited_for_only_so_long() {
        let (server, mut peer) = tokio::io::duplex(8);
        let mut stream = ReadByPeer::new(server);
        stream.write_all(&[b'x'; 8]).await.unwrap();
        let begun = Instant::now();
        // A slow reader takes a byte now and then.
        let reading = tokio::spawn(async move {
            for _ in 0..10 {
                sleep(UNREAD - Duration::from_secs(1)).await;
                peer.read_u8().await.unwrap();
            }
            peer
        });
        stream.write_all(&[b'x'; 10]).await.unwrap();
        assert!(begun.elapsed() > UNREAD * 9, "{:?}", begun.elapsed());
        let _peer = reading.await.unwrap();
        let begun = Instant::now();
        let error = stream.write_all(b"x").await.unwrap_err();
        assert_eq!((error.kind(), begun.elapsed()), (io::ErrorKind::TimedOut, UNREAD));
        let begun = Instant::now();
        let error = stream.write_vectored(&[IoSlice::new(b"x")]).await.unwrap_err();
        assert_eq!((error.kind(), begun.elapsed()), (io::ErrorKind::TimedOut, Duration::ZERO), "it stays ended");
    }
}
