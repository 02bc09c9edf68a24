//! Everything that happens outside the API: the payer, the bank, the operator, the clock.

mod drivers;
mod emulated;
mod unsettled;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use url::Url;

pub use drivers::{Driven, Person, Question};
pub use emulated::{Emulator, NewWorld};
pub use unsettled::Unsettled;

/// Who moves the world of one case.
pub trait World: Send + Sync {
    /// The base URL of an API in this world.
    fn base(&self, api: &str) -> Option<&Url>;

    /// Performs an action and returns its result.
    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>>;

    /// The longest that a case may wait for what time brings; none where the clock can be moved, or where nothing is waited for.
    fn longest_wait(&self) -> Option<Duration> {
        None
    }

    /// Waits until nothing is under way; `false` where that can't be known.
    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>>;

    /// Ends the world.
    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>>;
}

/// An action on the world.
#[derive(Clone, Copy, Debug)]
pub struct Act<'a> {
    /// Its name: `payer.pays`.
    pub action: &'a str,
    /// Its parameters.
    pub with: &'a Map<String, Value>,
    /// What is known of the payment that it is about: what was sent when it was created, and the response.
    pub payment: &'a Map<String, Value>,
}

/// Why the world could not be moved: never a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// It was tried.
    #[error("{0}")]
    Failed(String),
    /// It can't be done here: a person said so, or it would take too long.
    #[error("{0}")]
    Declined(String),
}
