//! How many cash registers at once? `bench/devices.sh` runs this beside an emulator of its own process.
//!
//! `devices ADDRESS [DEVICES] [ROUNDS] [CONNECTIONS] [PID]` activates DEVICES at the emulator, then lets all of them
//! exchange their tokens and upload a full batch, in ROUNDS rounds, over no more than CONNECTIONS. Each round
//! uploads the same transactions in a higher version, so the memory of the emulator (process PID) has to stay level after
//! the first. Anything but 200 with what was asked for is an error, and so is a transaction that is missing in the end.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// "At most 50 transactions."
const BATCH: usize = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let address = arguments.first().ok_or("devices ADDRESS [DEVICES] [ROUNDS] [CONNECTIONS] [PID]")?.clone();
    let number = |place: usize, default: usize| arguments.get(place).map_or(Ok(default), |text| text.parse());
    let (devices, rounds, connections) = (number(1, 10_000)?, number(2, 5)?, number(3, 256)?);
    let fleet = Fleet { address, devices, connections, process: arguments.get(4).cloned() };

    let activated = fleet.all("activated", 2, activate, &Arc::default()).await?;
    let tokens: Arc<Vec<String>> = Arc::new(activated);
    for round in 0..rounds {
        let name = format!("round {}", round + 1);
        let shift = Arc::new(Shift { tokens: Arc::clone(&tokens), batch: batch(round) });
        fleet.all(&name, 2, work, &shift).await?;
    }
    fleet.count().await
}

/// What the devices of a round need.
#[derive(Default)]
struct Shift {
    tokens: Arc<Vec<String>>,
    batch: Bytes,
}

/// The devices, and how they are connected.
struct Fleet {
    address: String,
    devices: usize,
    connections: usize,
    process: Option<String>,
}

impl Fleet {
    /// Every device does something, as many at a time as there are connections. What they bring back is in their order.
    async fn all<R, F>(&self, what: &str, calls: usize, action: fn(Line, usize, Arc<Shift>) -> F, shift: &Arc<Shift>) -> Outcome<Vec<R>>
    where
        R: Send + 'static,
        F: Future<Output = (Line, Outcome<R>)> + Send + 'static,
    {
        let started = Instant::now();
        let next = Arc::new(AtomicUsize::new(0));
        let mut workers = JoinSet::new();
        for _ in 0..self.connections {
            let (next, shift, devices) = (Arc::clone(&next), Arc::clone(shift), self.devices);
            let mut line = Line::to(&self.address);
            workers.spawn(async move {
                let mut done = Vec::new();
                while let Some(device) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|device| *device < devices) {
                    let (kept, result) = action(line, device, Arc::clone(&shift)).await;
                    line = kept;
                    done.push((device, result));
                }
                done
            });
        }
        let mut results: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
        let seconds = started.elapsed().as_secs_f64();
        results.sort_by_key(|(device, _)| *device);
        let errors = results.iter().filter(|(_, result)| result.is_err()).count();
        let calls = calls * self.devices;
        println!(
            "{what:10} {} devices, {calls} calls, {errors} errors, {:.0} calls/s{}",
            self.devices,
            calls as f64 / seconds,
            self.memory()
        );
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// What the emulator has in memory, and had at most.
    fn memory(&self) -> String {
        let Some(process) = &self.process else { return String::new() };
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?").trim().to_owned();
        format!(", memory {}, at most {}", of("VmRSS:"), of("VmHWM:"))
    }

    /// Whether everything that was uploaded is there, once.
    async fn count(&self) -> Outcome<()> {
        let mut line = Line::to(&self.address);
        let listed = line.call(Method::GET, "/__emulator/worlds/default/devices", "", Bytes::new()).await?;
        let devices = listed.get("devices").and_then(Value::as_array).ok_or("there are no devices")?;
        let stored: u64 = devices.iter().filter_map(|device| device.get("transactions")?.as_u64()).sum();
        let wanted = u64::try_from(self.devices * BATCH)?;
        println!("stored     {stored} transactions of {wanted}");
        if stored == wanted { Ok(()) } else { Err("some transactions are missing, or there twice".into()) }
    }
}

