//! Why a notification could not be prepared or sent. None of these is a finding about the merchant.

use thiserror::Error;

use crate::engine::client::ClientError;
use crate::engine::request::PrepareError;
use crate::engine::world::WorldError;

/// Why a notification could not be prepared or sent.
#[derive(Debug, Error)]
pub enum PushError {
    /// The contracts hold no such notification.
    #[error("there is no notification `{0}`")]
    UnknownNotification(String),
    /// The contracts ask nothing of a merchant.
    #[error("the contracts hold no notification that a merchant must take")]
    NoNotification,
    /// The contract of the notification names no such call.
    #[error("the contract names no call that {0}")]
    NoCall(&'static str),
    /// The contracts hold no such operation.
    #[error("there is no operation `{0}`")]
    UnknownOperation(String),
    /// A call that prepares the payment was refused.
    #[error("{0} was not accepted")]
    Refused(String),
    /// The response that creates a payment lacks its identifier.
    #[error("the response of {0} has no identifier")]
    NoIdentifier(String),
    /// The status call does not know a payment that was just created.
    #[error("the gateway does not know its own payment")]
    UnknownPayment,
    /// The world of the gateway cannot be changed.
    #[error("{0}")]
    World(String),
    /// The contract of the notification describes no body.
    #[error("the notification has no body in the contract")]
    NoBody,
    /// What the status call reports does not make a conforming notification.
    #[error("the contract does not say how to write a conforming notification")]
    NotConforming,
    /// The contract names an invalid HTTP method.
    #[error("`{0}` is not an HTTP method")]
    Method(String),
    /// No HTTP client can be built.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A call to the gateway can't be prepared.
    #[error("{0}")]
    Prepare(String),
}

impl From<WorldError> for PushError {
    fn from(error: WorldError) -> Self {
        Self::World(error.to_string())
    }
}

impl From<PrepareError> for PushError {
    fn from(error: PrepareError) -> Self {
        Self::Prepare(error.to_string())
    }
}
