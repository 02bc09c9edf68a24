//! A proxy between the harness and an emulator, in both directions: calls and their answers, and
//! notifications on their way to the inbox. It changes what passes; calls of the control API pass untouched.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;

type Body = BoxBody<Bytes, io::Error>;

/// What a proxy remembers between messages.
pub type Memory = Mutex<HashMap<String, String>>;

/// What is done to what passes.
#[derive(Clone, Copy, Default)]
pub struct Tamper {
    /// To an answer.
    pub answer: Option<fn(&Asked<'_>, &mut Message)>,
    /// To a notification.
    pub push: Option<fn(&Memory, &mut Push)>,
    /// Answers itself; such a call never gets to the emulator.
    pub instead: Option<fn(&Asked<'_>) -> Option<Message>>,
    /// Other words for the same things, in everything that passes.
    pub words: Option<Words>,
    /// Notifications are kept back until the next status call.
    pub late: bool,
    /// Header names `Like-This`.
    pub title_case: bool,
    /// What it remembers from the beginning.
    pub fact: Option<(&'static str, &'static str)>,
    /// How long the harness waits for an answer, where it matters.
    pub timeout: Option<Duration>,
}

/// A translation there and back.
#[derive(Clone, Copy)]
pub struct Words {
    /// What the harness says → what the emulator says.
    pub inward: fn(&str) -> String,
    /// What the emulator says → what the harness hears.
    pub outward: fn(&str) -> String,
}

/// A call, as far as a tamperer needs to know it.
pub struct Asked<'a> {
    /// `gateway.v1.create`.
    pub operation: &'static str,
    /// Path parameters and body fields.
    pub fields: Map<String, Value>,
    /// Merchant and secret, wherever they stood.
    pub credentials: (String, String),
    /// What the proxy remembers.
    pub memory: &'a Memory,
}

/// A body with its head.
#[derive(Clone)]
pub struct Message {
    /// HTTP status; of a notification, what the gateway is told in the end (0 = what the inbox says).
    pub status: u16,
    pub headers: HeaderMap,
    /// The body's fields, in order.
    pub fields: Map<String, Value>,
    /// The body as it is, instead of the fields.
    pub raw: Option<Vec<u8>>,
    pub ending: Ending,
    form: bool,
}

/// How an answer ends.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Ending {
    #[default]
    Whole,
    /// In pieces of unknown number.
    Chunked,
    /// In the middle.
    Cut,
    /// Before it began.
    Reset,
    /// Never.
    Never,
}

/// A notification on its way, and what becomes of it.
pub struct Push {
    pub message: Message,
    /// How often it is delivered.
    pub times: usize,
    /// `POST`.
    pub method: &'static str,
    /// Delivered besides.
    pub besides: Vec<Message>,
}

impl Asked<'_> {
    /// Whether this is the call: `status` of either version, or `v2.status`.
    pub fn is(&self, call: &str) -> bool {
        self.operation.ends_with(&format!(".{call}"))
    }

    pub fn text(&self, field: &str) -> String {
        text_of(self.fields.get(field))
    }

    /// Whether another than the main merchant asks, by identifier or by secret.
    pub fn by_stranger(&self) -> bool {
        self.credentials != (super::MAIN.0.to_owned(), super::MAIN.1.to_owned())
    }

    /// Remembers a fact; false if it was known.
    pub fn first_time(&self, fact: &str) -> bool {
        self.memory.lock().unwrap().insert(fact.to_owned(), String::new()).is_none()
    }
}

