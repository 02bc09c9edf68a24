//! Delivers the same result more than once.

use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult};
use crate::control::error::ControlError;
use crate::control::lookup::read_trans_id;

/// The payment whose notification is repeated.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Resends {
    trans_id: String,
}

pub(super) async fn resends(context: ActionContext, with: Resends) -> ActionResult {
    match context.world.notify_again(read_trans_id(&with.trans_id)?) {
        Some(true) => Ok(json!({ "transId": with.trans_id })),
        Some(false) => Err(ControlError::conflict(format!("{} is PENDING: nothing was notified yet", with.trans_id))),
        None => Err(ControlError::unknown_payment(with.trans_id)),
    }
}
