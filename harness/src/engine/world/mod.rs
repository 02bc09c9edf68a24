//! Everything that happens outside the API: the payer, the bank, the operator, the clock.

mod commands;
mod emulated;
mod unsettled;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use url::Url;

pub use commands::Commands;
pub use emulated::{Emulator, NewWorld};
pub use unsettled::Unsettled;

/// Who moves the world of one case.
pub trait World: Send + Sync {
    /// The base URL of an API in this world.
    fn base(&self, api: &str) -> Option<&Url>;

    /// Why an action can't be done here, if it can't.
    fn cannot(&self, action: &str) -> Option<String>;

    /// Performs an action and returns its result.
    fn act<'a>(&'a self, action: &'a str, with: &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, WorldError>>;

    /// Waits until nothing is under way; `false` where that can't be known.
    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>>;

    /// Ends the world.
    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>>;
}

/// Why the world could not be moved: a broken run, not a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WorldError(pub String);
