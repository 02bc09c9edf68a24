//! A card terminal of a merchant.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult, find_merchant};
use crate::common::MerchantSettings;
use crate::control::error::ControlError;
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

pub(super) async fn charges(context: ActionContext, with: Charges) -> ActionResult {
    find_merchant(&context, &with.merchant)?;
    if with.amount <= 0 {
        return Err(ControlError::bad("amount is a positive number of minor units"));
    }
    let date = with.date.unwrap_or_else(|| context.world.now().to_zoned(TimeZone::UTC).date());
    let response = json!({ "vs": with.vs, "date": date });
    context.world.charge_on_terminal(TerminalPayment {
        merchant: with.merchant,
        variable_symbol: with.vs,
        amount: i64::from(with.amount),
        date,
        refunds: Vec::new(),
    });
    Ok(response)
}

/// The state the terminal gets into.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    merchant: String,
    status: String,
}

pub(super) async fn changes(context: ActionContext, with: Changes) -> ActionResult {
    let merchant = find_merchant(&context, &with.merchant)?;
    let changed = |present: &MerchantSettings| MerchantSettings { terminal_status: with.status.clone(), ..present.clone() };
    context.world.merchants().change::<ControlError>(&merchant, |present| Ok(changed(present)))?;
    Ok(json!({ "merchant": with.merchant, "status": with.status }))
}
