//! The control API: what happens outside of the documented APIs is told to the emulator here. `openapi.yaml` describes it.

mod actions;
mod devices;
mod error;
mod qr_payments;
mod routes;
mod views;
mod worlds;

pub(crate) use error::{error_body, json_body};
pub(crate) use routes::{PREFIX, router};
