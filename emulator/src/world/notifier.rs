//! The way out of a world. The world knows when a merchant is notified and about what; how a notification is written and sent is
//! behind a trait.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;

use super::settings_error::TrustError;
use crate::common::freedoms::Freedoms;
use crate::common::{Merchant, TransId};
use crate::gateway::core::Payment;

/// A notification, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Notification {
    pub(crate) trans_id: TransId,
    /// The state it reports.
    pub(crate) status: &'static str,
    pub(crate) url: http::Uri,
    pub(crate) body: NotificationBody,
    /// Addresses that get an e-mail if it can't be delivered.
    pub(crate) contacts: Vec<String>,
    /// Attempts made.
    pub(crate) attempt: u32,
}

/// The body of a notification, and its headers.
#[derive(Debug, Clone)]
pub(crate) struct NotificationBody {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Bytes,
    /// Headers in place of the usual one; `None`: the media type alone.
    pub(crate) headers: Option<Box<HeaderMap>>,
}

/// The response of the merchant's endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeliveryResult {
    /// An HTTP status.
    Status(u16),
    /// No response: why.
    TransportError(String),
}

impl DeliveryResult {
    /// "The merchant answers with HTTP 200, 201, 202, 204 or 205. Any other answer counts as failure."
    pub(crate) const fn acknowledges(&self) -> bool {
        matches!(self, Self::Status(200 | 201 | 202 | 204 | 205))
    }
}

/// A delivery under way.
pub(crate) type PendingDelivery<'n> = Pin<Box<dyn Future<Output = DeliveryResult> + Send + 'n>>;

/// Writes and sends notifications.
pub(crate) trait Notifier: Send + Sync {
    /// Makes a notifier that trusts only these certificates, in PEM.
    fn trusting(&self, pem: &str) -> Result<Arc<dyn Notifier>, TrustError>;

    /// Writes the notification about a payment as it stands.
    fn write(&self, payment: &Payment, merchant: &Merchant, freedoms: &Freedoms) -> NotificationBody;

    /// Sends a notification once, and waits for the response no longer than `timeout`.
    fn send<'n>(&'n self, notification: &'n Notification, timeout: Duration) -> PendingDelivery<'n>;
}
