//! A stateful server of the documented payment APIs, in one process.
//!
//! [`Emulator::start`] embeds it in a test or a program. [`app`] is the same as a router without a socket, and [`run`] serves it
//! on a listener of yours. What happens outside of the APIs (payers, banks, time) is done through the control API under
//! `/__emulator`, which serves its own description at `/__emulator/openapi.yaml`.
//!
//! A payment is created, paid and read:
//!
//! ```
//! use bytes::Bytes;
//! use emulator::{Config, Emulator};
//! use http::{Method, Request};
//! use http_body_util::{BodyExt as _, Full};
//! use hyper_util::client::legacy::Client;
//! use hyper_util::rt::TokioExecutor;
//! use serde_json::{Value, json};
//!
//! type Error = Box<dyn std::error::Error + Send + Sync>;
//!
//! async fn call(method: Method, url: String, body: Value) -> Result<Value, Error> {
//!     // The default world has one merchant, 100001, with the secret secret-100001.
//!     let request = Request::builder()
//!         .method(method)
//!         .uri(url)
//!         .header("authorization", "Basic MTAwMDAxOnNlY3JldC0xMDAwMDE=")
//!         .header("content-type", "application/json")
//!         .body(Full::<Bytes>::from(body.to_string()))?;
//!     let response = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
//!     Ok(serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?)
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Error> {
//!     let emulator = Emulator::start(Config::default()).await?;
//!     let base = emulator.base_url();
//!
//!     let order = json!({
//!         "price": 10000, "curr": "CZK", "label": "Shoes", "refId": "2026001", "method": "ALL",
//!         "email": "jan@example.com", "fullName": "Jan Novák",
//!     });
//!     let created = call(Method::POST, format!("{base}/v2.0/payment.json"), order).await?;
//!     assert_eq!(created["code"], 0);
//!
//!     let pays = format!("{base}/__emulator/worlds/default/actions/payer.pays");
//!     call(Method::POST, pays, json!({ "transId": created["transId"] })).await?;
//!
//!     let id = created["transId"].as_str().unwrap_or_default();
//!     let status = call(Method::GET, format!("{base}/v2.0/payment/transId/{id}.json"), json!({})).await?;
//!     assert_eq!(status["status"], "PAID");
//!
//!     emulator.stop().await;
//!     Ok(())
//! }
//! ```
//!
//! Inside, rooms lie on each other: `base` and `common` below, then the APIs' pure cores, the `world` that holds their states,
//! their wires, `delivery`, `control`, and the front. `tests/rooms` keeps their order.

mod app;
mod base;
mod common;
mod control;
mod delivery;
mod device;
mod emulator;
mod gateway;
mod qr;
mod routing;
mod server;
mod status;
mod terminal;
mod tls;
mod transfers;
mod wire;
mod world;

pub use app::{AppState, app};
pub use base::access::Access;
pub use base::log::{Log, LogEntry};
pub use common::freedoms::{Alternative, Freedom, FreedomError, FreedomSettings, freedoms};
pub use common::merchant::{MerchantError, MerchantSettings};
pub use control::DESCRIPTION;
pub use emulator::{Config, Emulator, StartError};
pub use server::run;
pub use tls::{Tls, TlsError};
pub use world::{ClockKind, RegistrationError, RetrySettings, SettingsError, TrustError, WorldSettings};
