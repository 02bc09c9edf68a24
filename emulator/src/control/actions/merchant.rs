//! A merchant changes its settings in the portal and reads its mail.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{At, ControlError, Nothing, Outcome, find_merchant};
use crate::control::views::mails;
use crate::gateway::core::Merchant;

/// The merchant and the settings to change, under their names in the world's settings.
#[derive(Debug, Deserialize)]
pub(super) struct Changes {
    merchant: String,
    #[serde(flatten)]
    settings: Map<String, Value>,
}

pub(super) async fn changes(at: At, with: Changes) -> Outcome {
    let merchant = find_merchant(&at, &with.merchant)?;
    let mut settings = serde_json::to_value(&merchant.settings).map_err(|error| ControlError::bad(error.to_string()))?;
    if let Value::Object(settings) = &mut settings {
        settings.extend(with.settings);
    }
    let settings = serde_json::from_value(settings).map_err(|error| ControlError::bad(format!("merchant.changes: {error}")))?;
    at.world.merchants().change(Merchant::new(settings).map_err(ControlError::bad)?);
    Ok(json!({ "merchant": with.merchant }))
}

/// The mail to all merchants of the world, error reports about notifications given up.
pub(super) async fn reads_mail(at: At, _: Nothing) -> Outcome {
    let mail = mails(&at.world);
    Ok(json!({ "count": mail.len(), "mail": mail }))
}
