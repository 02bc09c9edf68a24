//! Where a journey hands over to a session: at the first thing that its bytes do not settle.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};

use super::received_call::ReceivedCall;
use crate::engine::world::WorldError;
use crate::wire::exchange::Exchange;

/// What a session must judge, and the index of the step that it belongs to. Everything before it was fine.
pub(crate) enum Handover<'j> {
    /// The step has not begun.
    Step(usize),
    /// A response; the step waits for another one until the deadline.
    Response { step: usize, call: Box<ReceivedCall<'j>>, deadline: Instant },
    /// An action that failed, or of which more is expected.
    Action { step: usize, performed: Box<PerformedAction> },
    /// No such notification arrived in time.
    Missing { step: usize },
    /// A notification.
    Arrival { step: usize, arrived: Arc<Exchange> },
    /// A notification without fault, of which the confirming call was not made.
    Unconfirmed { step: usize, notification: Arc<Exchange> },
    /// The response to the confirming call, which was sent at this moment.
    Confirmation { step: usize, notification: Arc<Exchange>, call: Box<ReceivedCall<'j>>, asked: Instant },
    /// Notifications that no step has claimed.
    Rest,
}

/// An action of the world that was carried out, or failed.
pub(crate) struct PerformedAction {
    pub(super) action: String,
    pub(super) with: Map<String, Value>,
    pub(super) response: Result<Value, WorldError>,
}

impl Handover<'_> {
    /// The index of its step.
    pub(super) fn step(&self) -> Option<usize> {
        match self {
            Self::Step(step)
            | Self::Response { step, .. }
            | Self::Action { step, .. }
            | Self::Missing { step }
            | Self::Arrival { step, .. }
            | Self::Unconfirmed { step, .. }
            | Self::Confirmation { step, .. } => Some(*step),
            Self::Rest => None,
        }
    }
}
