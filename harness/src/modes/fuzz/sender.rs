//! Sends mutated requests byte by byte, and reads the responses as any client does.
//!
//! No HTTP library sends invalid requests on purpose. So hyper writes to a stream that discards its bytes and sends the mutated
//! ones instead; hyper reads the response, with its limits for heads and framing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::{BodyExt, Empty};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use url::Url;

use crate::engine::client::{self, ClientError, Connector, Stream};
use crate::engine::request::Consent;
use crate::spec::target::Target;
use crate::wire::exchange::{TransportFailure, TransportFailureKind};

/// A request as bytes, and the rules for reading its response.
#[derive(Debug)]
pub(super) struct RawMessage {
    /// What is sent.
    pub(super) bytes: Bytes,
    /// Whether the response has no body.
    pub(super) is_head: bool,
    /// The most bytes of the body that are read.
    pub(super) most: usize,
}

/// A response, or its beginning.
#[derive(Debug)]
pub(super) struct RawReply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// Whether the body continues.
    pub(super) cut: bool,
}

/// Sends raw requests to one target, each over a connection of its own, because a broken request may leave bytes on a connection
/// that are no response to the next one.
#[derive(Clone)]
pub(super) struct RawSender {
    within: Duration,
    connector: Connector,
}

impl RawSender {
    /// A sender to a target.
    pub(super) fn new(target: &Target) -> Result<Self, ClientError> {
        Ok(Self { within: target.timeout, connector: Connector::for_http1(target)? })
    }

    /// Sends the bytes of a request that the guard has seen, and reads the response.
    pub(super) async fn send(&self, base: &Url, message: RawMessage, _: Consent) -> Result<RawReply, TransportFailure> {
        let exchange = self.exchange(base, message);
        let timeout = || failure(TransportFailureKind::Timeout, format!("no whole response within {:?}", self.within));
        tokio::time::timeout(self.within, exchange).await.unwrap_or_else(|_| Err(timeout()))
    }

    async fn exchange(&self, base: &Url, message: RawMessage) -> Result<RawReply, TransportFailure> {
        let (stream, _) = self.connector.connect(base).await.map_err(|error| failure(TransportFailureKind::Connect, error.to_string()))?;
        converse(stream, message).await
    }
}

async fn converse(stream: Box<dyn Stream>, message: RawMessage) -> Result<RawReply, TransportFailure> {
    let RawMessage { bytes, is_head, most } = message;
    let scripted = ScriptedStream { stream, script: bytes, started: false };
    let (mut sender, connection) = client::http(scripted).await.map_err(|e| broken(&e))?;
    // hyper only needs to know whether a response can have a body.
    let request = http::Request::builder().method(if is_head { "HEAD" } else { "POST" }).uri("/").body(Empty::<Bytes>::new());
    let request = request.map_err(|e| failure(TransportFailureKind::Connect, e.to_string()))?;
    let answering = async {
        let response = sender.send_request(request).await.map_err(|e| broken(&e))?;
        read(response, most).await
    };
    let mut connection = std::pin::pin!(connection);
    let mut answering = std::pin::pin!(answering);
    tokio::select! {
        reply = &mut answering => reply,
        // The connection is over; what arrived before its end can still be read.
        _ = &mut connection => answering.await,
    }
}

async fn read(response: http::Response<hyper::body::Incoming>, most: usize) -> Result<RawReply, TransportFailure> {
    let (head, mut body) = response.into_parts();
    let (mut bytes, mut cut) = (BytesMut::new(), false);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|e| broken(&e))?.into_data() else { continue };
        if bytes.len() + data.len() > most {
            cut = true;
            break;
        }
        bytes.extend_from_slice(&data);
    }
    Ok(RawReply { status: head.status.as_u16(), headers: head.headers, body: bytes.freeze(), cut })
}

fn failure(kind: TransportFailureKind, detail: String) -> TransportFailure {
    TransportFailure { kind, detail }
}

fn broken(error: &hyper::Error) -> TransportFailure {
    let mut detail = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        detail.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    failure(TransportFailureKind::Broken, detail)
}

/// A stream that sends its script instead of the bytes it is given.
struct ScriptedStream<S> {
    stream: S,
    /// The rest of the script.
    script: Bytes,
    /// Whether hyper has begun to write; a response before that would be a response to nothing.
    started: bool,
}

impl<S: AsyncWrite + Unpin> ScriptedStream<S> {
    fn write_script(&mut self, context: &mut Context<'_>) {
        if !self.started {
            return;
        }
        while !self.script.is_empty() {
            match Pin::new(&mut self.stream).poll_write(context, &self.script) {
                Poll::Ready(Ok(written)) if written > 0 => self.script.advance(written),
                // The target reads no more; it may respond all the same.
                Poll::Ready(_) => self.script.clear(),
                Poll::Pending => return,
            }
        }
        let _ = Pin::new(&mut self.stream).poll_flush(context);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for ScriptedStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.write_script(context);
        let before = into.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, into));
        match read {
            // A reset after the response does not matter.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset && into.filled().len() == before => Poll::Ready(Ok(())),
            read => Poll::Ready(read),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ScriptedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, discarded: &[u8]) -> Poll<io::Result<usize>> {
        self.started = true;
        self.write_script(context);
        Poll::Ready(Ok(discarded.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write_script(context);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
