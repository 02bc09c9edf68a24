//! Sends notifications to the merchant's endpoint over kept-alive connections.

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::error::PushLoadError;
use crate::engine::client;
use crate::engine::push::message_pool::PreparedPush;
use crate::engine::recorder::Recorder;
use crate::engine::transport::failure;
use crate::wire::exchange::{Body, ExchangeOutcome, MAX_BODY_BYTES, Response, TransportFailure, TransportFailureKind};

/// Sends a notification.
pub(super) trait PushSender: Send + Sync + 'static {
    /// Sends a notification and returns the outcome; of a response only the status is kept.
    fn send(&self, written: &PreparedPush) -> impl Future<Output = ExchangeOutcome> + Send;
}

/// Sends over HTTP.
pub(super) struct HttpSender {
    client: reqwest::Client,
    endpoint: Url,
    recorder: Arc<Recorder>,
}

impl HttpSender {
    /// A sender with at most `connections` connections, and the time-out `within` for a response.
    pub(super) fn new(endpoint: Url, connections: usize, within: Duration, recorder: Arc<Recorder>) -> Result<Self, PushLoadError> {
        let client =
            client::for_many_messages(&endpoint, connections, within).map_err(|error| PushLoadError::Invalid(error.to_string()))?;
        Ok(Self { client, endpoint, recorder })
    }

    async fn status(&self, written: &PreparedPush) -> Result<u16, TransportFailure> {
        let failed = |error| failure(error, &self.recorder);
        let mut builder = self.client.request(written.method.clone(), self.endpoint.clone());
        if let Some(media_type) = &written.media_type {
            builder = builder.header(http::header::CONTENT_TYPE, media_type).body(written.body.clone());
        }
        let mut response = builder.send().await.map_err(failed)?;
        // Only the status matters. The body is read so that the connection can be reused.
        let mut length = 0;
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            length += chunk.len();
            if length > MAX_BODY_BYTES {
                let detail = format!("the response is larger than {MAX_BODY_BYTES} bytes");
                return Err(TransportFailure { kind: TransportFailureKind::TooLarge, detail });
            }
        }
        Ok(response.status().as_u16())
    }
}

impl PushSender for HttpSender {
    async fn send(&self, written: &PreparedPush) -> ExchangeOutcome {
        self.status(written).await.map_or_else(ExchangeOutcome::Failed, outcome_of_status)
    }
}

/// A response of which only the status matters.
pub(super) fn outcome_of_status(status: u16) -> ExchangeOutcome {
    ExchangeOutcome::Response(Response { status, headers: Vec::new(), body: Body::default() })
}
