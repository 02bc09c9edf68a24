//! A merchant changes its settings in the portal and reads its mail.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::context::{ActionContext, ActionResult, NoParameters, find_merchant};
use crate::common::MerchantSettings;
use crate::control::error::ControlError;
use crate::control::views::emails;

/// The merchant and the settings to change, under their names in the world's settings.
#[derive(Debug, Deserialize)]
pub(super) struct Changes {
    merchant: String,
    #[serde(flatten)]
    settings: Map<String, Value>,
}

pub(super) async fn changes(context: ActionContext, with: Changes) -> ActionResult {
    let merchant = find_merchant(&context, &with.merchant)?;
    context.world.merchants().change::<ControlError>(&merchant, |present| changed(present, with.settings))?;
    Ok(json!({ "merchant": with.merchant }))
}

/// The settings with these changes.
fn changed(present: &MerchantSettings, changes: Map<String, Value>) -> Result<MerchantSettings, ControlError> {
    let mut settings = serde_json::to_value(present).map_err(|error| ControlError::bad(error.to_string()))?;
    if let Value::Object(settings) = &mut settings {
        settings.extend(changes);
    }
    serde_json::from_value(settings).map_err(|error| ControlError::bad(format!("merchant.changes: {error}")))
}

/// The mail to all merchants of the world, error reports about notifications given up.
pub(super) async fn reads_mail(context: ActionContext, _: NoParameters) -> ActionResult {
    let (emails, older) = emails(&context.world);
    Ok(json!({ "count": older + emails.len(), "mail": emails }))
}
