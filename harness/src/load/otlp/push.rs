//! Pushes the metrics to a collector while the load runs, and once more when it is over.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;
use thiserror::Error;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use url::Url;

use super::message::{ResourceAttributes, message};
use crate::engine::client::{self, explained};
use crate::load::metrics::MetricsPage;

/// How often the metrics are pushed.
const EVERY: Duration = Duration::from_secs(5);
/// How long a collector may take to respond.
const WITHIN: Duration = Duration::from_secs(5);

/// Why the metrics did not reach the collector.
#[derive(Debug, Error)]
pub enum OtlpError {
    /// The address can't be used.
    #[error("{0} can't be the address of a collector; it is like http://127.0.0.1:4318")]
    Address(Url),
    /// This machine can't send anything.
    #[error("{0}")]
    Client(String),
    /// The collector does not accept them.
    #[error("the collector at {url} does not accept metrics: {reason}; name one that takes OTLP over HTTP")]
    Refused {
        /// Where they were sent.
        url: Url,
        /// What came instead.
        reason: String,
    },
}

/// Pushes metrics until it is ended.
#[derive(Debug)]
pub struct MetricsPush {
    end: oneshot::Sender<()>,
    pushing: JoinHandle<Result<(), OtlpError>>,
}

impl MetricsPush {
    /// Begins to push. A first message, which is empty, shows whether the collector accepts metrics.
    ///
    /// # Errors
    /// When it does not.
    pub async fn start(base: &Url, page: Arc<MetricsPage>, origin: ResourceAttributes) -> Result<Self, OtlpError> {
        let collector = Collector::at(base)?;
        collector.send(&ExportMetricsServiceRequest::default()).await?;
        let (end, ended) = oneshot::channel();
        let pushing = tokio::spawn(async move { collector.push(&page, &origin, ended).await });
        Ok(Self { end, pushing })
    }

    /// Pushes the last metrics.
    ///
    /// # Errors
    /// When the collector did not accept these. Those before do not matter: each message holds all that was counted.
    pub async fn end(self) -> Result<(), OtlpError> {
        // The task waits for this alone, so it is still there.
        let _ = self.end.send(());
        self.pushing.await.unwrap_or_else(|error| Err(OtlpError::Client(error.to_string())))
    }
}

struct Collector {
    url: Url,
    client: reqwest::Client,
}

impl Collector {
    fn at(base: &Url) -> Result<Self, OtlpError> {
        let mut url = base.clone();
        let usable = matches!(base.scheme(), "http" | "https") && base.username().is_empty() && base.password().is_none();
        let refused = || OtlpError::Address(without_login(base));
        url.path_segments_mut().ok().filter(|_| usable).ok_or_else(refused)?.pop_if_empty().extend(["v1", "metrics"]);
        let client = client::for_many_messages(&url, 1, WITHIN).map_err(|error| OtlpError::Client(error.to_string()))?;
        Ok(Self { url, client })
    }

    async fn push(&self, page: &MetricsPage, origin: &ResourceAttributes, mut ended: oneshot::Receiver<()>) -> Result<(), OtlpError> {
        loop {
            let is_over = tokio::time::timeout(EVERY, &mut ended).await.is_ok();
            let pushed = match page.reading() {
                Some(reading) => self.send(&message(&reading, origin)).await,
                None => Ok(()),
            };
            if is_over {
                return pushed;
            }
        }
    }

    async fn send(&self, message: &ExportMetricsServiceRequest) -> Result<(), OtlpError> {
        let refused = |reason| OtlpError::Refused { url: self.url.clone(), reason };
        let request = self.client.post(self.url.clone()).header("content-type", "application/x-protobuf");
        let response = request.body(message.encode_to_vec()).send().await.map_err(|error| refused(explained::request(error)))?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(refused(format!("it responds {status}"))) }
    }
}

/// The address as it may be shown.
fn without_login(address: &Url) -> Url {
    let mut shown = address.clone();
    // Where there can be no login, there is none.
    let _ = shown.set_username("").and_then(|()| shown.set_password(None));
    shown
}
