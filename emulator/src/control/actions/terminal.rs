//! A card terminal of a merchant.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use super::{At, ControlError, Outcome};
use crate::gateway::core::refund_pos::TerminalPayment;

/// The payment that is made on it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Charges {
    merchant: String,
    vs: String,
    amount: i32,
    date: Option<Date>,
}

pub(super) async fn charges(at: At, with: Charges) -> Outcome {
    if at.world.merchants().find(&with.merchant).is_none() {
        return Err(ControlError::unknown(format!("there is no merchant {} in this world", with.merchant)));
    }
    if with.amount <= 0 {
        return Err(ControlError::bad("amount is a positive number of minor units"));
    }
    let date = with.date.unwrap_or_else(|| at.world.now().to_zoned(TimeZone::UTC).date());
    let answer = json!({ "vs": with.vs, "date": date });
    at.world.charge_on_terminal(TerminalPayment {
        merchant: with.merchant,
        variable_symbol: with.vs,
        amount: i64::from(with.amount),
        date,
        refunds: Vec::new(),
    });
    Ok(answer)
}
