//! Faults of the QR payment API and of the device API, which the actions of the gateway place too.

use std::time::Duration;

use http::StatusCode;

use super::context::{ActionContext, list};
use super::fault_code::FaultCode;
use crate::control::error::ControlError;
use crate::device::core as device;
use crate::device::core::ErrorCode;
use crate::qr::core as qr;
use crate::world::{Fault, FaultEffect};

/// A call of one of the two APIs.
#[derive(Debug, Clone, Copy)]
pub(super) enum PosOperation {
    Qr(qr::Call),
    Device(device::Call),
}

/// The fault that the next calls meet, before it is read for one of the two APIs.
#[derive(Debug)]
pub(super) enum RequestedFault<'a> {
    Error(&'a FaultCode, Option<String>),
    Stall(Duration),
    Disconnection,
}

impl PosOperation {
    /// Reads the name of an operation.
    pub(super) fn parse(name: &str) -> Option<Self> {
        qr::Call::parse(name).map(Self::Qr).or_else(|| device::Call::parse(name).map(Self::Device))
    }

    /// The names of all operations.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        let qr = qr::Call::ALL.iter().map(|call| call.as_str());
        qr.chain(device::Call::ALL.iter().map(|call| call.as_str()))
    }

    /// Places a fault in the world.
    pub(super) fn place(self, context: &ActionContext, fault: RequestedFault<'_>, times: u32) -> Result<(), ControlError> {
        match self {
            Self::Qr(operation) => {
                let effect = fault.effect(qr_refusal)?;
                context.world.qr().faults().place(Fault { operation, effect, times });
            }
            Self::Device(operation) => {
                let effect = fault.effect(device_refusal)?;
                context.world.devices().faults().place(Fault { operation, effect, times });
            }
        }
        Ok(())
    }
}

impl RequestedFault<'_> {
    fn effect<R>(self, error: impl FnOnce(&FaultCode, Option<String>) -> Result<R, ControlError>) -> Result<FaultEffect<R>, ControlError> {
        Ok(match self {
            Self::Error(code, message) => FaultEffect::Refusal(error(code, message)?),
            Self::Stall(pause) => FaultEffect::Stall(pause),
            Self::Disconnection => FaultEffect::Disconnection,
        })
    }
}

/// The QR payment API has no codes of its own, only HTTP statuses.
fn qr_refusal(code: &FaultCode, message: Option<String>) -> Result<qr::Refusal, ControlError> {
    let status = code.number().and_then(|number| StatusCode::from_u16(number).ok());
    let status = status.filter(|status| status.is_client_error() || status.is_server_error());
    let status = status.ok_or_else(|| ControlError::bad("code is an HTTP status from 400 to 599"))?;
    let message = message.unwrap_or_else(|| status.canonical_reason().unwrap_or("error").to_owned());
    Ok(qr::Refusal { status, message })
}

fn device_refusal(code: &FaultCode, message: Option<String>) -> Result<device::Refusal, ControlError> {
    let known = match code {
        FaultCode::Number(_) => None,
        FaultCode::Name(name) => ErrorCode::parse(name),
    };
    let code = known.ok_or_else(|| ControlError::bad(format!("code is one of {}", list(ErrorCode::ALL, ErrorCode::as_str))))?;
    let documented = device::Refusal::from(code);
    Ok(device::Refusal { code, message: message.map_or(documented.message, Into::into) })
}
