//! Sending requests: a thin layer over reqwest that follows no redirect, reads a bounded answer and
//! records everything.

pub(crate) mod connection;

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::{Bytes, BytesMut};
use http_body_util::Full;
use serde_json::{Map, Value};
use url::Url;

use crate::contract::{Authorization, Content, Operation, text_of};
use crate::exchange::{
    Answer, Body, Coding, Direction, Exchange, MAX_BODY_BYTES, Outcome, Request, TransportFailure, TransportFailureKind, Vault, encode_form,
};
use crate::incoming;
use crate::recorder::{Received, Recorder};
use crate::target::{Credential, Target};

/// Who sends the requests.
pub(crate) const USER_AGENT: &str = concat!("paycheck/", env!("CARGO_PKG_VERSION"));

/// Sends requests to one target.
#[derive(Debug, Clone)]
pub struct Transport {
    client: reqwest::Client,
}

/// A request before it is sent.
#[derive(Debug)]
pub struct Outgoing<'o> {
    /// The operation.
    pub operation: &'o Operation,
    /// The base URL.
    pub base: &'o Url,
    /// The path below it.
    pub path: &'o str,
    /// Path parameters.
    pub parameters: Map<String, Value>,
    /// Body fields, credentials not yet among them.
    pub fields: Map<String, Value>,
    /// Whose credentials, and the credentials.
    pub identity: &'o str,
    /// The credentials themselves; none are sent without.
    pub credential: Option<&'o Credential>,
    /// Fields removed after the credentials were added: a violation may take them away.
    pub without: &'o [String],
    /// The documented query parameters that are sent.
    pub asked: Map<String, Value>,
    /// What else the query string says.
    pub query: &'o [(String, String)],
    /// The token of a Bearer header, if one is sent.
    pub token: Option<&'o str>,
    /// The body as it is, instead of the fields; empty = none.
    pub body: Option<&'o str>,
    /// Where tokens are kept that the target hands out.
    pub vault: &'o Arc<Vault>,
}

impl Outgoing<'_> {
    /// The fields of the body, credentials among them.
    pub(crate) fn body_fields(&self) -> Map<String, Value> {
        let mut fields = self.fields.clone();
        if let Some(credential) = self.credential {
            // A part that stands in the path or the query is there already. What the step says itself wins:
            // a violation may need a credential field of its own.
            for (field, part) in self.operation.credentials.in_body(self.operation) {
                if let Some(value) = credential.get(part) {
                    fields.entry(field.clone()).or_insert_with(|| value.clone().into());
                }
            }
        }
        fields.retain(|field, _| !self.without.contains(field));
        fields
    }
}

impl Transport {
    /// A transport for a target. The error says what of the target's settings can't be used.
    pub fn new(target: &Target) -> Result<Self, String> {
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(target.timeout)
            .connect_timeout(target.timeout.min(Duration::from_secs(10)))
            .user_agent(USER_AGENT)
            // A body is judged as it was sent, whatever another user of the library (goose) has it unpack.
            .no_gzip();
        if target.is_local() {
            // A proxy of the environment has no business between two processes of one machine.
            builder = builder.no_proxy();
        }
        if let Some(pem) = &target.certificate {
            let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(|e| format!("the certificate can't be used: {e}"))?;
            builder = builder.tls_certs_merge(certificates);
        }
        builder.build().map(|client| Self { client }).map_err(|e| format!("no HTTP client: {e}"))
    }

