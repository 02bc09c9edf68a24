//! Metrics for OpenTelemetry while the load runs: pushed to a collector by OTLP over HTTP, in protobuf. Names and units are those of
//! [`super::metrics`], so that the same queries serve what Prometheus scrapes and what a collector takes.
//!
//! The SDK is not used: it would count every call anew, where the meter has counted it already.

mod message;
mod push;

#[cfg(test)]
mod tests;

pub use self::message::ResourceAttributes;
pub use self::push::{MetricsPush, OtlpError};
