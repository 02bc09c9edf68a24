//! Notifications that are logged.

use std::sync::Arc;
use std::time::Duration;

use crate::base::log::{Log, LogEntry};
use crate::common::Merchant;
use crate::common::freedoms::Freedoms;
use crate::gateway::core::Payment;
use crate::world::{DeliveryResult, Notification, NotificationBody, Notifier, PendingDelivery, TrustError};

/// Logs what another notifier sends.
pub(crate) struct LoggedNotifier {
    inner: Arc<dyn Notifier>,
    log: Log,
}

impl LoggedNotifier {
    pub(crate) fn new(inner: Arc<dyn Notifier>, log: Log) -> Self {
        Self { inner, log }
    }
}

impl Notifier for LoggedNotifier {
    fn trusting(&self, pem: &str) -> Result<Arc<dyn Notifier>, TrustError> {
        Ok(Arc::new(Self::new(self.inner.trusting(pem)?, Arc::clone(&self.log))))
    }

    fn write(&self, payment: &Payment, merchant: &Merchant, freedoms: &Freedoms) -> NotificationBody {
        self.inner.write(payment, merchant, freedoms)
    }

    fn send<'n>(&'n self, notification: &'n Notification, timeout: Duration) -> PendingDelivery<'n> {
        Box::pin(async move {
            let result = self.inner.send(notification, timeout).await;
            (self.log)(&entry(notification, &result));
            result
        })
    }
}

fn entry(notification: &Notification, result: &DeliveryResult) -> LogEntry {
    let (response, error) = match result {
        DeliveryResult::Status(status) => (Some(*status), None),
        DeliveryResult::TransportError(error) => (None, Some(error.clone())),
    };
    LogEntry::Notification {
        trans_id: notification.trans_id.to_string(),
        status: notification.status.to_owned(),
        attempt: notification.attempt,
        response,
        error,
        acknowledged: result.acknowledges(),
    }
}
