//! Shared by all actions: where they happen, and their results.

use std::sync::Arc;

use serde_json::Value;

use crate::common::Merchant;
use crate::control::error::ControlError;
use crate::world::{World, Worlds};

/// Where an action happens.
pub(in crate::control) struct ActionContext {
    pub(in crate::control) world: Arc<World>,
    pub(in crate::control) worlds: Arc<Worlds>,
}

/// The body of the response to an action.
pub(in crate::control) type ActionResult = Result<Value, ControlError>;

/// The parameters of an action without any.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

/// Finds a merchant of the world.
pub(super) fn find_merchant(context: &ActionContext, id: &str) -> Result<Arc<Merchant>, ControlError> {
    context.world.merchants().find(id).ok_or_else(|| ControlError::unknown(format!("there is no merchant {id} in this world")))
}

/// Lists the values of an enumeration, for an error message.
pub(super) fn list<T: Copy>(all: &[T], as_str: impl Fn(T) -> &'static str) -> String {
    all.iter().map(|each| as_str(*each)).collect::<Vec<_>>().join(", ")
}
