//! How many cash registers at once? `cargo run --release -p emulator --example devices -- 10000 5` activates so many
//! devices, then lets all of them exchange their tokens and upload a full batch at the same time, so many rounds.
//!
//! Every answer has to be 200. Each round uploads the same transactions in a higher version, so memory has to stay level
//! after the first.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use emulator::{AppState, WorldSettings, app};
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// "At most 50 transactions."
const BATCH: usize = 50;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let devices: usize = arguments.next().map_or(Ok(10_000), |count| count.parse())?;
    let rounds: u32 = arguments.next().map_or(Ok(5), |count| count.parse())?;
    let router = app(AppState::new(WorldSettings::default())?);
    let started = Instant::now();
    let tokens = all(0..devices, |number| activate(router.clone(), number)).await?;
    println!("{devices} devices activated in {:.2?}, resident {} MiB", started.elapsed(), resident());
    for round in 0..rounds {
        let started = Instant::now();
        all(tokens.iter().cloned(), |token| work(router.clone(), token, round)).await?;
        println!("round {round}: {} calls in {:.2?}, resident {} MiB", 2 * devices, started.elapsed(), resident());
    }
    Ok(())
}

/// Does something for each at the same time; the first thing that goes wrong ends it.
async fn all<T, R, F>(each: impl Iterator<Item = T>, deed: impl Fn(T) -> F) -> Outcome<Vec<R>>
where
    R: Send + 'static,
    F: Future<Output = Outcome<R>> + Send + 'static,
{
    let tasks: JoinSet<_> = each.map(deed).collect();
    tasks.join_all().await.into_iter().collect()
}

async fn activate(router: Router, number: usize) -> Outcome<String> {
    let serial = format!("SN-{number}");
    let terms = json!({ "merchant": "100001", "platform": "POS", "serialNumber": serial });
    call(&router, "/__emulator/worlds/default/actions/operator.registers", "", &terms).await?;
    let user = format!("Basic {}", STANDARD.encode("device-100001:secret-device-100001"));
    let request = json!({ "platform": "POS", "serialNumber": serial });
    token(&call(&router, "/pos/pokladna-api/activate", &user, &request).await?, "deviceToken")
}

async fn work(router: Router, device_token: String, round: u32) -> Outcome<()> {
    let exchanged = call(&router, "/pos/pokladna-api/authenticate", &device_token, &json!({ "appVersion": "1.0" })).await?;
    let batch: Vec<_> = (0..BATCH).map(|number| transaction(number, round)).collect();
    let receipt = call(&router, "/pos/pokladna-api/transactions", &token(&exchanged, "token")?, &json!({ "transactions": batch })).await?;
    let accepted = receipt.get("accepted").and_then(Value::as_array).map_or(0, Vec::len);
    if accepted == BATCH { Ok(()) } else { Err(format!("of {BATCH} transactions {accepted} were accepted").into()) }
}

fn transaction(number: usize, version: u32) -> Value {
    json!({
        "id": format!("0b9c4f52-6d1e-4d3e-9a77-{number:012}"), "syncVersion": version, "type": "SALE", "status": "APPROVED",
        "amount": 12_345, "currency": "CZK", "createdAt": "2026-01-15T12:00:00Z", "saleJson": "{\"items\":[{\"name\":\"coffee\"}]}",
    })
}

/// A token out of an answer, as it goes into the header.
fn token(answer: &Value, name: &str) -> Outcome<String> {
    let token = answer.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is missing: {answer}"))?;
    Ok(format!("Bearer {token}"))
}

async fn call(router: &Router, path: &str, authorization: &str, body: &Value) -> Outcome<Value> {
    let request = Request::post(path).header(header::AUTHORIZATION, authorization).body(Body::from(body.to_string()))?;
    let response = router.clone().oneshot(request).await?;
    let status = response.status();
    let answer = response.into_body().collect().await?.to_bytes();
    if status != StatusCode::OK {
        return Err(format!("{path} answered {status}: {}", String::from_utf8_lossy(&answer)).into());
    }
    Ok(serde_json::from_slice(&answer)?)
}

/// What the process has in memory, in MiB; 0 where that can't be told.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages * 4 / 1024
}
