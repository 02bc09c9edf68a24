//! The courier: takes a notification to the merchant's endpoint and brings back the answer.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::gateway::core::TransId;
use crate::world::Answer;

/// More of an answer than this is not read; the connection is given up instead.
const LONGEST_ANSWER: usize = 64 * 1024;

/// A notification, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub(crate) trans_id: TransId,
    /// The state it tells of.
    pub(crate) status: &'static str,
    pub(crate) url: Uri,
    pub(crate) media_type: &'static str,
    pub(crate) body: Bytes,
    /// Who is told if it can't be delivered.
    pub(crate) contacts: Vec<String>,
    /// Attempts made.
    pub(crate) attempt: u32,
}

/// An HTTP client that reuses its connections and follows no redirects.
#[derive(Debug, Clone)]
pub(crate) struct Courier(Client<HttpConnector, Full<Bytes>>);

impl Default for Courier {
    fn default() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client =
            Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).pool_idle_timeout(Duration::from_secs(30)).build(connector);
        Self(client)
    }
}

impl Courier {
    /// Posts a letter and waits for the answer at most so long.
    pub(crate) async fn carry(&self, letter: &Letter, timeout: Duration) -> Answer {
        match tokio::time::timeout(timeout, self.0.request(post(letter))).await {
            Ok(Ok(response)) => finish(response, timeout).await,
            Ok(Err(error)) => Answer::TransportError(reason(&error)),
            Err(_) => Answer::TransportError(format!("no answer within {} s", timeout.as_secs())),
        }
    }
}

fn post(letter: &Letter) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(letter.body.clone()));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = letter.url.clone();
    request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(letter.media_type));
    request.headers_mut().insert(header::USER_AGENT, HeaderValue::from_static("paycheck-emulator"));
    request
}

/// The status is the answer. The rest is read only so that the connection can be used again.
async fn finish(response: Response<Incoming>, timeout: Duration) -> Answer {
    let answer = Answer::Status(response.status().as_u16());
    let _ = tokio::time::timeout(timeout, Limited::new(response.into_body(), LONGEST_ANSWER).collect()).await;
    answer
}

/// The innermost error says what happened, the outer ones only where.
fn reason(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
