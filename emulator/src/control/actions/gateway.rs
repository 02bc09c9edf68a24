//! Faults of the gateway, of terminals and about transfers.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult, list};
use super::fault_code::FaultCode;
use super::pos_faults::{PosOperation, RequestedFault};
use crate::common::Refusal;
use crate::control::error::ControlError;
use crate::terminal::core::ClosingError;
use crate::world::{Fault, FaultEffect, Operation};

/// The calls that fail, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fails {
    operation: String,
    code: FaultCode,
    message: Option<String>,
    #[serde(default = "once")]
    times: u32,
}

fn once() -> u32 {
    1
}

pub(super) async fn fails(context: ActionContext, with: Fails) -> ActionResult {
    let response = json!({ "operation": with.operation, "code": with.code, "times": with.times });
    if let Some(operation) = PosOperation::parse(&with.operation) {
        operation.place(&context, RequestedFault::Error(&with.code, with.message), with.times)?;
        return Ok(response);
    }
    let operation = operation(&with.operation)?;
    let documented = with.code.number().and_then(|code| operation.refusal(code)).ok_or_else(|| undocumented(&with, operation))?;
    if let (Some(message), Some(known)) = (&with.message, operation.messages())
        && ClosingError::parse(message).is_none()
    {
        let known = list(known, ClosingError::as_str);
        return Err(ControlError::bad(format!("the message of {} is one of {known}", with.operation)));
    }
    let refusal = Refusal { message: with.message.unwrap_or(documented.message), ..documented };
    context.world.faults().place(Fault { operation, effect: FaultEffect::Refusal(refusal), times: with.times });
    Ok(response)
}

/// The calls whose response is late, and how late.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stalls {
    operation: String,
    /// Real time, also in a virtual world.
    seconds: f64,
    #[serde(default = "once")]
    times: u32,
}

/// No test waits longer, and no connection is held for ever.
const LONGEST_STALL: Duration = Duration::from_secs(60);

pub(super) async fn stalls(context: ActionContext, with: Stalls) -> ActionResult {
    let pause = Duration::try_from_secs_f64(with.seconds).ok().filter(|pause| *pause <= LONGEST_STALL);
    let pause = pause.ok_or_else(|| ControlError::bad(format!("seconds is a number from 0 to {}", LONGEST_STALL.as_secs())))?;
    if let Some(operation) = PosOperation::parse(&with.operation) {
        operation.place(&context, RequestedFault::Stall(pause), with.times)?;
    } else {
        let operation = operation(&with.operation)?;
        context.world.faults().place(Fault { operation, effect: FaultEffect::Stall(pause), times: with.times });
    }
    Ok(json!({ "operation": with.operation, "seconds": with.seconds, "times": with.times }))
}

/// The calls that never get a response.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Disconnects {
    operation: String,
    #[serde(default = "once")]
    times: u32,
}

pub(super) async fn disconnects(context: ActionContext, with: Disconnects) -> ActionResult {
    if let Some(operation) = PosOperation::parse(&with.operation) {
        operation.place(&context, RequestedFault::Disconnection, with.times)?;
    } else {
        let operation = operation(&with.operation)?;
        context.world.faults().place(Fault { operation, effect: FaultEffect::Disconnection, times: with.times });
    }
    Ok(json!({ "operation": with.operation, "times": with.times }))
}

fn operation(name: &str) -> Result<Operation, ControlError> {
    let names = || Operation::names().chain(PosOperation::names()).collect::<Vec<_>>().join(", ");
    Operation::parse(name).ok_or_else(|| ControlError::bad(format!("operation is one of {}", names())))
}

fn undocumented(with: &Fails, operation: Operation) -> ControlError {
    let codes: Vec<_> = operation.codes().iter().map(u16::to_string).collect();
    ControlError::bad(format!("code {} is not documented for {}: choose one of {}", with.code, with.operation, codes.join(", ")))
}
