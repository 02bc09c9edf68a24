//! A gateway with a single call: the test supplies the response to each creation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// The longest wait of a test; a test that waits longer fails.
const WATCHDOG: Duration = Duration::from_secs(300);

/// A response and its earliest time.
pub struct Reply {
    pub body: Value,
    pub not_before: Option<Instant>,
}

/// A documented response to the creation with this number.
pub fn created(number: u64) -> Value {
    json!({"code": 0, "message": "OK", "transId": format!("SRVR-{number:08}"), "redirect": format!("http://pay.example/{number}")})
}

/// A documented refusal.
pub fn refused() -> Value {
    json!({"code": 1500, "message": "unexpected error"})
}

/// A gateway; it ends when it is dropped.
pub struct Server {
    pub url: String,
    asked: watch::Receiver<u64>,
    server: JoinHandle<()>,
}

impl Server {
    /// Starts a gateway. The first call has number 1.
    pub async fn start(reply: impl Fn(u64) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (asking, asked) = watch::channel(0);
        let server = tokio::spawn(serve(listener, Arc::new(asking), Arc::new(reply)));
        Self { url, asked, server }
    }

    /// A gateway that responds at once with these bodies.
    pub async fn responding(body: impl Fn(u64) -> Value + Send + Sync + 'static) -> Self {
        Self::start(move |number| Reply { body: body(number), not_before: None }).await
    }

    /// A gateway whose responses are documented and delayed by this time.
    pub async fn slow(after: Duration) -> Self {
        Self::start(move |number| Reply { body: created(number), not_before: Some(Instant::now() + after) }).await
    }

    /// The number of calls received.
    pub fn asked(&self) -> u64 {
        *self.asked.borrow()
    }

    /// Waits until this number of calls was received.
    pub async fn was_asked(&self, calls: u64) {
        let mut asked = self.asked.clone();
        let waiting = asked.wait_for(|asked| *asked >= calls);
        tokio::time::timeout(WATCHDOG, waiting).await.expect("the calls never came").unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve<R: Fn(u64) -> Reply + Send + Sync + 'static>(listener: TcpListener, asked: Arc<watch::Sender<u64>>, reply: Arc<R>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let (asked, reply) = (Arc::clone(&asked), Arc::clone(&reply));
        let service = hyper::service::service_fn(move |request: http::Request<hyper::body::Incoming>| {
            let (asked, reply) = (Arc::clone(&asked), Arc::clone(&reply));
            async move {
                let _ = request.into_body().collect().await;
                let mut number = 0;
                asked.send_modify(|asked| {
                    *asked += 1;
                    number = *asked;
                });
                let Reply { body, not_before } = reply(number);
                if let Some(moment) = not_before {
                    tokio::time::sleep_until(moment.into()).await;
                }
                let response = Response::builder().header("content-type", "application/json");
                Ok::<_, Infallible>(response.body(Full::new(Bytes::from(body.to_string()))).unwrap())
            }
        });
        connections.spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
