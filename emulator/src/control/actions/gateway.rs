//! The gateway has troubles of its own.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::pos_troubles::{Asked, PosOperation};
use super::{At, ControlError, Outcome, list};
use crate::gateway::core::Refusal;
use crate::terminal::core::ClosingError;
use crate::world::{Fault, Operation, Trouble};

/// Which calls fail, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fails {
    operation: String,
    code: Code,
    message: Option<String>,
    #[serde(default = "once")]
    times: u32,
}

/// A code of the gateway, an HTTP status of the QR payment API, or an `errorCode` of the device API.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Code {
    Number(u16),
    Word(String),
}

impl Code {
    /// The number, if it is one.
    pub(super) const fn number(&self) -> Option<u16> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) => None,
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

fn once() -> u32 {
    1
}

pub(super) async fn fails(at: At, with: Fails) -> Outcome {
    let told = json!({ "operation": with.operation, "code": with.code, "times": with.times });
    if let Some(operation) = PosOperation::parse(&with.operation) {
        operation.place(&at, Asked::Error(&with.code, with.message), with.times)?;
        return Ok(told);
    }
    let operation = operation(&with.operation)?;
    let documented = with.code.number().and_then(|code| operation.refusal(code)).ok_or_else(|| undocumented(&with, operation))?;
    if let (Some(message), Some(known)) = (&with.message, operation.messages())
        && ClosingError::parse(message).is_none()
    {
        let known = list(known, ClosingError::word);
        return Err(ControlError::bad(format!("the message of {} is one of {known}", with.operation)));
    }
    let refusal = Refusal { message: with.message.unwrap_or(documented.message), ..documented };
    at.world.faults().place(Fault { operation, trouble: Trouble::Refusal(refusal), times: with.times });
    Ok(told)
}

/// Which calls are answered late, and how late.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stalls {
    operation: String,
    /// Real time, whatever the clock of the world.
    seconds: f64,
    #[serde(default = "once")]
    times: u32,
}

/// No test waits longer, and no connection is held for ever.
const LONGEST_STALL: Duration = Duration::from_secs(60);

pub(super) async fn stalls(at: At, with: Stalls) -> Outcome {
    let pause = Duration::try_from_secs_f64(with.seconds).ok().filter(|pause| *pause <= LONGEST_STALL);
    let pause = pause.ok_or_else(|| ControlError::bad(format!("seconds is a number from 0 to {}", LONGEST_STALL.as_secs())))?;
    if let Some(operation) = PosOperation::parse(&with.operation) {
        operation.place(&at, Asked::Stall(pause), with.times)?;
    } else {
        let operation = operation(&with.operation)?;
        at.world.faults().place(Fault { operation, trouble: Trouble::Stall(pause), times: with.times });
    }
    Ok(json!({ "operation": with.operation, "seconds": with.seconds, "times": with.times }))
}

/// Which calls never get an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Disconnects {
    operation: String,
    #[serde(default = "once")]
    times: u32,
}

pub(super) async fn disconnects(at: At, with: Disconnects) -> Outcome {
    if let Some(operation) = PosOperation::parse(&with.operation) {
        operation.place(&at, Asked::Disconnection, with.times)?;
    } else {
        let operation = operation(&with.operation)?;
        at.world.faults().place(Fault { operation, trouble: Trouble::Disconnection, times: with.times });
    }
    Ok(json!({ "operation": with.operation, "times": with.times }))
}

fn operation(name: &str) -> Result<Operation, ControlError> {
    let names = || Operation::names().into_iter().chain(PosOperation::names()).collect::<Vec<_>>().join(", ");
    Operation::parse(name).ok_or_else(|| ControlError::bad(format!("operation is one of {}", names())))
}

fn undocumented(with: &Fails, operation: Operation) -> ControlError {
    let codes: Vec<_> = operation.codes().iter().map(u16::to_string).collect();
    ControlError::bad(format!("code {} is not documented for {}: choose one of {}", with.code, with.operation, codes.join(", ")))
}
