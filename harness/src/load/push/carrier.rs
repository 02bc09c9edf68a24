//! Takes notifications to the merchant's endpoint over connections that are kept.

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::exchange::{Answer, Body, MAX_BODY_BYTES, Outcome, TransportFailure, TransportFailureKind};
use crate::notify::Written;
use crate::recorder::Recorder;
use crate::target::is_loopback;
use crate::transport::failure;

/// Takes a notification there and brings what came of it.
pub(super) trait Carrier: Send + Sync + 'static {
    /// What came of it; of an answer only the status.
    fn carry(&self, written: &Written) -> impl Future<Output = Outcome> + Send;
}

/// The one that really goes there.
pub(super) struct Http {
    client: reqwest::Client,
    endpoint: Url,
    recorder: Arc<Recorder>,
}

impl Http {
    /// At most so many connections are kept; an answer may take so long.
    pub(super) fn new(endpoint: Url, connections: usize, within: Duration, recorder: Arc<Recorder>) -> Result<Self, String> {
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(connections)
            .tcp_nodelay(true)
            .timeout(within)
            .user_agent(concat!("paycheck/", env!("CARGO_PKG_VERSION")))
            // Answers are taken as they are sent.
            .no_gzip();
        if is_loopback(&endpoint) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| format!("no HTTP client: {error}"))?;
        Ok(Self { client, endpoint, recorder })
    }

    async fn status(&self, written: &Written) -> Result<u16, TransportFailure> {
        let told = |error| failure(error, &self.recorder);
        let mut builder = self.client.request(written.method.clone(), self.endpoint.clone());
        if let Some(media_type) = &written.media_type {
            builder = builder.header(http::header::CONTENT_TYPE, media_type).body(written.body.clone());
        }
        let mut response = builder.send().await.map_err(told)?;
        // The status is the answer. The rest is read so that it is whole, and the connection can be used again.
        let mut length = 0;
        while let Some(chunk) = response.chunk().await.map_err(told)? {
            length += chunk.len();
            if length > MAX_BODY_BYTES {
                let detail = format!("the answer is larger than {MAX_BODY_BYTES} bytes");
                return Err(TransportFailure { kind: TransportFailureKind::TooLarge, detail });
            }
        }
        Ok(response.status().as_u16())
    }
}

impl Carrier for Http {
    async fn carry(&self, written: &Written) -> Outcome {
        self.status(written).await.map_or_else(Outcome::Failed, answered)
    }
}

/// An answer of which only the status matters.
pub(super) fn answered(status: u16) -> Outcome {
    Outcome::Answer(Answer { status, headers: Vec::new(), body: Body::default() })
}
