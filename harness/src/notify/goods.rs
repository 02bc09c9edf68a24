//! What goods a merchant may hand over, and what it did, as its own command tells.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;
use tokio::time::Instant;

use crate::check;
use crate::contract::MerchantRules;
use crate::exchange::Exchange;
use crate::verdict::Finding;

/// How often the merchant's command is asked while goods are awaited.
const EVERY: Duration = Duration::from_millis(50);
/// The longest that one call of the command may take.
const LIMIT: Duration = Duration::from_secs(30);

/// How often the goods of one payment may be handed over, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// It is paid: once.
    Once,
    /// The documents leave it open: not more than once.
    AtMostOnce,
    /// It is not paid: never.
    NotPaid,
    /// Only a forged push says that it is paid: never.
    Forged,
}

impl Due {
    pub(super) const ALL: [Self; 4] = [Self::Once, Self::AtMostOnce, Self::NotPaid, Self::Forged];

    /// The rule that is broken otherwise.
    pub(super) fn clause(self, rules: &MerchantRules) -> &str {
        match self {
            Self::Once | Self::AtMostOnce => &rules.once,
            Self::NotPaid => &rules.paid_only,
            Self::Forged => &rules.not_trusted,
        }
    }

    /// Whether goods handed over so often are right.
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

impl std::fmt::Display for Due {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Once => "once for a payment that is paid",
            Self::AtMostOnce => "not twice where the documents leave it open",
            Self::NotPaid => "none for a payment that is not paid",
            Self::Forged => "none because of a forged notification",
        })
    }
}

/// One payment that the merchant was told about.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    /// The payment.
    pub(super) id: String,
    /// How often its goods may be handed over.
    pub(super) due: Due,
    /// The notification's format.
    pub(super) notification: String,
    /// The case that told the merchant.
    pub(super) case: String,
    /// The notification that shows it.
    pub(super) letter: Arc<Exchange>,
}

/// How often goods were handed over, by payment.
pub(super) type Orders = BTreeMap<String, u64>;

/// Asks the merchant's command until everything that is due was handed over, at most for `within`.
pub(super) async fn settled(command: &[String], parcels: &[Parcel], within: Duration) -> Result<Orders, String> {
    let deadline = Instant::now() + within;
    loop {
        let orders = read(command).await?;
        let awaited = |parcel: &Parcel| parcel.due == Due::Once && !orders.contains_key(&parcel.id);
        if !parcels.iter().any(awaited) || Instant::now() + EVERY > deadline {
            return Ok(orders);
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Runs the command without a shell and reads what it prints.
async fn read(command: &[String]) -> Result<Orders, String> {
    let Some((program, arguments)) = command.split_first() else { return Err("the command for the orders is empty".to_owned()) };
    let mut process = Command::new(program);
    process.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, process.output()).await;
    let output = output.map_err(|_| format!("`{program}` for the orders took longer than {} s", LIMIT.as_secs()))?;
    let output = output.map_err(|e| format!("`{program}` for the orders could not be run: {e}"))?;
    if !output.status.success() {
        let said: String = String::from_utf8_lossy(&output.stderr).chars().take(300).collect();
        return Err(format!("`{program}` for the orders ended with {}: {}", output.status, said.trim()));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("`{program}` for the orders did not print a JSON object of identifier and number of times: {e}"))
}

/// Holds what was handed over against what is due.
pub(super) fn judge<'p>(parcels: impl Iterator<Item = &'p Parcel>, orders: &Orders, rules: &MerchantRules) -> Vec<Finding> {
    let judged = parcels.filter_map(|parcel| {
        let times = orders.get(&parcel.id).copied().unwrap_or(0);
        (!parcel.due.allows(times)).then(|| {
            let message =
                format!("goods for {} were handed over {times} times; {}, told by the case `{}`", parcel.id, parcel.due, parcel.case);
            let mut finding = check::about(&parcel.letter, parcel.due.clause(rules), message).at("goods");
            // The exchange is in the record of the case that it names.
            finding.exchange = None;
            finding.compare(parcel.due.expected(), times)
        })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn each_right_has_its_bounds() {
        let allowed = |due: Due| (0..3).filter(|times| due.allows(*times)).collect::<Vec<_>>();
        assert_eq!(Due::ALL.map(allowed), [vec![1], vec![0, 1], vec![0], vec![0]]);
    }

    #[tokio::test]
    async fn what_the_command_prints_is_read_strictly() {
        assert_eq!(read(&words("echo {\"A\":2}")).await.unwrap(), Orders::from([("A".to_owned(), 2)]));
        for wrong in ["echo [1]", "echo {\"A\":-1}", "echo", "false", "/no/such/program"] {
            assert!(read(&words(wrong)).await.is_err(), "{wrong}");
        }
    }
}
