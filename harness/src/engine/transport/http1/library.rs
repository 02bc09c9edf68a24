//! A connection of HTTP/1.1 that hyper reads and writes.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::Poll;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use super::begun::Begun;
use crate::engine::client;
use crate::engine::transport::reply::{Chunks, FailedAttempt, Failure, Reply, too_large, unread};
use crate::engine::transport::sender::is_end_of_connection;
use crate::wire::exchange::{HttpVersion, TransportFailureKind};

/// Moves the bytes over the connection.
type Driver = http1::Connection<TokioIo<Begun>, Full<Bytes>>;

/// An open connection of HTTP/1.1 that hyper reads and writes.
pub(super) struct Library {
    sender: http1::SendRequest<Full<Bytes>>,
    /// None when the connection is over.
    driver: Option<Pin<Box<Driver>>>,
}

impl Library {
    /// Takes over a stream on which an exchange may have begun.
    pub(super) async fn open(stream: Begun) -> Result<Self, Failure> {
        let refused = |error: hyper::Error| Failure { kind: TransportFailureKind::Connect, detail: error.to_string() };
        let (sender, driver) = client::http(stream).await.map_err(refused)?;
        Ok(Self { sender, driver: Some(Box::pin(driver)) })
    }

    /// One exchange, and whether the connection is over after it; `began` is set once the head of the response has arrived.
    pub(super) async fn exchange(
        &mut self,
        request: http::Request<Full<Bytes>>,
        most: usize,
        began: &AtomicBool,
    ) -> Result<(Reply, bool), FailedAttempt> {
        let Self { sender, driver } = self;
        let stage = AtomicU8::new(0);
        let mut response = pin!(send(sender, request, most, (&stage, began)));
        let reply = poll_fn(|context| {
            // Only the driver can make progress on a request that is being sent.
            if stage.load(Ordering::Relaxed) == 0
                && let Poll::Ready(reply) = response.as_mut().poll(context)
            {
                return Poll::Ready(reply);
            }
            loop {
                let before = stage.load(Ordering::Relaxed);
                let Some(moving) = driver else { return response.as_mut().poll(context) };
                if moving.as_mut().poll(context).is_ready() {
                    // The waiting response learns that the connection is over only when the driver is dropped.
                    *driver = None;
                }
                if let Poll::Ready(reply) = response.as_mut().poll(context) {
                    return Poll::Ready(reply);
                }
                // The driver handles head and body separately; they mostly arrive together.
                if driver.is_some() && stage.load(Ordering::Relaxed) == before {
                    return Poll::Pending;
                }
            }
        })
        .await?;
        Ok((reply, driver.is_none()))
    }
}

/// How far an exchange has come: the request is under way.
const SENT: u8 = 1;
/// The head of the response has arrived.
const ANSWERED: u8 = 2;

/// Sends a request and reads its response. Stores how far the exchange has come, and whether the head of the response has arrived.
async fn send(
    sender: &mut http1::SendRequest<Full<Bytes>>,
    request: http::Request<Full<Bytes>>,
    most: usize,
    (stage, began): (&AtomicU8, &AtomicBool),
) -> Result<Reply, FailedAttempt> {
    // A connection that does not become ready has been closed, and nothing was sent.
    sender.ready().await.map_err(|_| FailedAttempt::Unsent)?;
    let response = sender.send_request(request);
    stage.store(SENT, Ordering::Relaxed);
    let response = response.await.map_err(ended)?;
    stage.store(ANSWERED, Ordering::Relaxed);
    began.store(true, Ordering::Relaxed);
    read(response, most).await
}

fn ended(error: hyper::Error) -> FailedAttempt {
    // The request was not written: the target has not seen it, so it may be sent again.
    if error.is_canceled() {
        FailedAttempt::Unsent
    } else if is_end_of_connection(&error) {
        FailedAttempt::Closed(broken(&error))
    } else {
        FailedAttempt::Failed(broken(&error))
    }
}

fn broken(error: &hyper::Error) -> Failure {
    let mut detail = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        detail.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    unread(&detail).unwrap_or(Failure { kind: TransportFailureKind::Broken, detail })
}

async fn read(response: http::Response<Incoming>, most: usize) -> Result<Reply, FailedAttempt> {
    let (head, mut body) = response.into_parts();
    let mut read = Chunks::Nothing;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| FailedAttempt::Failed(broken(&e)))?;
        let Ok(data) = frame.into_data() else { continue };
        read = read.and(data);
        if read.len() > most {
            return Err(FailedAttempt::Failed(too_large(most)));
        }
    }
    Ok(Reply { status: head.status.as_u16(), headers: head.headers, body: read.joined(), http: HttpVersion::One })
}
