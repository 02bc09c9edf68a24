//! How long does a busy day take? `transfers [PAYMENTS]` fills a world, lets the bank pay out, and reads the transfer in
//! every way there is.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use emulator::{AppState, WorldSettings, app};
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The calls, where `#` stands for the number of the transfer.
const CALLS: [&str; 7] = [
    "transferList/date/2026-01-15.json",
    "singleTransfer/transferId/#.json",
    "csvSingleTransfer/transferId/#.json",
    "aboSingleTransfer/transferId/#.json",
    "aboSingleTransfer/transferId/#.json?download=true&type=v2&encoding=win1250",
    "csvDownload/date/2026-01-15",
    "aboDownload/date/2026-01-15",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let payments = std::env::args().nth(1).map_or(Ok(100_000), |count| count.parse::<u32>())?;
    let emulator = app(AppState::new(WorldSettings::default())?);
    let start = Instant::now();
    let fills = format!(r#"{{"merchant":"100001","payments":{payments}}}"#);
    ask(&emulator, "filled", post("world.fills", fills)?).await?;
    ask(&emulator, "paid out", post("bank.transfers", r#"{"merchant":"100001"}"#.to_owned())?).await?;
    for call in CALLS {
        let request = Request::get(format!("/v2.0/{}", call.replace('#', "100001")));
        let authorized = request.header(header::AUTHORIZATION, "Basic VDEwMDAwMTpzZWNyZXQtVDEwMDAwMQ==").body(Body::empty())?;
        ask(&emulator, call, authorized).await?;
    }
    println!("{:>6} ms altogether", start.elapsed().as_millis());
    Ok(())
}

fn post(action: &str, body: String) -> Result<Request<Body>, http::Error> {
    Request::post(format!("/__emulator/worlds/default/actions/{action}"))
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(Body::from(body))
}

/// Takes the response as it comes and keeps nothing of it.
async fn ask(emulator: &Router, what: &str, request: Request<Body>) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let response = emulator.clone().oneshot(request).await?;
    if response.status() != StatusCode::OK {
        return Err(format!("{what} answered {}", response.status()).into());
    }
    let (mut body, mut bytes) = (response.into_body(), 0);
    while let Some(frame) = body.frame().await {
        bytes += frame?.data_ref().map_or(0, bytes::Bytes::len);
    }
    println!("{:>6} ms {:>9} KB  {what}", start.elapsed().as_millis(), bytes / 1_000);
    Ok(())
}