    /// The client, for the control API of an emulator.
    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.client
    }

    /// Sends a request and records what came of it.
    pub async fn send(&self, outgoing: Outgoing<'_>, recorder: &Arc<Recorder>) -> Exchange {
        self.send_after(outgoing, recorder, std::future::ready(())).await
    }

    /// The same when something has come about: everything is ready by then, so that several leave at the same time.
    pub(crate) async fn send_after(&self, outgoing: Outgoing<'_>, recorder: &Arc<Recorder>, signal: impl Future<Output = ()>) -> Exchange {
        let wire = Wire::of(&outgoing);
        let ready = wire.request(&self.client).map(|request| (wire.record(&outgoing, request.headers(), recorder), request));
        signal.await;
        let started = Instant::now();
        let (request, outcome) = match ready {
            Ok((recorded, request)) => {
                let outcome = self.answer(request, outgoing.operation, &recorded, (recorder, outgoing.vault)).await;
                (recorded, outcome)
            }
            Err(error) => {
                let failure = TransportFailure { kind: TransportFailureKind::Connect, detail: recorder.text(&error.to_string()) };
                (wire.record(&outgoing, &http::HeaderMap::new(), recorder), Outcome::Failed(failure))
            }
        };
        Exchange {
            number: 0,
            arrived: recorder.arrival(),
            direction: Direction::Call,
            operation: outgoing.operation.id.clone(),
            identity: outgoing.identity.to_owned(),
            request,
            outcome,
            elapsed: started.elapsed(),
        }
    }

    async fn answer(
        &self,
        request: reqwest::Request,
        operation: &Operation,
        asked: &Request,
        (recorder, vault): (&Arc<Recorder>, &Arc<Vault>),
    ) -> Outcome {
        let mut response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => return Outcome::Failed(failure(error, recorder)),
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let media_type = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content = operation.content(asked, status, media_type);
        let read = match read_head(&mut response).await {
            Err(error) => Err(ReadError::Broken(error)),
            Ok(Head::Whole(bytes)) => {
                Ok(recorder.answer(&bytes, Received { media_type, content, tells: &operation.tells, request: asked, vault }))
            }
            Ok(Head::Beginning(head)) => {
                let long = Long { operation, content, media_type, asked };
                long.read(head, response, recorder, vault).await
            }
        };
        match read {
            Ok(body) => Outcome::Answer(Answer { status, headers: recorder.headers(&headers, vault), body }),
            Err(ReadError::TooLarge) => Outcome::Failed(TransportFailure {
                kind: TransportFailureKind::TooLarge,
                detail: format!("more than {} bytes; the rest was not read", operation.largest),
            }),
            Err(ReadError::Broken(error)) => Outcome::Failed(failure(error, recorder)),
            Err(ReadError::Fault(detail)) => Outcome::Failed(TransportFailure { kind: TransportFailureKind::Broken, detail }),
        }
    }
}

enum ReadError {
    TooLarge,
    Broken(reqwest::Error),
    /// A fault of the reader itself.
    Fault(String),
}

/// How a body begins.
enum Head {
    Whole(BytesMut),
    Beginning(BytesMut),
}

/// Reads a body until it ends, or is longer than most are.
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

/// An answer that is longer than most are.
struct Long<'l> {
    operation: &'l Operation,
    content: Option<&'l Content>,
    media_type: Option<&'l str>,
    asked: &'l Request,
}

impl Long<'_> {
    /// Judges the answer in a thread of its own while it is received, so that it is never whole in memory.
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
        let (content, tells, media_type) = (self.content.cloned(), self.operation.tells.clone(), self.media_type.map(str::to_owned));
        let (outgoing, mut incoming) = incoming::channel();
        let reading = tokio::task::spawn_blocking(move || {
            let received =
                Received { media_type: media_type.as_deref(), content: content.as_ref(), tells: &tells, request: &request, vault: &vault };
            recorder.long_answer(&head, &mut incoming, received)
        });
        let pumped = pump(response, outgoing, self.operation.largest - begun).await;
        let body = reading.await.map_err(|error| ReadError::Fault(format!("the answer could not be judged: {error}")));
        pumped.and(body)
    }
}

/// Hands a body on as it comes. It ends early where nobody wants more.
async fn pump(mut response: reqwest::Response, mut outgoing: incoming::Outgoing, most: usize) -> Result<(), ReadError> {
    let mut size = 0;
    while let Some(chunk) = response.chunk().await.map_err(ReadError::Broken)? {
        size += chunk.len();
        if size > most {
            return Err(ReadError::TooLarge);
        }
        if !outgoing.send(&chunk).await {
            return Ok(());
        }
    }
    outgoing.flush().await;
    Ok(())
}

/// Why there is no whole answer, in the words of the library.
pub(crate) fn failure(error: reqwest::Error, recorder: &Recorder) -> TransportFailure {
    let kind = if error.is_timeout() {
        TransportFailureKind::Timeout
    } else if error.is_connect() {
        TransportFailureKind::Connect
    } else {
        TransportFailureKind::Broken
    };
    // The address is in the recorded request already; the chain of causes says what happened.
    let error = error.without_url();
    let mut detail = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        detail.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    TransportFailure { kind, detail: recorder.text(&detail) }
}

/// A request as bytes.
pub(crate) struct Wire<'w> {
    method: &'w str,
    accept: &'w str,
    url: String,
    media_type: Option<&'static str>,
    body: String,
    authorization: Option<Header>,
}

/// An `Authorization` header.
enum Header {
    Basic(String, String),
    Bearer(String),
}

