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

use crate::engine::recorder::Recorder;

/// Carries out the actions in the world of one case.
pub trait World: Send + Sync {
    /// The base URL of an API in this world.
    fn base(&self, api: &str) -> Option<&Url>;

    /// Performs an action and returns its result.
    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>>;

    /// Uses a connection of its own for actions from now on, where it can: its owner performs one at a time, and many of them.
    fn keep_connection(&mut self) {}

    /// The longest that a case may wait for what time brings; none where the clock can be moved, or where nothing is waited for.
    fn longest_wait(&self) -> Option<Duration> {
        None
    }

    /// Waits until nothing is under way; returns `false` if that cannot be known.
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
    /// What it acts on, as far as that is known.
    pub resource: &'a KnownResource,
}

/// What is known of the resource that an action is about.
#[derive(Clone, Debug, Default)]
pub struct KnownResource {
    /// Its kind; `None` if the case has not created it.
    pub kind: Option<String>,
    /// What was sent when it was created, and the response.
    pub fields: Map<String, Value>,
}

/// Why an action was not carried out: never a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// A driver of the target file failed, or there is none; the text names the action.
    #[error("{0}")]
    Driver(String),
    /// It cannot be done here: a person declined, or it would take too long.
    #[error("{0}")]
    Declined(String),
}

impl WorldError {
    /// The same error without the known secrets in its text: a driver passes on what programs and other servers say.
    #[must_use]
    pub(crate) fn masked(self, recorder: &Recorder) -> Self {
        match self {
            Self::Failed(why) => Self::Failed(recorder.text(&why)),
            Self::Driver(why) => Self::Driver(recorder.text(&why)),
            Self::Declined(why) => Self::Declined(recorder.text(&why)),
        }
    }
}
