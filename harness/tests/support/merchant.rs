//! A small merchant: accepts notifications, calls the status at the gateway, hands goods over once. A `Flaw` makes it
//! break one rule.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use harness::wire::exchange::{Coding, Decoded};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use url::Url;

/// What the merchant does differently: a defect, or another conforming way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    None,
    /// Acknowledges, but by another of the documented statuses.
    Answers(u16),
    NeverAcknowledges,
    Responds203,
    IssuesOnEveryDuplicate,
    TrustsThePush,
    IgnoresJson,
    IssuesOnAWrongSecret,
    CrashesOnMalformed,
    IssuesForCancelled,
    IssuesForUnknown,
    NeverAnswers,
    /// Calls the status with the merchant and the secret of the notification.
    UsesTheSendersCredentials,
    /// Asks for the status of each payment once.
    RemembersTheStatus,
    /// Takes an authorized payment as finished.
    AuthorizedIsFinal,
    /// Acknowledges although the status call failed, and never asks again.
    AcknowledgesAFailedStatus,
    /// Takes a payment whose state it can't read as paid.
    NoStateIsPaid,
    /// Conforming: acknowledges although the status call failed, and asks again by itself.
    AsksAgainByItself,
    /// Conforming: responds to malformed notifications with an error of its own.
    FailsOnMalformed,
    /// Conforming: ends the connection of malformed notifications without a response.
    HangsUpOnMalformed,
    /// Conforming: never responds to malformed notifications.
    IsSilentOnMalformed,
}

/// A merchant that runs until it is dropped.
pub struct Merchant {
    pub url: Url,
    pub orders: PathBuf,
    shop: Arc<Shop>,
    server: tokio::task::JoinHandle<()>,
}

struct Shop {
    flaw: Flaw,
    credential: (String, String),
    gateway: OnceLock<String>,
    client: reqwest::Client,
    issued: Mutex<BTreeMap<String, u64>>,
    known: Mutex<BTreeMap<String, String>>,
    orders: PathBuf,
    crashed: Notify,
}

/// The connection ends without a response.
#[derive(Debug)]
struct HangUp;

impl std::fmt::Display for HangUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hung up")
    }
}

impl std::error::Error for HangUp {}

impl From<Infallible> for HangUp {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl Merchant {
    /// Starts the merchant; it writes its orders to `folder`.
    pub async fn start(flaw: Flaw, (merchant, secret): (&str, &str), folder: &std::path::Path) -> Self {
        let orders = folder.join("orders.json");
        std::fs::write(&orders, "{}").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/notify", listener.local_addr().unwrap())).unwrap();
        let shop = Arc::new(Shop {
            flaw,
            credential: (merchant.to_owned(), secret.to_owned()),
            gateway: OnceLock::new(),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            issued: Mutex::default(),
            known: Mutex::default(),
            orders: orders.clone(),
            crashed: Notify::new(),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&shop)));
        Self { url, orders, shop, server }
    }

    /// Sets the gateway for status calls.
    pub fn use_gateway(&self, gateway: &str) {
        self.shop.gateway.set(gateway.to_owned()).unwrap();
    }
}