impl<'w> Wire<'w> {
    pub(crate) fn of(outgoing: &Outgoing<'w>) -> Self {
        let fields = outgoing.body_fields();
        let authorization = match (&outgoing.operation.credentials.header, outgoing.credential) {
            (Authorization::Basic { username, password }, Some(credential)) => {
                credential.get(username).cloned().zip(credential.get(password).cloned()).map(|(user, secret)| Header::Basic(user, secret))
            }
            (Authorization::Bearer(_), _) => outgoing.token.map(|token| Header::Bearer(token.to_owned())),
            (Authorization::None | Authorization::Basic { .. }, _) => None,
        };
        let (media_type, body) = encode(outgoing.operation.request.as_ref(), &fields);
        let body = outgoing.body.map_or(body, str::to_owned);
        let media_type = media_type.filter(|_| !body.is_empty());
        let asked: Vec<_> = outgoing.asked.iter().filter_map(|(name, value)| Some((name.as_str(), text_of(value)?))).collect();
        let asked = asked.iter().map(|(name, value)| (*name, value.as_str()));
        let query = encode_form(asked.chain(outgoing.query.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
        let mark = if query.is_empty() { "" } else { "?" };
        let url = format!("{}{}{mark}{query}", outgoing.base.as_str().trim_end_matches('/'), outgoing.path);
        let accept = accepted(outgoing.operation);
        Self { method: &outgoing.operation.method, accept, url, media_type, body, authorization }
    }

    fn request(&self, client: &reqwest::Client) -> Result<reqwest::Request, reqwest::Error> {
        let method = self.method.parse().unwrap_or(reqwest::Method::POST);
        let mut builder = client.request(method, self.url.as_str()).header(http::header::ACCEPT, self.accept);
        builder = match &self.authorization {
            Some(Header::Basic(username, password)) => builder.basic_auth(username, Some(password)),
            Some(Header::Bearer(token)) => builder.bearer_auth(token),
            None => builder,
        };
        if let Some(media_type) = self.media_type {
            builder = builder.header(http::header::CONTENT_TYPE, media_type).body(self.body.clone());
        }
        builder.build()
    }

    /// The same for hyper, without the headers that say who sends it. None where it can't be sent at all.
    pub(crate) fn plain(&self) -> Option<http::Request<Full<Bytes>>> {
        let authorization = match &self.authorization {
            Some(Header::Basic(username, password)) => Some(format!("Basic {}", BASE64.encode(format!("{username}:{password}")))),
            Some(Header::Bearer(token)) => Some(format!("Bearer {token}")),
            None => None,
        };
        let url = Url::parse(&self.url).ok()?;
        let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
        let mut builder = http::Request::builder().method(self.method).uri(target).header(http::header::HOST, host);
        builder = builder.header(http::header::ACCEPT, self.accept).header(http::header::USER_AGENT, USER_AGENT);
        if let Some(authorization) = authorization {
            builder = builder.header(http::header::AUTHORIZATION, authorization);
        }
        if let Some(media_type) = self.media_type {
            builder = builder.header(http::header::CONTENT_TYPE, media_type);
        }
        let body = if self.media_type.is_some() { Bytes::from(self.body.clone()) } else { Bytes::new() };
        builder.body(Full::new(body)).ok()
    }

    pub(crate) fn record(&self, outgoing: &Outgoing<'_>, headers: &http::HeaderMap, recorder: &Recorder) -> Request {
        let content = outgoing.operation.request.as_ref();
        let coding = content.map_or(Coding::Other, |c| c.coding);
        Request {
            method: outgoing.operation.method.clone(),
            url: recorder.text(&self.url),
            path: outgoing.parameters.clone(),
            query: outgoing.asked.clone(),
            headers: recorder.headers(headers, outgoing.vault),
            body: recorder.body(self.body.as_bytes(), coding, content),
        }
    }
}

/// What an answer may be: the documented media type, where there is only one.
fn accepted(operation: &Operation) -> &str {
    match operation.answer.as_slice() {
        [only] => &only.media_type,
        _ => "*/*",
    }
}

/// Media type and text of a body in the coding of its contract.
pub(crate) fn encode(content: Option<&Content>, fields: &Map<String, Value>) -> (Option<&'static str>, String) {
    match content.map(|c| c.coding) {
        None | Some(Coding::Other) => (None, String::new()),
        Some(Coding::Json) => (Some("application/json"), Value::Object(fields.clone()).to_string()),
        Some(Coding::Form) => {
            // A mapping has no spelling in a form; its JSON text is what a careless client would send.
            let texts: Vec<(&str, String)> =
                fields.iter().map(|(name, value)| (name.as_str(), text_of(value).unwrap_or_else(|| value.to_string()))).collect();
            (Some("application/x-www-form-urlencoded"), encode_form(texts.iter().map(|(k, v)| (*k, v.as_str()))))
        }
    }
}

#[cfg(test)]
mod tests;
