//! A stateful server of the documented payment APIs, in one process.
//!
//! [`Emulator::start`] embeds it in a test; [`app`] gives it as a router without a socket; [`run`] serves it on a listener
//! of yours. What happens outside of the APIs (payers, banks, time) is moved through the control API under
//! `/__emulator`, described by `openapi.yaml`.

mod app;
mod attend;
mod clock;
mod control;
mod delivery;
mod device;
mod emulator;
pub mod gateway;
mod lots;
mod prague;
mod qr;
mod server;
mod status_api;
mod sync;
pub mod terminal;
mod tls;
pub mod transfers;
mod trust;
mod wire;
mod words;
mod world;

pub use app::{AppState, app};
pub use emulator::{Config, Emulator, StartError};
pub use gateway::core::merchant::MerchantSettings;
pub use server::run;
pub use tls::{Tls, TlsError};
pub use world::{ClockKind, RetrySettings, WorldSettings};
