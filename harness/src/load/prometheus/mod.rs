//! Metrics of a running load for Prometheus.

mod server;
mod text;

#[cfg(test)]
mod tests;

pub use self::server::{TextSource, serve};
pub use self::text::text;
pub use super::web_server::WebServer;
