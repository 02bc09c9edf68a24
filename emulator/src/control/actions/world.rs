//! The world as a whole.

use std::sync::Arc;

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult, NoParameters, find_merchant, list};
use crate::common::Currency;
use crate::control::error::ControlError;

/// Waits until no delivery is under way. Retries to come don't count.
pub(super) async fn settles(context: ActionContext, _: NoParameters) -> ActionResult {
    context.world.outbox().settle().await;
    Ok(json!({ "scheduled": context.world.scheduled() }))
}

/// Everything is as when the world was opened.
pub(super) async fn resets(context: ActionContext, _: NoParameters) -> ActionResult {
    let world = context.worlds.reset(&context.world)?;
    Ok(json!({ "now": world.now() }))
}

/// How many payments are made, and for whom.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fills {
    merchant: String,
    payments: u32,
    curr: Option<String>,
}

/// More would not fit in the memory of most machines.
const MOST_PAYMENTS: u32 = 1_000_000;

/// Paid production payments, as if a busy day had passed.
pub(super) async fn fills(context: ActionContext, with: Fills) -> ActionResult {
    let merchant = find_merchant(&context, &with.merchant)?;
    if with.payments > MOST_PAYMENTS {
        return Err(ControlError::bad(format!("payments is {MOST_PAYMENTS} at most")));
    }
    let currency = with.curr.as_deref().map_or(Some(Currency::Czk), Currency::parse);
    let currency = currency.ok_or_else(|| ControlError::bad(format!("curr is one of {}", list(Currency::ALL, Currency::as_str))))?;
    let world = Arc::clone(&context.world);
    // Many payments take seconds, in which the other calls must not wait for a thread.
    let filled = tokio::task::spawn_blocking(move || world.fill(&merchant, with.payments, currency)).await;
    let filled = filled.map_err(|error| ControlError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    filled.map_err(|violation| ControlError::conflict(format!("{} can't create such payments: {violation}", with.merchant)))?;
    Ok(json!({ "merchant": with.merchant, "payments": with.payments, "curr": currency.as_str() }))
}
