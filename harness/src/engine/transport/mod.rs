//! Sends requests over a client, reads responses up to a bound and records both.

pub(crate) mod connection;
pub(crate) mod connections;
mod http1;
mod http2;
pub(crate) mod own_connections;
pub(crate) mod reply;
mod sender;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use http::HeaderMap;

use self::reply::{Failure, Reply, unread};
use self::sender::Sender;
use crate::engine::client::{ClientError, explained};
use crate::engine::recorder::{Received, Recorder};
use crate::engine::request::PreparedRequest;
use crate::spec::contract::{Content, Operation};
use crate::spec::target::{HttpChoice, Target};
use crate::wire::body_stream;
use crate::wire::exchange::{
    Body, Direction, Exchange, ExchangeOutcome, HttpVersion, MAX_BODY_BYTES, Request, Response, TransportFailure, TransportFailureKind,
    Vault,
};

/// Sends requests to one target.
#[derive(Debug, Clone)]
pub struct Transport {
    sender: Sender,
    /// What a request that gets no response was sent by, as far as that is known.
    without_response: HttpVersion,
}

/// What an exchange is recorded with.
#[derive(Clone, Copy)]
pub(crate) struct Records<'r> {
    pub(crate) recorder: &'r Arc<Recorder>,
    /// Keeps the tokens that the target issues.
    pub(crate) vault: &'r Arc<Vault>,
}

impl Transport {
    /// A transport for a target.
    pub fn new(target: &Target) -> Result<Self, ClientError> {
        let without_response = if target.http == HttpChoice::Two { HttpVersion::Two } else { HttpVersion::One };
        Sender::new(target).map(|sender| Self { sender, without_response })
    }

    /// The client, for the control API of an emulator.
    pub(crate) fn client(&self) -> &reqwest::Client {
        self.sender.kept()
    }

    /// Sends a request to an operation and records the outcome.
    pub(crate) async fn send(&self, operation: &Operation, request: &PreparedRequest, records: Records<'_>) -> Exchange {
        self.send_after(operation, request, records, std::future::ready(())).await
    }

    /// Sends a request on a signal. Everything is ready before, so that several requests leave at the same time.
    pub(crate) async fn send_after(
        &self,
        operation: &Operation,
        request: &PreparedRequest,
        records: Records<'_>,
        signal: impl Future<Output = ()>,
    ) -> Exchange {
        let ready = request.to_client();
        let mut recorded = request.record(operation, ready.headers(), records.recorder, records.vault);
        signal.await;
        let started = Instant::now();
        let (http, outcome) = self.response(ready, operation, &recorded, records).await;
        recorded.http = http;
        Exchange {
            arrived: records.recorder.arrival(),
            elapsed: started.elapsed(),
            ..Exchange::unnumbered(Direction::Call, &operation.id, request.identity(), recorded, outcome)
        }
    }

    async fn response(
        &self,
        request: reqwest::Request,
        operation: &Operation,
        asked: &Request,
        Records { recorder, vault }: Records<'_>,
    ) -> (HttpVersion, ExchangeOutcome) {
        let exchange = self.sender.begin();
        let mut response = match self.sender.send(request, &exchange).await {
            Ok(response) => response,
            Err(error) => {
                let TransportFailure { kind, detail } = failure(error, recorder);
                let failure = TransportFailure { kind, detail: explained::advised(detail) };
                return (self.without_response, ExchangeOutcome::Failed(failure));
            }
        };
        let http = HttpVersion::from(response.version());
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let media_type = content_type(&headers);
        let read = match read_head(&mut response).await {
            Err(error) => Err(ReadError::Broken(error)),
            Ok(Head::Whole(bytes)) => {
                let content = operation.content_to_read(asked, status, media_type, &bytes);
                Ok(recorder.response(&bytes, Received { media_type, content, fact_rules: &operation.fact_rules, request: asked, vault }))
            }
            Ok(Head::Beginning(head)) => {
                let content = operation.content(asked, status, media_type, &head);
                let long = Long { operation, content, media_type, asked };
                long.read(head, response, recorder, vault).await
            }
        };
        let outcome = match read {
            Ok(body) => ExchangeOutcome::Response(Response { status, headers: recorder.headers(&headers, vault), body }),
            Err(error) => ExchangeOutcome::Failed(error.into_failure(operation, recorder)),
        };
        (http, outcome)
    }
}

/// The media type that headers state, with its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

/// A complete response, as it is recorded.
pub(crate) fn recorded(
    operation: &Operation,
    request: &Request,
    (status, headers, body): (u16, &HeaderMap, &[u8]),
    Records { recorder, vault }: Records<'_>,
) -> Response {
    let media_type = content_type(headers);
    let content = operation.content_to_read(request, status, media_type, body);
    let body = recorder.response(body, Received { media_type, content, fact_rules: &operation.fact_rules, request, vault });
    Response { status, headers: recorder.headers(headers, vault), body }
}

