//! The card holder at a terminal.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult};
use crate::common::{Movement, TransactionId};
use crate::control::error::ControlError;
use crate::gateway::core::Reason;
use crate::terminal::core::{Card, Impossible, Terminal};

/// The transaction that is completed, and the card; without one, a card is made up.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Pays {
    trans_id: String,
    card_number: Option<String>,
    card_valid: Option<String>,
}

pub(super) async fn pays(context: ActionContext, with: Pays) -> ActionResult {
    let card = card(with.card_number.as_deref(), with.card_valid.as_deref())?;
    change(&context, &with.trans_id, "PAID", |terminal, id, now| terminal.complete(id, card.clone(), now).map(Some))
}

fn card(number: Option<&str>, valid: Option<&str>) -> Result<Option<Card>, ControlError> {
    if number.is_none() && valid.is_none() {
        return Ok(None);
    }
    Card::new(number.unwrap_or("516844******0005"), valid.unwrap_or("12/29")).map(Some).map_err(ControlError::bad)
}

/// The transaction that is rejected, and why.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct IsDeclined {
    trans_id: String,
    reason: Option<String>,
}

/// The document doesn't list the reasons, so any text will do.
pub(super) async fn is_declined(context: ActionContext, with: IsDeclined) -> ActionResult {
    if with.reason.as_deref() == Some("") {
        return Err(ControlError::bad("reason is some text; leave it out for REJECTED_BY_BANK"));
    }
    let reason = with.reason.map_or(Cow::Borrowed(Reason::RejectedByBank.as_str()), Cow::Owned);
    change(&context, &with.trans_id, "CANCELLED", |terminal, id, now| terminal.fail(id, Some(reason.clone()), now).map(|()| None))
}

/// The transaction that is not completed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Leaves {
    trans_id: String,
}

/// The terminal gives the transaction up, at once, so that a test needn't wait.
pub(super) async fn leaves(context: ActionContext, with: Leaves) -> ActionResult {
    change(&context, &with.trans_id, "CANCELLED", |terminal, id, now| terminal.fail(id, None, now).map(|()| None))
}

/// The transaction that is given up on the terminal.
pub(super) async fn cancels(context: ActionContext, with: Leaves) -> ActionResult {
    let reason = Cow::Borrowed(Reason::CustomerClick.as_str());
    change(&context, &with.trans_id, "CANCELLED", |terminal, id, now| terminal.fail(id, Some(reason.clone()), now).map(|()| None))
}

/// The reason of an incomplete transaction; the document names none.
const INCOMPLETE: &str = "NOT_COMPLETED";

/// The transaction that the terminal does not complete correctly: the card is drawn out too early, the line breaks.
pub(super) async fn breaks_off(context: ActionContext, with: Leaves) -> ActionResult {
    let reason = Cow::Borrowed(INCOMPLETE);
    change(&context, &with.trans_id, "CANCELLED", |terminal, id, now| terminal.fail(id, Some(reason.clone()), now).map(|()| None))
}

fn change(
    context: &ActionContext,
    trans_id: &str,
    status: &str,
    action: impl Fn(&mut Terminal, TransactionId, Timestamp) -> Result<Option<Movement>, Impossible>,
) -> ActionResult {
    let id = TransactionId::parse(trans_id).ok_or_else(|| impossible(trans_id, Impossible::Unknown))?;
    let done = context.world.with_transaction(|terminal, now| action(terminal, id, now).map(|movement| (movement, ())));
    done.map_err(|why| impossible(trans_id, why))?;
    Ok(json!({ "transId": trans_id, "status": status }))
}

pub(super) fn impossible(trans_id: &str, why: Impossible) -> ControlError {
    match why {
        Impossible::Unknown => ControlError::unknown(format!("there is no terminal transaction {trans_id} in this world")),
        why => ControlError::conflict(format!("{trans_id} can't change like that: {why}")),
    }
}
