//! Judges the response to a documented notification.

use std::time::Duration;

use serde_json::Value;

use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::judge::check;
use crate::spec::contract::{MerchantRules, Operation};
use crate::wire::exchange::{Exchange, ExchangeOutcome, TransportFailureKind};

/// The statuses that acknowledge a notification.
pub(crate) fn statuses(notification: &Operation) -> &[u16] {
    notification.notification.as_ref().map(|rules| rules.acknowledged_by.as_slice()).unwrap_or_default()
}

/// The violations of the response to a documented notification that had to arrive `within` this time.
pub(crate) fn judge_acknowledgement(notification: &Operation, rules: &MerchantRules, push: &Exchange, within: Duration) -> Option<Finding> {
    let statuses = statuses(notification);
    let (at, got, message) = match &push.outcome {
        ExchangeOutcome::Response(response) if statuses.contains(&response.status) => return None,
        ExchangeOutcome::Response(response) => {
            (Place::Status, Value::from(response.status), format!("the response to a documented notification is {}", response.status))
        }
        ExchangeOutcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
            let message = format!("a documented notification does not reach the merchant's endpoint: {}", failure.detail);
            (Place::Whole(Message::Response), Value::Null, message)
        }
        ExchangeOutcome::Failed(failure) => {
            let what = match failure.kind {
                TransportFailureKind::Timeout => format!("no response within {} ms", within.as_millis()),
                TransportFailureKind::Connect
                | TransportFailureKind::Broken
                | TransportFailureKind::TooLarge
                | TransportFailureKind::Unread => "no response that can be read".to_owned(),
            };
            let message = format!("a documented notification gets {what}: {}", failure.detail);
            (Place::Whole(Message::Response), Value::Null, message)
        }
    };
    Some(check::about_sent(push, &rules.acknowledged, message).at(at).compare(statuses.to_vec(), got))
}
