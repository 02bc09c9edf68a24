//! A test shop as strangers run it: behind a reverse proxy that gives it another host and path, in real time, without a control
//! API that the harness could reach. Payer, cardholder and bank are requests to the shop's own back door.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use emulator::{Config, Emulator, FreedomSettings};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::proxy::{Proxy, Tamper};
use super::{MAIN, OTHER};

/// A reverse proxy that strips one path prefix and puts another in its place. What has not the first is not there.
pub struct ReverseProxy {
    pub address: SocketAddr,
    to: Arc<Mutex<Option<SocketAddr>>>,
    server: JoinHandle<()>,
}

impl ReverseProxy {
    pub async fn start(strips: &'static str, adds: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let to: Arc<Mutex<Option<SocketAddr>>> = Arc::default();
        let behind = Arc::clone(&to);
        let server = tokio::spawn(async move {
            // No connection is kept: on a busy machine the shop may close an idle one just when the next request is written to it.
            let client: Client<HttpConnector, Incoming> = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build_http();
            while let Ok((stream, _)) = listener.accept().await {
                let (client, behind) = (client.clone(), Arc::clone(&behind));
                let service = service_fn(move |request| {
                    let (client, to) = (client.clone(), *behind.lock().unwrap());
                    async move { Ok::<_, hyper::Error>(forward(&client, to, request, strips, adds).await) }
                });
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, to, server }
    }

    /// Where its requests go from now on.
    pub fn leads_to(&self, address: SocketAddr) {
        *self.to.lock().unwrap() = Some(address);
    }
}

impl Drop for ReverseProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

type Body = http_body_util::combinators::BoxBody<Bytes, hyper::Error>;

async fn forward(
    client: &Client<HttpConnector, Incoming>,
    to: Option<SocketAddr>,
    mut request: Request<Incoming>,
    strips: &str,
    adds: &str,
) -> Response<Body> {
    use http_body_util::BodyExt as _;
    let nothing = |status: StatusCode| {
        let body = Full::from("<html>nothing here</html>").map_err(|never| match never {}).boxed();
        Response::builder().status(status).header("content-type", "text/html").body(body).unwrap()
    };
    let asked = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    // The back door is closed from outside.
    let Some(rest) = asked.strip_prefix(strips).filter(|rest| !rest.starts_with("/__")) else { return nothing(StatusCode::NOT_FOUND) };
    let Some(to) = to else { return nothing(StatusCode::BAD_GATEWAY) };
    *request.uri_mut() = format!("http://{to}{adds}{rest}").parse::<Uri>().unwrap();
    request.headers_mut().insert("host", to.to_string().parse().unwrap());
    match client.request(request).await {
        Ok(response) => response.map(|body| body.boxed()),
        Err(_) => nothing(StatusCode::BAD_GATEWAY),
    }
}

/// The parts of two merchants.
pub fn merchant(merchant: &str, secret: &str) -> Value {
    json!({
        "merchant": merchant, "secret": secret,
        "terminal": format!("T{merchant}"), "terminal-secret": format!("{secret}-of-the-terminal"),
        "qr-user": format!("qr-{merchant}"), "qr-password": format!("{secret}-of-qr"),
        "mid": format!("M{merchant}"), "qr-terminal": format!("Q{merchant}"),
        "device-user": format!("device-{merchant}"), "device-password": format!("{secret}-of-devices"),
        "serial": format!("SN{merchant}"), "activation-code": format!("AC{merchant}"),
    })
}

/// A test shop.
pub struct Shop {
    pub emulator: Emulator,
    /// What breaks it, if it is broken.
    broken: Option<Proxy>,
    front: ReverseProxy,
    push: ReverseProxy,
}

impl Shop {
    /// Opens it. `world` is laid over the world's settings, and `freedoms` say what it does where the documents leave a choice.
    pub async fn open(world: Value, freedoms: Option<FreedomSettings>) -> Self {
        Self::open_behind(ReverseProxy::start("/from/shop", "/inner/way").await, world, freedoms).await
    }

    /// Opens it with another proxy before the inbox.
    pub async fn open_behind(push: ReverseProxy, world: Value, freedoms: Option<FreedomSettings>) -> Self {
        let emulator = serve(settings(&push, world), freedoms).await;
        let front = ReverseProxy::start("/shop/api", "").await;
        front.leads_to(emulator.addr());
        Self { emulator, broken: None, front, push }
    }

    /// Opens one that breaks a rule: something between it and its reverse proxies tampers with what it sends and is sent.
    pub async fn open_broken(tamper: Tamper) -> Self {
        let push = ReverseProxy::start("/from/shop", "/inbox").await;
        let mut settings = settings(&push, json!({}));
        if let (Some(tamper), Some(settings)) = (tamper.setting, settings.as_object_mut()) {
            tamper(settings);
        }
        let emulator = serve(settings, None).await;
        let broken = Proxy::start(emulator.addr(), tamper).await;
        let front = ReverseProxy::start("/shop/api", "").await;
        front.leads_to(broken.address());
        push.leads_to(broken.address());
        Self { emulator, broken: Some(broken), front, push }
    }

    /// A target file for it, with drivers for these actions.
    pub fn target_file(&self, actions: &[&str], more: &str) -> String {
        let back_door = self.broken.as_ref().map_or(self.emulator.addr(), Proxy::address);
        let control = format!("http://{back_door}/__emulator/worlds/default/actions");
        let drivers = actions.iter().map(|action| format!("    {action}: {{ url: '{control}/{action}', json: '{{{{ parameters }}}}' }}\n"));
        format!(
            "title: a test shop\nbase: http://{}/shop/api\ncredentials:\n  main: {}\n  other: {}\nnotifications: {{ listen: \"127.0.0.1:0\", \
             public: \"http://{}/from/shop\", within: 10s }}\ntimeout: 60s\npoll-every: 20ms\npoll-within: 5s\nworld:\n  http:\n{}{more}",
            self.front.address,
            merchant(MAIN.0, MAIN.1),
            merchant(OTHER.0, OTHER.1),
            self.push.address,
            drivers.collect::<String>()
        )
    }

    /// Where the shop's notifications end.
    pub fn notifies(&self, inbox: SocketAddr) {
        match &self.broken {
            Some(proxy) => proxy.forward_to_inbox(inbox),
            None => self.push.leads_to(inbox),
        }
    }
}

/// The settings of the shop's world, with `world` laid over them.
fn settings(push: &ReverseProxy, world: Value) -> Value {
    let merchants: Vec<Value> = [MAIN, OTHER]
        .map(|(name, secret)| {
            let mut merchant = merchant(name, secret);
            merchant["notification-url"] = json!(format!("http://{}/from/shop/push", push.address));
            merchant
        })
        .to_vec();
    let mut settings = json!({ "clock": "real", "merchants": merchants, "tolerant": false });
    settings.as_object_mut().unwrap().extend(world.as_object().cloned().unwrap_or_default());
    settings
}

async fn serve(settings: Value, freedoms: Option<FreedomSettings>) -> Emulator {
    Emulator::start(Config { world: serde_json::from_value(settings).unwrap(), freedoms, ..Config::default() }).await.unwrap()
}
