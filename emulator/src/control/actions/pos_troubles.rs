//! Troubles of the QR payment and of the device API, placed by the actions of the gateway's troubles.

use std::time::Duration;

use http::StatusCode;

use super::gateway::Code;
use super::{At, ControlError, list};
use crate::device::core::{ErrorCode, Refusal};
use crate::device::wire::DeviceCall;
use crate::qr::wire::{Failure, QrCall};
use crate::world::{Fault, Trouble};

/// A call of one of the two APIs.
#[derive(Debug, Clone, Copy)]
pub(super) enum PosOperation {
    Qr(QrCall),
    Device(DeviceCall),
}

/// What the next calls are going to meet, in words that both APIs understand.
#[derive(Debug)]
pub(super) enum Asked<'a> {
    Error(&'a Code, Option<String>),
    Stall(Duration),
    Disconnection,
}

impl PosOperation {
    /// Reads the name of an operation.
    pub(super) fn parse(name: &str) -> Option<Self> {
        QrCall::parse(name).map(Self::Qr).or_else(|| DeviceCall::parse(name).map(Self::Device))
    }

    /// The names of all operations.
    pub(super) fn names() -> impl Iterator<Item = String> {
        let qr = QrCall::ALL.iter().map(|call| call.word());
        qr.chain(DeviceCall::ALL.iter().map(|call| call.word())).map(str::to_owned)
    }

    /// Places a trouble in the world.
    pub(super) fn place(self, at: &At, asked: Asked<'_>, times: u32) -> Result<(), ControlError> {
        match self {
            Self::Qr(operation) => {
                let trouble = asked.trouble(failure)?;
                at.world.qr().faults().place(Fault { operation, trouble, times });
            }
            Self::Device(operation) => {
                let trouble = asked.trouble(refusal)?;
                at.world.fleet().faults().place(Fault { operation, trouble, times });
            }
        }
        Ok(())
    }
}

impl Asked<'_> {
    fn trouble<R>(self, error: impl FnOnce(&Code, Option<String>) -> Result<R, ControlError>) -> Result<Trouble<R>, ControlError> {
        Ok(match self {
            Self::Error(code, message) => Trouble::Refusal(error(code, message)?),
            Self::Stall(pause) => Trouble::Stall(pause),
            Self::Disconnection => Trouble::Disconnection,
        })
    }
}

/// The QR payment API has no codes of its own, only HTTP statuses.
fn failure(code: &Code, message: Option<String>) -> Result<Failure, ControlError> {
    let status = code.number().and_then(|number| StatusCode::from_u16(number).ok());
    let status = status.filter(|status| status.is_client_error() || status.is_server_error());
    let status = status.ok_or_else(|| ControlError::bad("code is an HTTP status from 400 to 599"))?;
    let message = message.unwrap_or_else(|| status.canonical_reason().unwrap_or("error").to_owned());
    Ok(Failure { status, message })
}

fn refusal(code: &Code, message: Option<String>) -> Result<Refusal, ControlError> {
    let known = match code {
        Code::Number(_) => None,
        Code::Word(word) => ErrorCode::parse(word),
    };
    let code = known.ok_or_else(|| ControlError::bad(format!("code is one of {}", list(ErrorCode::ALL, ErrorCode::word))))?;
    let documented = Refusal::from(code);
    Ok(Refusal { code, message: message.map_or(documented.message, Into::into) })
}