impl Drop for Merchant {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, shop: Arc<Shop>) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shop.crashed.notified() => return,
        };
        let Ok((stream, _)) = accepted else { return };
        let shop = Arc::clone(&shop);
        connections.spawn(async move {
            let service = hyper::service::service_fn(|request| Arc::clone(&shop).receive(request));
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

impl Shop {
    async fn receive(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, HangUp> {
        match self.flaw {
            Flaw::NeverAcknowledges => return response(500),
            Flaw::Responds203 => return response(203),
            Flaw::NeverAnswers => return std::future::pending().await,
            _ => {}
        }
        let (head, body) = request.into_parts();
        let media_type = head.headers.get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let Ok(body) = body.collect().await else { return self.malformed().await };
        match (head.method.as_str(), Decoded::decode(Coding::from_media_type(&media_type), &body.to_bytes())) {
            ("POST", Decoded::Value(value, faults)) if faults.is_empty() => {
                self.notified(Coding::from_media_type(&media_type), &value).await
            }
            ("POST", Decoded::Value(value, _)) if self.flaw == Flaw::NoStateIsPaid => {
                self.issue(value.get("transId").and_then(Value::as_str).unwrap_or_default());
                response(200)
            }
            _ => self.malformed().await,
        }
    }

    async fn malformed(&self) -> Result<Response<Full<Bytes>>, HangUp> {
        match self.flaw {
            Flaw::CrashesOnMalformed => {
                self.crashed.notify_one();
                Err(HangUp)
            }
            Flaw::HangsUpOnMalformed => Err(HangUp),
            Flaw::IsSilentOnMalformed => std::future::pending().await,
            Flaw::FailsOnMalformed => response(500),
            _ => response(400),
        }
    }

    async fn notified(&self, coding: Coding, message: &Value) -> Result<Response<Full<Bytes>>, HangUp> {
        let text = |field: &str| message.get(field).and_then(Value::as_str);
        let (Some(id), Some(secret), Some(status)) = (text("transId"), text("secret"), text("status")) else {
            if self.flaw == Flaw::NoStateIsPaid && text("status").is_none() {
                self.issue(text("transId").unwrap_or_default());
            }
            return self.malformed().await;
        };
        if self.flaw == Flaw::IgnoresJson && coding == Coding::Json {
            return response(200);
        }
        if secret != self.credential.1 && self.flaw != Flaw::UsesTheSendersCredentials {
            if self.flaw == Flaw::IssuesOnAWrongSecret {
                self.issue(id);
            }
            return response(403);
        }
        let real = match self.flaw {
            Flaw::TrustsThePush => status.to_owned(),
            Flaw::UsesTheSendersCredentials => self.status_as((text("merchant").unwrap_or_default(), secret), id).await,
            Flaw::RemembersTheStatus | Flaw::AuthorizedIsFinal if self.known(id).is_some() => self.known(id).unwrap(),
            _ => self.status(id).await,
        };
        if real == "AUTHORIZED" || (self.flaw == Flaw::RemembersTheStatus && real != "ERROR") {
            self.known.lock().unwrap().insert(id.to_owned(), real.clone());
        }
        let real = match (real.as_str(), self.flaw) {
            ("ERROR", Flaw::AcknowledgesAFailedStatus) => real,
            ("ERROR", Flaw::AsksAgainByItself) => self.status(id).await,
            ("ERROR", _) => return response(503),
            _ => real,
        };
        match (real.as_str(), self.flaw) {
            ("PAID", _) | ("CANCELLED", Flaw::IssuesForCancelled) | ("UNKNOWN", Flaw::IssuesForUnknown) => self.issue(id),
            _ => {}
        }
        if let Flaw::Answers(status) = self.flaw { response(status) } else { response(200) }
    }

    fn known(&self, id: &str) -> Option<String> {
        self.known.lock().unwrap().get(id).cloned()
    }

    /// The state that the gateway reports: `UNKNOWN` for a payment that it does not know, `ERROR` if the call failed.
    async fn status(&self, id: &str) -> String {
        self.status_as((&self.credential.0, &self.credential.1), id).await
    }

    async fn status_as(&self, (merchant, secret): (&str, &str), id: &str) -> String {
        let url = format!("{}/v2.0/payment/transId/{id}.json", self.gateway.get().unwrap());
        let response = self.client.get(url).basic_auth(merchant, Some(secret)).send().await.unwrap().text().await.unwrap();
        let response: Value = serde_json::from_str(&response).unwrap();
        let unknown = if response["code"] == 1400 { "UNKNOWN" } else { "ERROR" };
        response.get("status").and_then(Value::as_str).unwrap_or(unknown).to_owned()
    }

    fn issue(&self, id: &str) {
        let mut issued = self.issued.lock().unwrap();
        let times = issued.entry(id.to_owned()).or_default();
        *times = if self.flaw == Flaw::IssuesOnEveryDuplicate { *times + 1 } else { 1 };
        std::fs::write(&self.orders, serde_json::to_string(&*issued).unwrap()).unwrap();
    }
}

fn response(status: u16) -> Result<Response<Full<Bytes>>, HangUp> {
    Ok(Response::builder().status(status).body(Full::default()).unwrap())
}
