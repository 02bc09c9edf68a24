//! The courier: takes a notification to the merchant's endpoint and brings back the answer.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::gateway::core::TransId;
use crate::trust::Trust;
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

type HttpClient<C> = Client<C, Full<Bytes>>;
type SecureClient = HttpClient<HttpsConnector<HttpConnector>>;

/// An HTTP client that reuses its connections and follows no redirects.
#[derive(Debug, Clone)]
pub(crate) struct Courier {
    plain: HttpClient<HttpConnector>,
    trust: Trust,
    /// Made for the first https endpoint: most emulators never see one, and asking the platform takes a while.
    secure: Arc<OnceLock<Result<SecureClient, String>>>,
}

impl Default for Courier {
    fn default() -> Self {
        Self { plain: client(tcp()), trust: Trust::default(), secure: Arc::default() }
    }
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.enforce_http(false);
    connector
}

fn client<C: Connect + Clone>(connector: C) -> HttpClient<C> {
    // A burst to one endpoint must not leave its every connection behind.
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(5))
        .pool_max_idle_per_host(128)
        .build(connector)
}

impl Courier {
    /// A courier like this one that believes other certificates.
    pub(crate) fn trusting(&self, trust: Trust) -> Self {
        Self { plain: self.plain.clone(), trust, secure: Arc::default() }
    }

    /// Posts a letter and waits for the answer at most so long.
    pub(crate) async fn carry(&self, letter: &Letter, timeout: Duration) -> Answer {
        if letter.url.scheme() != Some(&Scheme::HTTPS) {
            return exchange(&self.plain, letter, timeout).await;
        }
        match self.secure.get_or_init(|| secure(&self.trust)) {
            Ok(client) => exchange(client, letter, timeout).await,
            Err(reason) => Answer::TransportError(reason.clone()),
        }
    }
}

fn secure(trust: &Trust) -> Result<SecureClient, String> {
    let config = trust.client_config().map_err(|error| format!("no https: {error}"))?;
    Ok(client(HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1().wrap_connector(tcp())))
}

async fn exchange<C: Connect + Clone + Send + Sync + 'static>(client: &HttpClient<C>, letter: &Letter, timeout: Duration) -> Answer {
    match tokio::time::timeout(timeout, client.request(post(letter))).await {
        Ok(Ok(response)) => finish(response, timeout).await,
        Ok(Err(error)) => Answer::TransportError(reason(&error)),
        Err(_) => Answer::TransportError(format!("no answer within {} s", timeout.as_secs())),
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
