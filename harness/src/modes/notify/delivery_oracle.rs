//! The delivery oracle: how often the merchant may hand over the goods of each payment, and how often it did, as the
//! merchant's own command reports.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;
use tokio::time::Instant;

use crate::base::figures::count_of;
use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::engine::subprocess::{self, SubprocessError};
use crate::judge::check;
use crate::spec::contract::MerchantRules;
use crate::wire::exchange::Exchange;

/// How often the merchant's command runs while deliveries are awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The longest that one run of the command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// How often the goods of one payment may be handed over, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryRule {
    /// Once: the payment is paid.
    Once,
    /// At most once: the documents leave it open.
    AtMostOnce,
    /// Never: the payment is not paid.
    NotPaid,
    /// Never: only a forged notification reports that the payment is paid.
    Forged,
}

impl DeliveryRule {
    pub(super) const ALL: [Self; 4] = [Self::Once, Self::AtMostOnce, Self::NotPaid, Self::Forged];

    /// The clause that breaking the rule breaks.
    pub(super) fn clause(self, rules: &MerchantRules) -> &str {
        match self {
            Self::Once | Self::AtMostOnce => &rules.once,
            Self::NotPaid => &rules.paid_only,
            Self::Forged => &rules.not_trusted,
        }
    }

    /// Whether this many deliveries follow the rule.
    fn allows(self, times: u64) -> bool {
        match self {
            Self::Once => times == 1,
            Self::AtMostOnce => times <= 1,
            Self::NotPaid | Self::Forged => times == 0,
        }
    }

    fn expected(self) -> Value {
        match self {
            Self::Once => 1.into(),
            Self::AtMostOnce => "0 or 1".into(),
            Self::NotPaid | Self::Forged => 0.into(),
        }
    }
}

impl std::fmt::Display for DeliveryRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Once => "once for a payment that is paid",
            Self::AtMostOnce => "not twice where the documents leave it open",
            Self::NotPaid => "none for a payment that is not paid",
            Self::Forged => "none because of a forged notification",
        })
    }
}

/// How often the goods of one payment may be handed over.
#[derive(Clone, Debug)]
pub(super) struct DeliveryExpectation {
    /// The payment.
    pub(super) id: String,
    /// The rule.
    pub(super) rule: DeliveryRule,
    /// The notification's format.
    pub(super) notification: String,
    /// The case that notified the merchant.
    pub(super) case: String,
    /// The notification.
    pub(super) message: Arc<Exchange>,
}

/// How often goods were handed over, by payment.
type Deliveries = BTreeMap<String, u64>;

/// Why the merchant's command reports no deliveries.
#[derive(Clone, Debug, Error)]
pub(super) enum CommandError {
    #[error("the command for the orders is empty")]
    Empty,
    #[error("`{program}` for the orders {reason}")]
    NoOutput { program: String, reason: SubprocessError },
    #[error("`{program}` for the orders ended with {status}: {stderr}")]
    Failed { program: String, status: String, stderr: String },
    #[error("`{program}` for the orders did not print a JSON object of identifier and number of times: {reason}")]
    Unreadable { program: String, reason: String },
}

/// Collects what may be handed over, and judges what was.
#[derive(Debug, Default)]
pub(super) struct DeliveryOracle {
    expectations: Vec<DeliveryExpectation>,
    deliveries: Option<Result<Deliveries, CommandError>>,
}

impl DeliveryOracle {
    /// Adds an expectation. A later one about the same payment replaces the rule, but goods that are due stay due.
    pub(super) fn expect(&mut self, expectation: DeliveryExpectation) {
        match self.expectations.iter_mut().find(|known| known.id == expectation.id) {
            Some(known) if known.rule == DeliveryRule::Once => {}
            Some(known) => known.rule = expectation.rule,
            None => self.expectations.push(expectation),
        }
    }

    /// Whether a payment of this format falls under a rule.
    pub(super) fn expects(&self, rule: DeliveryRule, notification: &str) -> bool {
        self.expectations.iter().any(|known| known.rule == rule && known.notification == notification)
    }

    /// Judges the payments of one format under one rule. The merchant's command runs once everything has been sent; it is
    /// awaited until all due goods were handed over, at most for `within`.
    pub(super) async fn judge(
        &mut self,
        rule: DeliveryRule,
        notification: &str,
        rules: &MerchantRules,
        command: &[String],
        within: Duration,
    ) -> Result<Vec<Finding>, CommandError> {
        let known = match self.deliveries.take() {
            Some(known) => known,
            None => poll(command, &self.expectations, within).await,
        };
        let deliveries = self.deliveries.insert(known).as_ref().map_err(Clone::clone)?;
        let judged = self.expectations.iter().filter(|known| known.rule == rule && known.notification == notification);
        Ok(judged.filter_map(|expectation| violation(expectation, deliveries, rules)).collect())
    }
}

/// What is wrong with the deliveries of one payment.
fn violation(expectation: &DeliveryExpectation, deliveries: &Deliveries, rules: &MerchantRules) -> Option<Finding> {
    let DeliveryExpectation { id, rule, case, message, .. } = expectation;
    let times = deliveries.get(id).copied().unwrap_or(0);
    if rule.allows(times) {
        return None;
    }
    let text = format!("goods for {id} were handed over {}; expected {rule}, after the case `{case}`", count_of(times, "time"));
    let mut finding = check::about_sent(message, rule.clause(rules), text).at(Place::Goods);
    // The exchange belongs to the record of that case.
    finding.exchange = None;
    Some(finding.compare(rule.expected(), times))
}

/// Runs the merchant's command until all due goods were handed over, at most for `within`.
async fn poll(command: &[String], expectations: &[DeliveryExpectation], within: Duration) -> Result<Deliveries, CommandError> {
    let deadline = Instant::now() + within;
    loop {
        let deliveries = run_command(command).await?;
        let is_awaited = |known: &DeliveryExpectation| known.rule == DeliveryRule::Once && !deliveries.contains_key(&known.id);
        if !expectations.iter().any(is_awaited) || Instant::now() + POLL_INTERVAL > deadline {
            return Ok(deliveries);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Runs the command without a shell and reads what it prints.
async fn run_command(command: &[String]) -> Result<Deliveries, CommandError> {
    let (program, arguments) = command.split_first().ok_or(CommandError::Empty)?;
    let program = program.clone();
    let output = match subprocess::run(&program, arguments, COMMAND_TIMEOUT).await {
        Ok(output) => output,
        Err(reason) => return Err(CommandError::NoOutput { program, reason }),
    };
    if !output.status.success() {
        return Err(CommandError::Failed { program, status: output.status.to_string(), stderr: output.complaint() });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| CommandError::Unreadable { program, reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn each_rule_has_its_bounds() {
        let allowed = |rule: DeliveryRule| (0..3).filter(|times| rule.allows(*times)).collect::<Vec<_>>();
        assert_eq!(DeliveryRule::ALL.map(allowed), [vec![1], vec![0, 1], vec![0], vec![0]]);
    }

    #[tokio::test]
    async fn the_output_of_the_command_is_read_strictly() {
        assert_eq!(run_command(&words("echo {\"A\":2}")).await.unwrap(), Deliveries::from([("A".to_owned(), 2)]));
        for wrong in ["echo [1]", "echo {\"A\":-1}", "echo", "false", "/no/such/program"] {
            assert!(run_command(&words(wrong)).await.is_err(), "{wrong}");
        }
    }
}
