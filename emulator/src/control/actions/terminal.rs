//! A card terminal of a merchant.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use super::{At, ControlError, Outcome, find_merchant};
use crate::gateway::core::Merchant;
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
    find_merchant(&at, &with.merchant)?;
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

/// The state the terminal gets into.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    merchant: String,
    status: String,
}

pub(super) async fn changes(at: At, with: Changes) -> Outcome {
    let mut settings = find_merchant(&at, &with.merchant)?.settings.clone();
    settings.terminal_status.clone_from(&with.status);
    at.world.merchants().change(Merchant::new(settings).map_err(ControlError::bad)?);
    Ok(json!({ "merchant": with.merchant, "status": with.status }))
}
