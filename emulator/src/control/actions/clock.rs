//! The clock of a virtual world.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult, NoParameters};
use crate::control::error::ControlError;

/// The advance: by seconds, or to a time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Advances {
    seconds: Option<u32>,
    to: Option<Timestamp>,
}

/// The time it is.
pub(super) async fn reads(context: ActionContext, _: NoParameters) -> ActionResult {
    Ok(json!({ "now": context.world.now() }))
}

pub(super) async fn advances(context: ActionContext, with: Advances) -> ActionResult {
    let now = match (with.seconds, with.to) {
        (Some(seconds), None) => {
            let by = SignedDuration::from_secs(i64::from(seconds));
            context.world.advance(|now| now.saturating_add(by).unwrap_or(Timestamp::MAX)).await?
        }
        (None, Some(time)) => context.world.advance(|_| time).await?,
        _ => return Err(ControlError::bad("clock.advances takes either `seconds` or `to`")),
    };
    Ok(json!({ "now": now }))
}
