//! The control API carries out everything that happens outside the documented APIs. `openapi.yaml` describes it.

mod actions;
mod admission;
mod console;
mod devices;
mod error;
mod http;
mod journal;
mod lookup;
mod prefix;
mod qr_payments;
mod routes;
mod views;
mod worlds;

/// The description of the control API: OpenAPI 3.1, in YAML.
pub const DESCRIPTION: &str = include_str!("../../openapi.yaml");

pub(crate) use prefix::{CONSOLE, PREFIX};
pub(crate) use routes::router;
