//! Takes a letter to the merchant's endpoint and records what came of it.

use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use url::Url;

use super::letter::{Letter, Pace};
use crate::contract::Operation;
use crate::exchange::{
    Answer, Body, Coding, Direction, Exchange, MAX_BODY_BYTES, Outcome, Request, TransportFailure, TransportFailureKind, Vault,
};
use crate::recorder::Recorder;
use crate::target::{MAIN, is_loopback};
use crate::transport::failure;

/// How many pieces a trickled body comes in.
const PIECES: usize = 20;
/// How long an answer is awaited that is not judged.
const NOT_JUDGED: Duration = Duration::from_secs(2);

/// Sends letters to one endpoint, each over a connection of its own.
#[derive(Debug)]
pub(super) struct Courier {
    client: reqwest::Client,
    endpoint: Url,
    within: Duration,
}

impl Courier {
    /// A courier to an endpoint that is given this long to answer.
    pub(super) fn new(endpoint: Url, within: Duration) -> Result<Self, String> {
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            // What one letter does to its connection must not be seen by the next one.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("paycheck/", env!("CARGO_PKG_VERSION")))
            // Answers are taken as they are sent.
            .no_gzip();
        if is_loopback(&endpoint) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|e| format!("no HTTP client: {e}"))?;
        Ok(Self { client, endpoint, within })
    }

    /// Takes a documented letter there.
    pub(super) async fn carry(&self, notification: &Operation, letter: &Letter, recorder: &Recorder) -> Exchange {
        self.deliver(notification, letter, self.within, recorder).await
    }

    /// Takes a letter there whose answer is not judged: there is no use in a long wait for it.
    pub(super) async fn slip(&self, notification: &Operation, letter: &Letter, recorder: &Recorder) -> Exchange {
        self.deliver(notification, letter, self.within.min(NOT_JUDGED), recorder).await
    }

    async fn deliver(&self, notification: &Operation, letter: &Letter, within: Duration, recorder: &Recorder) -> Exchange {
        let started = Instant::now();
        let (headers, outcome) = match self.request(letter, within) {
            Ok(request) => {
                let headers = recorder.headers(request.headers(), &Vault::default());
                (headers, self.answer(request, recorder).await)
            }
            Err(error) => (Vec::new(), Outcome::Failed(failure(error, recorder))),
        };
        let exchange = exchange(notification, letter, &self.endpoint, outcome, recorder);
        Exchange { request: Request { headers, ..exchange.request }, elapsed: started.elapsed(), ..exchange }
    }

    fn request(&self, letter: &Letter, within: Duration) -> Result<reqwest::Request, reqwest::Error> {
        let method = letter.method.parse().unwrap_or(reqwest::Method::POST);
        let mut builder = self.client.request(method, self.endpoint.clone());
        if let Some(media_type) = &letter.media_type {
            builder = builder.header(http::header::CONTENT_TYPE, media_type).body(body(letter));
            // A body in pieces has its length told like any other.
            builder = builder.header(http::header::CONTENT_LENGTH, letter.body.len());
        }
        let sending = match letter.pace {
            Pace::Trickled(span) => span,
            Pace::AtOnce | Pace::CutOff => Duration::ZERO,
        };
        builder.timeout(within + sending).build()
    }

    async fn answer(&self, request: reqwest::Request, recorder: &Recorder) -> Outcome {
        let mut response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => return Outcome::Failed(failure(error, recorder)),
        };
        let (status, headers) = (response.status().as_u16(), recorder.headers(response.headers(), &Vault::default()));
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(None) => return Outcome::Answer(Answer { status, headers, body: recorder.body(&bytes, Coding::Other, None) }),
                Err(error) => return Outcome::Failed(failure(error, recorder)),
            }
            if bytes.len() > MAX_BODY_BYTES {
                let detail = format!("the answer is larger than {MAX_BODY_BYTES} bytes");
                return Outcome::Failed(TransportFailure { kind: TransportFailureKind::TooLarge, detail });
            }
        }
    }
}

/// A letter and what came of it, as it is recorded: without headers and times.
pub(super) fn exchange(notification: &Operation, letter: &Letter, endpoint: &Url, outcome: Outcome, recorder: &Recorder) -> Exchange {
    Exchange {
        number: 0,
        arrived: recorder.arrival(),
        direction: Direction::Notification,
        operation: notification.id.clone(),
        identity: MAIN.to_owned(),
        request: Request {
            method: letter.method.clone(),
            url: recorder.text(endpoint.as_str()),
            body: recorded(notification, letter, recorder),
            ..Request::default()
        },
        outcome,
        elapsed: Duration::ZERO,
    }
}

fn body(letter: &Letter) -> reqwest::Body {
    let bytes = Bytes::from(letter.body.clone());
    match letter.pace {
        Pace::AtOnce => bytes.into(),
        Pace::CutOff => {
            let half = bytes.slice(..bytes.len() / 2);
            let broken = io::Error::new(io::ErrorKind::BrokenPipe, "the connection was ended on purpose");
            // Given time to leave, so that the merchant sees the half of it.
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

fn recorded(notification: &Operation, letter: &Letter, recorder: &Recorder) -> Body {
    let Some(media_type) = &letter.media_type else { return Body::default() };
    let coding = Coding::of(media_type);
    let content = notification.request.as_ref().filter(|content| content.coding == coding);
    recorder.body(&letter.body, coding, content)
}
