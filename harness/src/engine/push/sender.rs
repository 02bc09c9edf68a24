//! Sends a notification to the merchant's endpoint and records the exchange.

use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use url::Url;

use super::error::PushError;
use super::message::{Pace, PushMessage};
use crate::engine::client::{self, explained};
use crate::engine::recorder::Recorder;
use crate::engine::transport::failure;
use crate::spec::contract::Operation;
use crate::spec::target::MAIN;
use crate::wire::exchange::{
    Body, Coding, Direction, Exchange, ExchangeOutcome, MAX_BODY_BYTES, Request, Response, TransportFailure, TransportFailureKind, Vault,
};

/// The number of pieces of a trickled body.
const PIECES: usize = 20;
/// How long to wait for a response that is not judged.
const NOT_JUDGED: Duration = Duration::from_secs(2);

/// Sends messages to one endpoint, each over a connection of its own.
#[derive(Debug)]
pub(crate) struct Sender {
    client: reqwest::Client,
    endpoint: Url,
    within: Duration,
}

impl Sender {
    /// A sender to an endpoint that must respond `within` this time, and may show a certificate that only the user trusts (PEM).
    pub(crate) fn new(endpoint: Url, within: Duration, certificate: Option<&[u8]>) -> Result<Self, PushError> {
        Ok(Self { client: client::for_single_messages(&endpoint, certificate)?, endpoint, within })
    }

    /// Sends a documented notification.
    pub(crate) async fn send(&self, notification: &Operation, message: &PushMessage, recorder: &Recorder) -> Exchange {
        self.deliver(notification, message, self.within, recorder).await
    }

    /// Sends a message whose response is not judged, and does not wait long for it.
    pub(crate) async fn send_unjudged(&self, notification: &Operation, message: &PushMessage, recorder: &Recorder) -> Exchange {
        self.deliver(notification, message, self.within.min(NOT_JUDGED), recorder).await
    }

    async fn deliver(&self, notification: &Operation, message: &PushMessage, within: Duration, recorder: &Recorder) -> Exchange {
        let started = Instant::now();
        let (headers, outcome) = match self.request(message, within) {
            Ok(request) => {
                let headers = recorder.headers(request.headers(), &Vault::default());
                (headers, self.response(request, recorder).await)
            }
            Err(error) => (Vec::new(), ExchangeOutcome::Failed(failure(error, recorder))),
        };
        let exchange = recorded_exchange(notification, message, &self.endpoint, outcome, recorder);
        Exchange { request: Request { headers, ..exchange.request }, elapsed: started.elapsed(), ..exchange }
    }

    fn request(&self, message: &PushMessage, within: Duration) -> Result<reqwest::Request, reqwest::Error> {
        let method = message.method.parse().unwrap_or(reqwest::Method::POST);
        let mut builder = self.client.request(method, self.endpoint.clone());
        if let Some(media_type) = &message.media_type {
            builder = builder.header(http::header::CONTENT_TYPE, media_type).body(body(message));
            // A body in pieces has a length like any other, not chunked coding.
            builder = builder.header(http::header::CONTENT_LENGTH, message.body.len());
        }
        let sending = match message.pace {
            Pace::Trickled(span) => span,
            Pace::AtOnce | Pace::CutOff => Duration::ZERO,
        };
        builder.timeout(within + sending).build()
    }

    async fn response(&self, request: reqwest::Request, recorder: &Recorder) -> ExchangeOutcome {
        let mut response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                let TransportFailure { kind, detail } = failure(error, recorder);
                return ExchangeOutcome::Failed(TransportFailure { kind, detail: explained::endpoint_advised(detail) });
            }
        };
        let (status, headers) = (response.status().as_u16(), recorder.headers(response.headers(), &Vault::default()));
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(None) => {
                    return ExchangeOutcome::Response(Response { status, headers, body: recorder.body(&bytes, Coding::Other, None) });
                }
                Err(error) => return ExchangeOutcome::Failed(failure(error, recorder)),
            }
            if bytes.len() > MAX_BODY_BYTES {
                let detail = format!("the response is larger than {MAX_BODY_BYTES} bytes");
                return ExchangeOutcome::Failed(TransportFailure { kind: TransportFailureKind::TooLarge, detail });
            }
        }
    }
}

/// The exchange as it is recorded, without times; of its headers the content type, which a command that repeats it needs.
pub(crate) fn recorded_exchange(
    notification: &Operation,
    message: &PushMessage,
    endpoint: &Url,
    outcome: ExchangeOutcome,
    recorder: &Recorder,
) -> Exchange {
    let request = Request {
        method: message.method.clone(),
        url: recorder.text(endpoint.as_str()),
        headers: message.media_type.iter().map(|value| ("content-type".to_owned(), recorder.text(value))).collect(),
        body: recorded_body(notification, message, recorder),
        ..Request::default()
    };
    Exchange { arrived: recorder.arrival(), ..Exchange::unnumbered(Direction::Notification, &notification.id, MAIN, request, outcome) }
}

fn body(message: &PushMessage) -> reqwest::Body {
    let bytes = Bytes::from(message.body.clone());
    match message.pace {
        Pace::AtOnce => bytes.into(),
        Pace::CutOff => {
            let half = bytes.slice(..bytes.len() / 2);
            let broken = io::Error::new(io::ErrorKind::BrokenPipe, "the connection was ended on purpose");
            // The first half must leave before the connection ends.
            let end = stream::once(async {
                tokio::task::yield_now().await;
                Err(broken)
            });
            reqwest::Body::wrap_stream(stream::iter([Ok(half)]).chain(end))
        }
        Pace::Trickled(span) => {
            let size = bytes.len().div_ceil(PIECES).max(1);
            let pause = span / u32::try_from(PIECES).unwrap_or(u32::MAX);
            let pieces: Vec<Bytes> = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
            reqwest::Body::wrap_stream(stream::iter(pieces).then(move |piece| async move {
                tokio::time::sleep(pause).await;
                Ok::<_, io::Error>(piece)
            }))
        }
    }
}

fn recorded_body(notification: &Operation, message: &PushMessage, recorder: &Recorder) -> Body {
    let Some(media_type) = &message.media_type else { return Body::default() };
    let coding = Coding::from_media_type(media_type);
    let content = notification.request.as_ref().filter(|content| content.coding == coding);
    recorder.body(&message.body, coding, content)
}
