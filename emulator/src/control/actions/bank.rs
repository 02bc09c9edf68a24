//! The bank: it pays merchants out, and gives card holders money back.

use serde::Deserialize;
use serde_json::json;

use super::cardholder::impossible;
use super::context::{ActionContext, ActionResult, find_merchant};
use crate::common::PaymentId;
use crate::control::error::ControlError;
use crate::terminal::core::Impossible;

/// The merchant who is paid out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transfers {
    merchant: String,
}

pub(super) async fn transfers(context: ActionContext, with: Transfers) -> ActionResult {
    let merchant = find_merchant(&context, &with.merchant)?;
    let made = context.world.transfer_now(&merchant);
    let made: Vec<_> = made.iter().map(|transfer| json!({ "transferId": transfer.id, "curr": transfer.currency.as_str() })).collect();
    Ok(json!({ "transfers": made }))
}

/// The terminal payment, and how much of it goes back, in minor units.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Returns {
    trans_id: String,
    amount: i32,
}

pub(super) async fn returns(context: ActionContext, with: Returns) -> ActionResult {
    if with.amount <= 0 {
        return Err(ControlError::bad("amount is a positive number of minor units"));
    }
    let id = PaymentId::parse(&with.trans_id).ok_or_else(|| impossible(&with.trans_id, Impossible::Unknown))?;
    let done = context.world.with_transaction(|terminal, now| {
        let (movement, refunded) = terminal.return_money(id, i64::from(with.amount), now)?;
        Ok((Some(movement), refunded))
    });
    let refunded = done.map_err(|why| impossible(&with.trans_id, why))?;
    Ok(json!({ "transId": with.trans_id, "amountRefunded": refunded }))
}