impl Message {
    pub fn get(&self, field: &str) -> String {
        text_of(self.fields.get(field))
    }

    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Whether it says that the call succeeded.
    pub fn succeeds(&self) -> bool {
        self.get("code") == "0"
    }

    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }

    pub fn remove(&mut self, field: &str) {
        self.fields.shift_remove(field);
    }

    /// Sets a field that is there.
    pub fn replace(&mut self, field: &str, value: impl Into<Value>) {
        if self.has(field) {
            self.set(field, value);
        }
    }

    pub fn raw(&mut self, bytes: impl Into<Vec<u8>>) {
        self.raw = Some(bytes.into());
    }

    pub fn header(&mut self, name: &'static str, value: &str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }

    /// The body's bytes as they are now.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.raw {
            Some(bytes) => bytes.clone(),
            None if self.form => form(&self.fields).into_bytes(),
            None => Value::Object(self.fields.clone()).to_string().into_bytes(),
        }
    }

    pub fn body_text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    /// Turns a refusal into a success: what a gateway without the rule would answer.
    pub fn accept(&mut self) {
        self.status = 200;
        self.set("code", 0);
        self.set("message", "OK");
    }

    /// The same for a creation.
    pub fn accept_creation(&mut self) {
        self.accept();
        self.set("transId", "ZZZZ-0000-0001");
        self.set("redirect", "http://pay.example/ZZZZ-0000-0001");
    }

    /// A payment's status that was never asked for.
    pub fn accept_status(&mut self, trans_id: &str) {
        self.accept();
        let record = json!({
            "test": "true", "price": "10000", "curr": "CZK", "label": "Beach ball", "refId": "order-1001",
            "email": "payer@example.com", "transId": trans_id, "status": "PENDING",
        });
        self.fields.extend(record.as_object().unwrap().clone());
    }

    /// Turns a success into an error.
    pub fn refuse(&mut self, code: i64) {
        self.fields = Map::from_iter([("code".to_owned(), code.into()), ("message".to_owned(), "refused".into())]);
    }

    /// A JSON or form body of another coding.
    pub fn as_json(&mut self) {
        self.form = false;
        self.header("content-type", "application/json");
    }

    pub fn as_form(&mut self) {
        self.form = true;
        self.header("content-type", "application/x-www-form-urlencoded");
    }

    pub fn is_form(&self) -> bool {
        self.form
    }

    fn json(status: u16, fields: Value) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let fields = fields.as_object().unwrap().clone();
        Self { status, headers, fields, raw: None, ending: Ending::Whole, form: false }
    }

    /// An answer of the coding that the call's version has.
    pub fn answer_to(asked: &Asked<'_>, fields: Value) -> Self {
        let mut message = Self::json(200, fields);
        if asked.operation.contains(".v1.") {
            message.as_form();
        }
        message
    }

    fn read(status: u16, headers: HeaderMap, bytes: &[u8]) -> Self {
        let media_type = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let form = media_type.starts_with("application/x-www-form-urlencoded");
        let fields = if form {
            harness::exchange::decode_form(bytes).ok().map(|(fields, _)| fields)
        } else {
            serde_json::from_slice::<Value>(bytes).ok().and_then(|v| v.as_object().cloned())
        };
        let raw = fields.is_none().then(|| bytes.to_vec());
        Self { status, headers, fields: fields.unwrap_or_default(), raw, ending: Ending::Whole, form }
    }
}

/// A form, every reserved character escaped.
pub fn form(fields: &Map<String, Value>) -> String {
    let texts: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), text_of(Some(value)))).collect();
    harness::exchange::encode_form(texts.iter().map(|(name, value)| (*name, value.as_str())))
}

fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A running proxy; it ends when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    emulator: SocketAddr,
    inbox: OnceLock<SocketAddr>,
    tamper: Tamper,
    memory: Memory,
    kept_back: Mutex<Vec<(String, Push)>>,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Proxy {
    pub async fn start(emulator: SocketAddr, tamper: Tamper) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            emulator,
            inbox: OnceLock::new(),
            tamper,
            memory: Mutex::new(tamper.fact.map(|(key, value)| (key.to_owned(), value.to_owned())).into_iter().collect()),
            kept_back: Mutex::default(),
            client: Client::builder(TokioExecutor::new()).build_http(),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self { address, shared, server }
    }

    pub fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).unwrap()
    }

    /// What the target file gives as the public address of the inbox.
    pub fn inbox_url(&self) -> Url {
        Url::parse(&format!("http://{}/inbox", self.address)).unwrap()
    }

    pub fn lead_to_inbox(&self, inbox: SocketAddr) {
        self.shared.inbox.set(inbox).expect("one inbox per proxy");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let service = hyper::service::service_fn(|request| {
                let shared = Arc::clone(&shared);
                async move { shared.pass(request).await }
            });
            let mut server = hyper::server::conn::http1::Builder::new();
            let _ = server.title_case_headers(shared.tamper.title_case).serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The connection ends without an answer.
type Passed = Result<Response<Body>, io::Error>;

impl Shared {
    async fn pass(&self, request: Request<Incoming>) -> Passed {
        let (head, body) = request.into_parts();
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        match head.uri.path().strip_prefix("/inbox/") {
            Some(mailbox) => self.notification(mailbox, &head.headers, &bytes).await,
            None => self.call(&head, &bytes).await,
        }
    }

    async fn call(&self, head: &http::request::Parts, bytes: &Bytes) -> Passed {
        let path = self.inward(head.uri.path_and_query().map_or("/", |p| p.as_str()));
        let bytes = self.inward_bytes(bytes);
        let asked = self.asked(head, &path, &bytes);
        if let Some(answer) = asked.as_ref().zip(self.tamper.instead).and_then(|(asked, instead)| instead(asked)) {
            return send(answer).await;
        }
        let mut request = Request::builder().method(head.method.clone()).uri(format!("http://{}{path}", self.emulator));
        *request.headers_mut().unwrap() = without_lengths(&head.headers);
        let answer = self.client.request(request.body(Full::new(bytes)).unwrap()).await.map_err(io::Error::other)?;
        let (answered, body) = answer.into_parts();
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let bytes = self.outward_bytes(&bytes);
        let Some(asked) = asked else {
            let headers = without_lengths(&answered.headers);
            return whole(answered.status.as_u16(), headers, bytes.to_vec());
        };
        let mut message = Message::read(answered.status.as_u16(), without_lengths(&answered.headers), &bytes);
        if let Some(tamper) = self.tamper.answer {
            tamper(&asked, &mut message);
        }
        if asked.is("status") {
            let kept: Vec<_> = std::mem::take(&mut *self.kept_back.lock().unwrap());
            for (mailbox, push) in kept {
                self.deliver(&mailbox, &push).await?;
            }
        }
        send(message).await
    }

    fn asked(&self, head: &http::request::Parts, path: &str, bytes: &Bytes) -> Option<Asked<'_>> {
        let below = path.strip_prefix("/w/").and_then(|rest| rest.find('/').map(|at| &rest[at..])).unwrap_or(path);
        let below = below.split('?').next().unwrap_or(below);
        let by_preauth = below.strip_prefix("/v2.0/preauth/transId/").and_then(|rest| rest.strip_suffix(".json"));
        let by_path = below.strip_prefix("/v2.0/payment/transId/").and_then(|rest| rest.strip_suffix(".json"));
        let operation = match (head.method.as_str(), below) {
            ("POST", "/v1.0/create") => "gateway.v1.create",
            ("POST", "/v1.0/status") => "gateway.v1.status",
            ("POST", "/v1.0/cancel") => "gateway.v1.cancel",
            ("POST", "/v1.0/refund") => "gateway.v1.refund",
            ("POST", "/v1.0/recurring") => "gateway.v1.recurring",
            ("POST", "/v2.0/recurring.json") => "gateway.v2.recurring",
            ("POST", "/v1.0/refundPos") => "gateway.v1.refundPos",
            ("POST", "/v2.0/refundPos.json") => "gateway.v2.refundPos",
            ("POST", "/v1.0/capturePreauth") => "gateway.v1.capturePreauth",
            ("POST", "/v1.0/cancelPreauth") => "gateway.v1.cancelPreauth",
            ("PUT", _) if by_preauth.is_some() => "gateway.v2.capturePreauth",
            ("DELETE", _) if by_preauth.is_some() => "gateway.v2.cancelPreauth",
            ("POST", "/v2.0/payment.json") => "gateway.v2.create",
            ("POST", "/v2.0/refund.json") => "gateway.v2.refund",
            ("GET", _) if by_path.is_some() => "gateway.v2.status",
            ("DELETE", _) if by_path.is_some() => "gateway.v2.cancel",
            _ => return None,
        };
        let mut fields = Message::read(0, head.headers.clone(), bytes).fields;
        if let Some(id) = by_path {
            fields.insert("transId".to_owned(), id.into());
        }
        let in_body = || (text_of(fields.get("merchant")), text_of(fields.get("secret")));
        let credentials = basic(&head.headers).unwrap_or_else(in_body);
        Some(Asked { operation, fields, credentials, memory: &self.memory })
    }

    async fn notification(&self, mailbox: &str, headers: &HeaderMap, bytes: &Bytes) -> Passed {
        let message = Message::read(0, without_lengths(headers), &self.outward_bytes(bytes));
        let mut push = Push { message, times: 1, method: "POST", besides: Vec::new() };
        if let Some(tamper) = self.tamper.push {
            tamper(&self.memory, &mut push);
        }
        let told = push.message.status;
        let said = if self.tamper.late {
            self.kept_back.lock().unwrap().push((mailbox.to_owned(), push));
            200
        } else {
            self.deliver(mailbox, &push).await?
        };
        whole(if told == 0 { said } else { told }, HeaderMap::new(), Vec::new())
    }

    /// Delivers to the inbox; what it says last is what counts.
    async fn deliver(&self, mailbox: &str, push: &Push) -> Result<u16, io::Error> {
        let mut said = 200;
        let inbox = self.inbox.get().expect("a notification came before there was an inbox");
        for message in push.besides.iter().chain(std::iter::repeat_n(&push.message, push.times)) {
            let mut request = Request::builder().method(push.method).uri(format!("http://{inbox}/{mailbox}"));
            *request.headers_mut().unwrap() = message.headers.clone();
            let request = request.body(Full::new(Bytes::from(message.bytes()))).unwrap();
            said = self.client.request(request).await.map_err(io::Error::other)?.status().as_u16();
        }
        Ok(said)
    }

    fn inward(&self, text: &str) -> String {
        self.tamper.words.map_or_else(|| text.to_owned(), |words| (words.inward)(text))
    }

    fn inward_bytes(&self, bytes: &Bytes) -> Bytes {
        self.translated(bytes, |words| words.inward)
    }

    fn outward_bytes(&self, bytes: &Bytes) -> Bytes {
        self.translated(bytes, |words| words.outward)
    }

    fn translated(&self, bytes: &Bytes, which: fn(Words) -> fn(&str) -> String) -> Bytes {
        match (self.tamper.words, std::str::from_utf8(bytes)) {
            (Some(words), Ok(text)) => Bytes::from(which(words)(text)),
            _ => bytes.clone(),
        }
    }
}

fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let header = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?.to_owned();
    let decoded = String::from_utf8(base64::engine::general_purpose::STANDARD.decode(header).ok()?).ok()?;
    decoded.split_once(':').map(|(merchant, secret)| (merchant.to_owned(), secret.to_owned()))
}

fn without_lengths(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    headers.remove(CONTENT_LENGTH);
    headers.remove(TRANSFER_ENCODING);
    headers
}

async fn send(message: Message) -> Passed {
    let bytes = message.bytes();
    match message.ending {
        Ending::Whole => whole(message.status, message.headers, bytes),
        Ending::Chunked => {
            let pieces: Vec<_> = bytes.chunks(7).map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece)))).collect();
            response(message.status, message.headers, StreamBody::new(futures::stream::iter(pieces)).boxed())
        }
        Ending::Cut => {
            let half = Bytes::copy_from_slice(&bytes[..bytes.len() / 2]);
            let pieces = [Ok(Frame::data(half)), Err(io::Error::other("cut"))];
            response(message.status, message.headers, StreamBody::new(futures::stream::iter(pieces)).boxed())
        }
        Ending::Reset => Err(io::Error::other("reset")),
        Ending::Never => std::future::pending().await,
    }
}

fn whole(status: u16, headers: HeaderMap, bytes: Vec<u8>) -> Passed {
    let body = Full::new(Bytes::from(bytes)).map_err(|never: Infallible| match never {});
    response(status, headers, body.boxed())
}

fn response(status: u16, headers: HeaderMap, body: Body) -> Passed {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    *response.headers_mut() = headers;
    if response.status().is_redirection() {
        response.headers_mut().entry(LOCATION).or_insert(HeaderValue::from_static("/elsewhere"));
    }
    Ok(response)
}