/// The exchange of a request that was sent over another connection, with these headers.
pub(crate) fn exchange_of(
    operation: &Operation,
    prepared: &PreparedRequest,
    sent: &HeaderMap,
    (response, elapsed): (Result<&Reply, &Failure>, Duration),
    Records { recorder, vault }: Records<'_>,
) -> Exchange {
    let mut request = prepared.record(operation, sent, recorder, vault);
    request.http = response.map(|reply| reply.http).unwrap_or_default();
    let outcome = match response {
        Err(failure) => ExchangeOutcome::Failed(TransportFailure { kind: failure.kind, detail: recorder.text(&failure.detail) }),
        Ok(reply) => ExchangeOutcome::Response(recorded(
            operation,
            &request,
            (reply.status, &reply.headers, &reply.body),
            Records { recorder, vault },
        )),
    };
    Exchange {
        arrived: recorder.arrival(),
        elapsed,
        ..Exchange::unnumbered(Direction::Call, &operation.id, prepared.identity(), request, outcome)
    }
}

enum ReadError {
    TooLarge,
    Broken(reqwest::Error),
    /// A fault of the reader itself.
    Fault(String),
}

impl ReadError {
    /// What is recorded of a response that was not read to its end.
    fn into_failure(self, operation: &Operation, recorder: &Recorder) -> TransportFailure {
        match self {
            Self::TooLarge => {
                let detail = format!("more than {} bytes; the rest was not read", operation.largest);
                TransportFailure { kind: TransportFailureKind::TooLarge, detail }
            }
            Self::Broken(error) => failure(error, recorder),
            Self::Fault(detail) => TransportFailure { kind: TransportFailureKind::Broken, detail },
        }
    }
}

/// The beginning of a body.
enum Head {
    Whole(BytesMut),
    Beginning(BytesMut),
}

/// Reads a body until it ends, or exceeds the usual length.
async fn read_head(response: &mut reqwest::Response) -> Result<Head, reqwest::Error> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_BODY_BYTES {
            return Ok(Head::Beginning(bytes));
        }
    }
    Ok(Head::Whole(bytes))
}

/// A response of more than the usual length.
struct Long<'l> {
    operation: &'l Operation,
    content: Option<&'l Content>,
    media_type: Option<&'l str>,
    asked: &'l Request,
}

impl Long<'_> {
    /// Judges the response in a thread while it is received, so that it is never held in memory.
    async fn read(
        &self,
        head: BytesMut,
        response: reqwest::Response,
        recorder: &Arc<Recorder>,
        vault: &Arc<Vault>,
    ) -> Result<Body, ReadError> {
        let begun = head.len();
        if begun > self.operation.largest {
            return Err(ReadError::TooLarge);
        }
        let (recorder, vault, request) = (Arc::clone(recorder), Arc::clone(vault), self.asked.clone());
        let (content, fact_rules, media_type) =
            (self.content.cloned(), self.operation.fact_rules.clone(), self.media_type.map(str::to_owned));
        let (writer, mut reader) = body_stream::channel();
        let reading = tokio::task::spawn_blocking(move || {
            let received = Received {
                media_type: media_type.as_deref(),
                content: content.as_ref(),
                fact_rules: &fact_rules,
                request: &request,
                vault: &vault,
            };
            recorder.long_response(&head, &mut reader, received)
        });
        let pumped = pump(response, writer, self.operation.largest - begun).await;
        let body = reading.await.map_err(|error| ReadError::Fault(format!("the response could not be judged: {error}")));
        pumped.and(body)
    }
}

/// Passes a body on as it arrives. Ends early if the reader has stopped.
async fn pump(mut response: reqwest::Response, mut writer: body_stream::BodyWriter, most: usize) -> Result<(), ReadError> {
    let mut size = 0;
    while let Some(chunk) = response.chunk().await.map_err(ReadError::Broken)? {
        size += chunk.len();
        if size > most {
            return Err(ReadError::TooLarge);
        }
        if !writer.send(&chunk).await {
            return Ok(());
        }
    }
    writer.flush().await;
    Ok(())
}

/// Returns why there is no complete response, in the words of the library.
pub(crate) fn failure(error: reqwest::Error, recorder: &Recorder) -> TransportFailure {
    // A connection that was not opened in time is no slow response: no request was sent.
    let kind = if error.is_connect() {
        TransportFailureKind::Connect
    } else if error.is_timeout() && !(error.is_body() || error.is_decode()) {
        TransportFailureKind::Timeout
    } else {
        // A response that began and was not whole in time belongs here: its target is not silent.
        TransportFailureKind::Broken
    };
    let detail = explained::request(error);
    if let Some(Failure { kind, detail }) = unread(&detail) {
        return TransportFailure { kind, detail };
    }
    TransportFailure { kind, detail: recorder.text(&detail) }
}

#[cfg(test)]
mod tests;
