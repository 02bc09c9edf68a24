//! How much memory do finished payments take? `bench/memory.sh` runs this.
//!
//! `memory COUNT [KEEP]` creates and pays COUNT payments in one world, notified to an endpoint in this process, and
//! prints the resident memory after every tenth of them. With KEEP, finished payments beyond the newest KEEP are
//! forgotten.
#![allow(clippy::print_stdout)]

use std::convert::Infallible;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use emulator::{AppState, MerchantSettings, WorldSettings, app};
use http::{Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error>>;

const ORDER: &str = concat!(
    r#"{"price":10000,"curr":"CZK","label":"Shoes","refId":"2026001","method":"ALL","email":"jan@example.com","#,
    r#""fullName":"Jan Novak"}"#
);

/// Notifications that may be under way.
const UNDER_WAY: usize = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let (count, keep) = match numbers.as_slice() {
        [count] => (*count, None),
        [count, keep] => (*count, Some(*keep)),
        _ => return Err("memory COUNT [KEEP]".into()),
    };
    let received = Arc::default();
    let merchant = MerchantSettings { notification_url: Some(inbox(&received).await?), ..MerchantSettings::named("100001") };
    let world = WorldSettings { merchants: vec![merchant], keep_finished: keep, ..WorldSettings::default() };
    let emulator = app(AppState::new(world)?);
    println!("{:>9} payments {:>7.1} MB", 0, resident()?);
    let start = Instant::now();
    for number in 1..=count {
        journey(&emulator).await?;
        // Notifications under way are memory too, but not what is asked here.
        while received.load(Ordering::Relaxed) + UNDER_WAY < number {
            tokio::task::yield_now().await;
        }
        if number % (count / 10).max(1) == 0 {
            println!("{number:>9} payments {:>7.1} MB", resident()?);
        }
    }
    println!("{:.0} payments a second, created, paid, notified, asked", count as f64 / start.elapsed().as_secs_f64());
    Ok(())
}

/// Created, paid, notified, asked.
async fn journey(emulator: &Router) -> Outcome<()> {
    let created: Value = serde_json::from_slice(&post(emulator, "/v2.0/payment.json", ORDER.to_owned()).await?)?;
    let payment = created.get("transId").and_then(Value::as_str).ok_or("no transId")?;
    post(emulator, "/__emulator/worlds/default/actions/payer.pays", format!(r#"{{"transId":"{payment}"}}"#)).await?;
    let status = Request::get(format!("/v2.0/payment/transId/{payment}.json")).header(header::AUTHORIZATION, BASIC).body(Body::empty())?;
    let shown = answered(emulator, status).await?;
    if shown.windows(4).any(|word| word == b"PAID") { Ok(()) } else { Err("the payment is not paid".into()) }
}

const BASIC: &str = "Basic MTAwMDAxOnNlY3JldC0xMDAwMDE=";

async fn post(emulator: &Router, path: &str, body: String) -> Outcome<Bytes> {
    answered(
        emulator,
        Request::post(path).header(header::CONTENT_TYPE, "application/json").header(header::AUTHORIZATION, BASIC).body(Body::from(body))?,
    )
    .await
}

async fn answered(emulator: &Router, request: Request<Body>) -> Outcome<Bytes> {
    let path = request.uri().path().to_owned();
    let response = emulator.clone().oneshot(request).await?;
    if !response.status().is_success() {
        return Err(format!("{path} answered {}", response.status()).into());
    }
    Ok(response.into_body().collect().await?.to_bytes())
}

/// A merchant's endpoint that takes everything.
async fn inbox(received: &Arc<AtomicUsize>) -> Outcome<String> {
    let received = Arc::clone(received);
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let received = Arc::clone(&received);
            let service = service_fn(move |_| {
                received.fetch_add(1, Ordering::Relaxed);
                async { Ok::<_, Infallible>(Response::<Full<Bytes>>::default()) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    Ok(format!("http://{address}/"))
}

/// Resident memory of this process in MB.
fn resident() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.split_whitespace().next().ok_or("no number")?.parse::<f64>()? / 1024.0)
}
