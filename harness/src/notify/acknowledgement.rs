//! What is asked of the answer to a documented notification.

use std::time::Duration;

use serde_json::Value;

use crate::check;
use crate::contract::{MerchantRules, Operation};
use crate::exchange::{Exchange, Outcome};
use crate::verdict::Finding;

/// The statuses that acknowledge a notification.
pub(super) fn statuses(notification: &Operation) -> &[u16] {
    notification.notification.as_ref().map(|rules| rules.acknowledged_by.as_slice()).unwrap_or_default()
}

/// What is wrong with the answer to a documented notification, for which there was so much time.
pub(super) fn unacknowledged(notification: &Operation, rules: &MerchantRules, letter: &Exchange, within: Duration) -> Option<Finding> {
    let statuses = statuses(notification);
    let (at, got, message) = match &letter.outcome {
        Outcome::Answer(answer) if statuses.contains(&answer.status) => return None,
        Outcome::Answer(answer) => {
            ("answer status", Value::from(answer.status), format!("a documented notification is answered by {}", answer.status))
        }
        Outcome::Failed(failure) => {
            let message = format!("a documented notification gets no answer within {} ms: {}", within.as_millis(), failure.detail);
            ("answer", Value::Null, message)
        }
    };
    Some(check::about(letter, &rules.acknowledged, message).at(at).compare(statuses.to_vec(), got))
}
