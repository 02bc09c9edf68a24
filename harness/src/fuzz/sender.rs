//! Sends requests byte by byte as they were made up, and reads answers as carefully as ever.
//!
//! No HTTP library sends what is wrong on purpose. So hyper speaks to a stream that swallows what it says and
//! says the made-up bytes instead; what comes back, hyper reads, with its limits for heads and framing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use url::Url;

use super::trust;
use crate::exchange::{TransportFailure, TransportFailureKind};
use crate::target::Target;

/// How long a connection may take to come about, at most.
const CONNECTING: Duration = Duration::from_secs(10);

/// A whole answer, or as much of it as is taken.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// Whether the body goes on after that.
    pub(super) cut: bool,
}

/// Sends raw requests to one target, each over a connection of its own: what a broken request leaves
/// behind on a connection is nobody's answer.
#[derive(Clone)]
pub(super) struct Sender {
    within: Duration,
    tls: Option<Arc<rustls::ClientConfig>>,
}

impl Sender {
    /// The error says which of the target's settings can't be used.
    pub(super) fn new(target: &Target) -> Result<Self, String> {
        let encrypted = target.bases.values().any(|base| base.scheme() == "https");
        let tls = if encrypted { Some(Arc::new(trust::client_config(target.certificate.as_deref())?)) } else { None };
        Ok(Self { within: target.timeout, tls })
    }

    /// Says these bytes, and reads the answer to them: at most `most` bytes of its body. `is_head` tells that
    /// an answer has none.
    pub(super) async fn send(&self, base: &Url, bytes: Bytes, is_head: bool, most: usize) -> Result<Reply, TransportFailure> {
        let exchange = self.exchange(base, bytes, is_head, most);
        let timeout = || failure(TransportFailureKind::Timeout, format!("no whole answer within {:?}", self.within));
        tokio::time::timeout(self.within, exchange).await.unwrap_or_else(|_| Err(timeout()))
    }

    async fn exchange(&self, base: &Url, bytes: Bytes, is_head: bool, most: usize) -> Result<Reply, TransportFailure> {
        let refused = |detail: String| failure(TransportFailureKind::Connect, detail);
        let addresses = base.socket_addrs(|| None).map_err(|e| refused(e.to_string()))?;
        let connecting = tokio::time::timeout(CONNECTING.min(self.within), TcpStream::connect(addresses.as_slice()));
        let stream = connecting.await.map_err(|_| refused("no connection came about".to_owned()))?.map_err(|e| refused(e.to_string()))?;
        stream.set_nodelay(true).map_err(|e| refused(e.to_string()))?;
        match &self.tls {
            Some(tls) if base.scheme() == "https" => {
                let name = base.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
                let name = rustls::pki_types::ServerName::try_from(name).map_err(|e| refused(e.to_string()))?;
                let connector = tokio_rustls::TlsConnector::from(Arc::clone(tls));
                let stream = connector.connect(name, stream).await.map_err(|e| refused(e.to_string()))?;
                converse(stream, bytes, is_head, most).await
            }
            Some(_) | None => converse(stream, bytes, is_head, most).await,
        }
    }
}

async fn converse<S>(stream: S, bytes: Bytes, is_head: bool, most: usize) -> Result<Reply, TransportFailure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mouth = Mouth { stream, said: bytes, speaks: false };
    let (mut sender, connection) = http1::Builder::new().handshake(TokioIo::new(mouth)).await.map_err(|e| broken(&e))?;
    // hyper only has to know whether an answer can have a body.
    let request = http::Request::builder().method(if is_head { "HEAD" } else { "POST" }).uri("/").body(Empty::<Bytes>::new());
    let request = request.map_err(|e| failure(TransportFailureKind::Connect, e.to_string()))?;
    let answering = async {
        let response = sender.send_request(request).await.map_err(|e| broken(&e))?;
        take(response, most).await
    };
    let mut connection = std::pin::pin!(connection);
    let mut answering = std::pin::pin!(answering);
    tokio::select! {
        reply = &mut answering => reply,
        // The connection is over; what came before its end is still there to be read.
        _ = &mut connection => answering.await,
    }
}

async fn take(response: http::Response<hyper::body::Incoming>, most: usize) -> Result<Reply, TransportFailure> {
    let (head, mut body) = response.into_parts();
    let (mut read, mut cut) = (BytesMut::new(), false);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|e| broken(&e))?.into_data() else { continue };
        if read.len() + data.len() > most {
            cut = true;
            break;
        }
        read.extend_from_slice(&data);
    }
    Ok(Reply { status: head.status.as_u16(), headers: head.headers, body: read.freeze(), cut })
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

/// A stream that says its own bytes in place of what it is told to write.
struct Mouth<S> {
    stream: S,
    /// What is still to be said.
    said: Bytes,
    /// Whether somebody has begun to write; an answer before that would be an answer to nothing.
    speaks: bool,
}

impl<S: AsyncWrite + Unpin> Mouth<S> {
    fn speak(&mut self, context: &mut Context<'_>) {
        if !self.speaks {
            return;
        }
        while !self.said.is_empty() {
            match Pin::new(&mut self.stream).poll_write(context, &self.said) {
                Poll::Ready(Ok(written)) if written > 0 => self.said.advance(written),
                // Nobody listens any more; there may be an answer all the same.
                Poll::Ready(_) => self.said.clear(),
                Poll::Pending => return,
            }
        }
        let _ = Pin::new(&mut self.stream).poll_flush(context);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Mouth<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.speak(context);
        let before = into.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, into));
        match read {
            // A reset after the answer was read takes nothing away from it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset && into.filled().len() == before => Poll::Ready(Ok(())),
            read => Poll::Ready(read),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Mouth<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, swallowed: &[u8]) -> Poll<io::Result<usize>> {
        self.speaks = true;
        self.speak(context);
        Poll::Ready(Ok(swallowed.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.speak(context);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
