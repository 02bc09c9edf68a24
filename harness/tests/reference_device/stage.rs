//! The stage of a story: a world of the emulator with a clock of its own, and a proxy between it and the device that records
//! every call and injects one fault at a time.

use std::cell::Cell;
use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use emulator::{Config, Emulator, WorldSettings};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, HeaderValue};
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::app::{App, Flaw, POS};

/// A fault in one call.
pub enum Fault {
    /// The proxy sends this response; the emulator never gets the call.
    Answers(u16, Value),
    /// The same, with a body that is not JSON.
    Says(u16, &'static str),
    /// There is never a response.
    Silence,
    /// The connection ends without a response.
    HangsUp,
    /// The emulator responds, but the response is lost.
    LosesTheAnswer,
    /// The body arrives as something else.
    Garbles(&'static str),
    /// The response of the emulator is altered.
    Alters(Box<dyn FnOnce(&mut Value) + Send>),
}

/// A response that is altered.
pub fn altered(change: impl FnOnce(&mut Value) + Send + 'static) -> Fault {
    Fault::Alters(Box::new(change))
}

/// An empty list.
pub const NOTHING: [&str; 0] = [];

/// A call that a device made.
#[derive(Clone, Debug)]
pub struct Call {
    /// `device.config`, as the contracts name it.
    pub name: &'static str,
    pub query: String,
    /// The body; null if there is none, or it is not JSON.
    pub body: Value,
}

/// The stage of one story.
pub struct Stage {
    emulator: Emulator,
    base: String,
    proxy: Arc<FaultProxy>,
    client: reqwest::Client,
    now: Cell<Timestamp>,
    flaw: Option<Flaw>,
    server: JoinHandle<()>,
}

impl Stage {
    /// Opens a stage whose devices have this flaw.
    pub async fn open(flaw: Option<Flaw>) -> Self {
        let world = WorldSettings::default();
        let now = Cell::new(world.start);
        let emulator = Emulator::start(Config { world, ..Config::default() }).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let proxy = Arc::new(FaultProxy {
            emulator: emulator.base_url(),
            client: Client::builder(TokioExecutor::new()).build_http(),
            calls: Mutex::default(),
            faults: Mutex::default(),
            disguise: Mutex::default(),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&proxy)));
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { emulator, base, proxy, client, now, flaw, server }
    }

    /// The time of the world.
    pub fn now(&self) -> Timestamp {
        self.now.get()
    }

    /// Advances the clock.
    pub async fn passes(&self, seconds: i64) {
        let clock = self.world("clock.advances", json!({ "seconds": seconds })).await;
        self.now.set(clock["now"].as_str().unwrap().parse().unwrap());
    }

    /// Performs an action outside the APIs.
    pub async fn world(&self, action: &str, with: Value) -> Value {
        let url = format!("{}/__emulator/worlds/default/actions/{action}", self.emulator.base_url());
        let response = self.client.post(url).header("content-type", "application/json").body(with.to_string()).send().await.unwrap();
        let is_done = response.status().is_success();
        let text = response.text().await.unwrap();
        assert!(is_done, "{action} {with}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The connection of the POS that every world begins with.
    pub async fn connection(&self) -> i64 {
        let listed = self.world("operator.lists", json!({ "merchant": "100001" })).await;
        listed["connections"][0]["connectionId"].as_i64().unwrap()
    }

    /// The operator changes the configuration of that connection.
    pub async fn configures(&self, config: Value) {
        let connection = self.connection().await;
        self.world("operator.changes-config", json!({ "connectionId": connection, "config": config })).await;
    }

    /// Performs an action of the operator on that connection.
    pub async fn operator(&self, action: &str) {
        let connection = self.connection().await;
        self.world(&format!("operator.{action}"), json!({ "connectionId": connection })).await;
    }

    /// The uploads of a device of one kind: `transactions`, `closings` or `logs`.
    pub async fn uploaded(&self, app: &App, kind: &str) -> Vec<Value> {
        let with = json!({ "deviceId": app.memory.device_id });
        let read = self.world(&format!("operator.reads-{kind}"), with).await;
        read[kind].as_array().unwrap().clone()
    }

    /// A freshly installed app.
    pub fn app(&self) -> App {
        App::installed(self.base.clone(), self.flaw)
    }

    /// An app that is activated as a POS and has checked in; the calls so far are forgotten.
    pub async fn device(&self) -> App {
        let mut app = self.app();
        app.start(POS, self.now()).await.unwrap();
        app.check_in(self.now()).await.unwrap();
        self.calls();
        app
    }

    /// Injects a fault into the next call of this name; several faults are injected one after the other.
    pub fn next(&self, name: &'static str, fault: Fault) {
        self.proxy.faults.lock().unwrap().push((name, fault));
    }

    /// Shows device tokens in this form from now on.
    pub fn disguises_device_tokens(&self, shown: &'static str) {
        *self.proxy.disguise.lock().unwrap() = Some(Disguise { shown, real: String::new() });
    }

    /// The calls since the last time this was called.
    pub fn asked(&self) -> Vec<Call> {
        std::mem::take(&mut *self.proxy.calls.lock().unwrap())
    }

    /// Their names.
    pub fn calls(&self) -> Vec<&'static str> {
        self.asked().into_iter().map(|call| call.name).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A device token in another form than the emulator's.
struct Disguise {
    shown: &'static str,
    real: String,
}

/// The proxy between device and emulator.
struct FaultProxy {
    emulator: String,
    client: Client<HttpConnector, Full<Bytes>>,
    calls: Mutex<Vec<Call>>,
    faults: Mutex<Vec<(&'static str, Fault)>>,
    disguise: Mutex<Option<Disguise>>,
}

async fn serve(listener: TcpListener, proxy: Arc<FaultProxy>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let proxy = Arc::clone(&proxy);
        connections.spawn(async move {
            let service = hyper::service::service_fn(|request| {
                let proxy = Arc::clone(&proxy);
                async move { proxy.pass(request).await }
            });
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// An error ends the connection without a response.
type Passed = Result<Response<Full<Bytes>>, io::Error>;

impl FaultProxy {
    async fn pass(&self, request: Request<Incoming>) -> Passed {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let name = name_of(head.method.as_str(), head.uri.path());
        let query = head.uri.query().unwrap_or_default().to_owned();
        self.calls.lock().unwrap().push(Call { name, query, body: serde_json::from_slice(&body).unwrap_or_default() });
        match self.fault(name) {
            None => self.forward(head, body).await,
            Some(Fault::Answers(status, response)) => Ok(respond(status, response.to_string())),
            Some(Fault::Says(status, text)) => Ok(respond(status, text)),
            Some(Fault::Silence) => std::future::pending().await,
            Some(Fault::HangsUp) => Err(io::Error::other("hung up")),
            Some(Fault::LosesTheAnswer) => {
                self.forward(head, body).await?;
                Err(io::Error::other("lost"))
            }
            Some(Fault::Garbles(body)) => self.forward(head, Bytes::from(body)).await,
            Some(Fault::Alters(change)) => {
                let (parts, body) = self.forward(head, body).await?.into_parts();
                let mut response = serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap();
                change(&mut response);
                Ok(respond(parts.status.as_u16(), response.to_string()))
            }
        }
    }

    fn fault(&self, name: &str) -> Option<Fault> {
        let mut faults = self.faults.lock().unwrap();
        let at = faults.iter().position(|(of, _)| *of == name)?;
        Some(faults.remove(at).1)
    }

    async fn forward(&self, mut head: Parts, body: Bytes) -> Passed {
        self.unmask(&mut head);
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::builder().method(head.method.clone()).uri(format!("{}{path}", self.emulator));
        head.headers.remove(CONTENT_LENGTH);
        *request.headers_mut().unwrap() = head.headers;
        let response = self.client.request(request.body(Full::new(body)).unwrap()).await.map_err(io::Error::other)?;
        let (mut parts, body) = response.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        // The length belongs to the original body.
        parts.headers.remove(CONTENT_LENGTH);
        Ok(Response::from_parts(parts, Full::new(self.masked(body))))
    }

    fn masked(&self, body: Bytes) -> Bytes {
        let mut disguise = self.disguise.lock().unwrap();
        let (Some(disguise), Ok(mut response)) = (disguise.as_mut(), serde_json::from_slice::<Value>(&body)) else { return body };
        let Some(token) = response.get_mut("deviceToken") else { return body };
        disguise.real = std::mem::replace(token, disguise.shown.into()).as_str().unwrap().to_owned();
        response.to_string().into()
    }

    fn unmask(&self, head: &mut Parts) {
        let disguise = self.disguise.lock().unwrap();
        let Some(disguise) = disguise.as_ref() else { return };
        let shown = format!("Bearer {}", disguise.shown);
        if head.headers.get(AUTHORIZATION).is_some_and(|authorization| *authorization == *shown) {
            let real = HeaderValue::from_str(&format!("Bearer {}", disguise.real)).unwrap();
            head.headers.insert(AUTHORIZATION, real);
        }
    }
}

fn respond(status: u16, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    Response::builder().status(status).header("content-type", "application/json").body(Full::new(body.into())).unwrap()
}

fn name_of(method: &str, path: &str) -> &'static str {
    let below = path.strip_prefix("/pos/").unwrap_or_default();
    match (method, below) {
        ("POST", "pokladna-api/activate") => "device.activate",
        ("POST", "pokladna-api/authenticate") => "device.authenticate",
        ("GET", "pokladna-api/config") => "device.config",
        ("GET", "pokladna-api/transactions") => "device.payment-codes",
        ("POST", "pokladna-api/transactions") => "device.transactions",
        ("POST", "pokladna-api/closings") => "device.closings",
        ("POST", "pokladna-api/logs") => "device.logs",
        ("GET", "pokladna-api/catalog") => "device.catalog",
        ("POST", "auth-api/authenticate") => "qr.authenticate",
        ("POST", "qr-api/methods") => "qr.methods",
        ("POST", "qr-api/payment") => "qr.create",
        ("POST", _) if below.ends_with("/extend") => "qr.extend",
        ("POST", _) if below.ends_with("/refund") => "qr.refund.create",
        ("GET", _) if below.starts_with("qr-api/logo/") => "logo",
        ("GET", _) if below.starts_with("qr-api/payment/") => "qr.status",
        _ => panic!("no device calls {method} {path}"),
    }
}
