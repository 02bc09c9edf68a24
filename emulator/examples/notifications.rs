//! How many notifications a second? `bench/notifications.sh` runs this twice, on two cores.
//!
//! `notifications inbox` is a merchant's endpoint; it prints its address, takes notifications, and reports at `GET /` how
//! many there were, and about how many payments. `notifications push URL COUNT` creates COUNT payments in a virtual
//! world and lets them all expire at once.
#![allow(clippy::print_stdout)]

use std::cell::RefCell;
use std::collections::HashSet;
use std::convert::Infallible;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use emulator::{AppState, MerchantSettings, RetrySettings, WorldSettings, app};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::LocalSet;
use tower::ServiceExt as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["inbox"] => LocalSet::new().run_until(inbox()).await,
        ["push", url, count] => push(url, count.parse()?).await,
        _ => Err("notifications inbox | notifications push URL COUNT".into()),
    }
}

#[derive(Default)]
struct Received {
    count: usize,
    /// Payment codes, as they stand in the bodies.
    about: HashSet<Bytes>,
}

async fn inbox() -> Outcome<()> {
    let received = Rc::new(RefCell::new(Received::default()));
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    println!("http://{}/", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let received = Rc::clone(&received);
        let service = service_fn(move |request| receive(Rc::clone(&received), request));
        tokio::task::spawn_local(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn receive(received: Rc<RefCell<Received>>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.method() == Method::GET {
        let received = received.borrow();
        return Ok(Response::new(format!("{} {}", received.count, received.about.len()).into()));
    }
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let mut received = received.borrow_mut();
    received.count += 1;
    received.about.insert(body.slice(..body.len().min(r#"{"transId":"AB12-CD34-EF56""#.len())));
    Ok(Response::default())
}

async fn push(url: &str, count: usize) -> Outcome<()> {
    let merchant = MerchantSettings { notification_url: Some(url.to_owned()), ..MerchantSettings::named("100001") };
    // A lost notification is to be seen, not repeated.
    let retry = RetrySettings { attempts: 1, ..RetrySettings::default() };
    let emulator = app(AppState::new(WorldSettings { merchants: vec![merchant], retry, ..WorldSettings::default() })?);
    let order = concat!(
        r#"{"price":10000,"curr":"CZK","label":"Shoes","refId":"2026001","method":"ALL","email":"jan@example.com","#,
        r#""fullName":"Jan Novak","expirationTime":"30m"}"#
    );
    for _ in 0..count {
        post(&emulator, "/v2.0/payment.json", order).await?;
    }
    let start = Instant::now();
    post(&emulator, "/__emulator/worlds/default/actions/clock.advances", r#"{"seconds":1800}"#).await?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{:.0}", count as f64 / seconds);
    Ok(())
}

async fn post(emulator: &Router, path: &str, body: &'static str) -> Outcome<()> {
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, "Basic MTAwMDAxOnNlY3JldC0xMDAwMDE=")
        .body(Body::from(body))?;
    let response = emulator.clone().oneshot(request).await?;
    if response.status() == StatusCode::OK { Ok(()) } else { Err(format!("{path} answered {}", response.status()).into()) }
}
