//! The control API: what happens outside of the documented APIs is done here. `openapi.yaml` describes it.

mod actions;
mod admission;
mod devices;
mod error;
mod http;
mod lookup;
mod prefix;
mod qr_payments;
mod routes;
mod views;
mod worlds;

pub(crate) use prefix::PREFIX;
pub(crate) use routes::router;
