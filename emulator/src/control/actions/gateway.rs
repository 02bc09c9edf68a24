//! The gateway has troubles of its own.

use serde::Deserialize;
use serde_json::json;

use super::{At, ControlError, Outcome};
use crate::gateway::core::Refusal;
use crate::world::{Fault, Operation};

/// Which calls fail, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fails {
    operation: String,
    code: u16,
    message: Option<String>,
    #[serde(default = "once")]
    times: u32,
}

fn once() -> u32 {
    1
}

pub(super) async fn fails(at: At, with: Fails) -> Outcome {
    let operation = Operation::parse(&with.operation)
        .ok_or_else(|| ControlError::bad(format!("operation is one of {}", Operation::names().join(", "))))?;
    let code = operation.call.error(with.code).ok_or_else(|| undocumented(&with, operation))?;
    let documented = Refusal::of(code);
    let refusal = Refusal { code, message: with.message.unwrap_or(documented.message) };
    at.world.faults().place(Fault { operation, refusal, times: with.times });
    Ok(json!({ "operation": with.operation, "code": with.code, "times": with.times }))
}

fn undocumented(with: &Fails, operation: Operation) -> ControlError {
    let codes: Vec<_> = operation.call.errors().iter().map(u16::to_string).collect();
    ControlError::bad(format!("code {} is not documented for {}: choose one of {}", with.code, with.operation, codes.join(", ")))
}