async fn activate(mut line: Line, device: usize, _: Arc<Shift>) -> (Line, Outcome<String>) {
    let activated = activated(&mut line, device).await;
    (line, activated)
}

async fn activated(line: &mut Line, device: usize) -> Outcome<String> {
    let serial = format!("SN-bench-{device}");
    let terms = json!({ "merchant": "100001", "platform": "POS", "serialNumber": serial });
    line.post("/__emulator/worlds/default/actions/operator.registers", "", terms.to_string()).await?;
    let user = format!("Basic {}", STANDARD.encode("device-100001:secret-device-100001"));
    let request = json!({ "platform": "POS", "serialNumber": serial });
    token(&line.post("/pos/pokladna-api/activate", &user, request.to_string()).await?, "deviceToken")
}

async fn work(mut line: Line, device: usize, shift: Arc<Shift>) -> (Line, Outcome<()>) {
    let done = exchange_and_upload(&mut line, device, &shift).await;
    (line, done)
}

async fn exchange_and_upload(line: &mut Line, device: usize, shift: &Shift) -> Outcome<()> {
    let device_token = shift.tokens.get(device).ok_or("the device is not activated")?;
    let exchanged = line.post("/pos/pokladna-api/authenticate", device_token, r#"{"appVersion":"1.0"}"#).await?;
    let token = token(&exchanged, "token")?;
    let receipt = line.post("/pos/pokladna-api/transactions", &token, shift.batch.clone()).await?;
    let accepted = receipt.get("accepted").and_then(Value::as_array).map_or(0, Vec::len);
    if accepted == BATCH { Ok(()) } else { Err(format!("of {BATCH} transactions {accepted} were accepted").into()) }
}

/// A full batch; every round changes its transactions.
fn batch(round: usize) -> Bytes {
    let transaction = |number: usize| {
        json!({
            "id": format!("0b9c4f52-6d1e-4d3e-9a77-{number:012}"), "syncVersion": round, "type": "SALE", "status": "APPROVED",
            "amount": 12_345, "currency": "CZK", "createdAt": "2026-01-15T12:00:00Z",
            "saleJson": "{\"items\":[{\"name\":\"coffee\"}]}",
        })
    };
    let transactions: Vec<_> = (0..BATCH).map(transaction).collect();
    json!({ "transactions": transactions }).to_string().into()
}

/// A token out of a response, as it goes into the header.
fn token(response: &Value, name: &str) -> Outcome<String> {
    let token = response.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is missing: {response}"))?;
    Ok(format!("Bearer {token}"))
}

/// One connection to the emulator; a broken one is opened again by the next call.
struct Line {
    address: String,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Line {
    fn to(address: &str) -> Self {
        Self { address: address.to_owned(), sender: None }
    }

    async fn post(&mut self, path: &str, authorization: &str, body: impl Into<Bytes>) -> Outcome<Value> {
        self.call(Method::POST, path, authorization, body.into()).await
    }

    async fn call(&mut self, method: Method, path: &str, authorization: &str, body: Bytes) -> Outcome<Value> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, &self.address)
            .header(header::AUTHORIZATION, authorization)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))?;
        let mut sender = self.connected().await?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let response = response.into_body().collect().await?.to_bytes();
        self.sender = Some(sender);
        if status != StatusCode::OK {
            return Err(format!("{path} answered {status}: {}", String::from_utf8_lossy(&response)).into());
        }
        Ok(serde_json::from_slice(&response)?)
    }

    /// The sender comes back once its response is complete.
    async fn connected(&mut self) -> Outcome<SendRequest<Full<Bytes>>> {
        if let Some(mut sender) = self.sender.take()
            && sender.ready().await.is_ok()
        {
            return Ok(sender);
        }
        let stream = TcpStream::connect(&self.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }
}
