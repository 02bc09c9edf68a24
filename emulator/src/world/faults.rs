//! Faults placed in a world: the next calls of an operation answer a documented code that input can't reach, or the wire
//! has trouble.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::gateway::core::{Call, Interface, Refusal};
use crate::sync::lock;

/// A call through one of the interfaces, `gateway.v1.create`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) interface: Interface,
    pub(crate) call: Call,
}

const CALLS: [(&str, Call); 8] = [
    ("create", Call::Create),
    ("status", Call::Status),
    ("cancel", Call::Cancel),
    ("refund", Call::Refund),
    ("refundPos", Call::RefundPos),
    ("recurring", Call::Recurring),
    ("capturePreauth", Call::CapturePreauth),
    ("cancelPreauth", Call::CancelPreauth),
];

impl Operation {
    /// Reads the name of an operation.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (interface, call) = name.strip_prefix("gateway.")?.split_once('.')?;
        let interface = match interface {
            "v1" => Interface::V1,
            "v2" => Interface::V2,
            _ => return None,
        };
        let (_, call) = CALLS.into_iter().find(|(name, _)| *name == call)?;
        Some(Self { interface, call })
    }

    /// The names of all operations.
    pub(crate) fn names() -> Vec<String> {
        ["v1", "v2"].iter().flat_map(|interface| CALLS.map(|(call, _)| format!("gateway.{interface}.{call}"))).collect()
    }
}

/// What happens to the next calls of an operation. Each API has operations and refusals of its own.
#[derive(Debug, Clone)]
pub(crate) struct Fault<O = Operation, R = Refusal> {
    pub(crate) operation: O,
    pub(crate) trouble: Trouble<R>,
    pub(crate) times: u32,
}

/// What a fault does to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble<R = Refusal> {
    /// It is answered with this code and changes nothing.
    Refusal(R),
    /// It is carried out and answered only after so long, in real time.
    Stall(Duration),
    /// It changes nothing, and the connection is closed without an answer.
    Disconnection,
}

/// The faults of a world, in the order they were placed.
pub(crate) struct Faults<O = Operation, R = Refusal> {
    placed: Mutex<Vec<Fault<O, R>>>,
    /// Calls look here first: almost always there are none.
    count: AtomicUsize,
}

impl<O, R> Default for Faults<O, R> {
    fn default() -> Self {
        Self { placed: Mutex::default(), count: AtomicUsize::default() }
    }
}

impl<O: Copy + PartialEq, R: Clone + PartialEq> Faults<O, R> {
    /// Places a fault.
    pub(crate) fn place(&self, fault: Fault<O, R>) {
        let mut placed = lock(&self.placed);
        if fault.times > 0 {
            placed.push(fault);
        }
        self.count.store(placed.len(), Ordering::Release);
    }

    /// What this call answers instead of being carried out.
    pub(crate) fn strike(&self, operation: O) -> Option<R> {
        match self.take(operation, |trouble| matches!(trouble, Trouble::Refusal(_)))? {
            Trouble::Refusal(refusal) => Some(refusal),
            Trouble::Stall(_) | Trouble::Disconnection => None,
        }
    }

    /// How long the answer to this call is held back.
    pub(crate) fn stall(&self, operation: O) -> Option<Duration> {
        match self.take(operation, |trouble| matches!(trouble, Trouble::Stall(_)))? {
            Trouble::Stall(pause) => Some(pause),
            Trouble::Refusal(_) | Trouble::Disconnection => None,
        }
    }

    /// Whether this call never gets an answer.
    pub(crate) fn disconnects(&self, operation: O) -> bool {
        self.take(operation, |trouble| matches!(trouble, Trouble::Disconnection)).is_some()
    }

    /// Uses up one time of the first fault of that kind.
    fn take(&self, operation: O, kind: impl Fn(&Trouble<R>) -> bool) -> Option<Trouble<R>> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut placed = lock(&self.placed);
        let fault = placed.iter_mut().find(|fault| fault.operation == operation && kind(&fault.trouble))?;
        fault.times -= 1;
        let trouble = fault.trouble.clone();
        placed.retain(|fault| fault.times > 0);
        self.count.store(placed.len(), Ordering::Release);
        Some(trouble)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::core::Code;

    #[test]
    fn every_operation_reads_back_from_its_name() {
        assert!(Operation::names().iter().all(|name| Operation::parse(name).is_some()));
        assert_eq!(Operation::parse("gateway.v3.create"), None);
    }

    #[test]
    fn a_fault_strikes_its_operation_as_often_as_told() {
        let faults = Faults::default();
        let operation = Operation::parse("gateway.v1.create").unwrap();
        faults.place(Fault { operation, trouble: Trouble::Refusal(Refusal::of(Code::UNEXPECTED)), times: 2 });
        assert_eq!(faults.strike(Operation::parse("gateway.v2.create").unwrap()), None);
        assert!(faults.strike(operation).is_some());
        assert!(faults.strike(operation).is_some());
        assert_eq!(faults.strike(operation), None);
    }

    #[test]
    fn faults_of_different_kinds_strike_the_same_call() {
        let faults = Faults::default();
        let operation = Operation::parse("gateway.v2.status").unwrap();
        let second = Duration::from_secs(1);
        for trouble in [Trouble::Stall(second), Trouble::Disconnection, Trouble::Refusal(Refusal::of(Code::UNEXPECTED))] {
            faults.place(Fault { operation, trouble, times: 1 });
        }
        assert!(faults.strike(operation).is_some() && faults.strike(operation).is_none());
        assert_eq!((faults.stall(operation), faults.stall(operation)), (Some(second), None));
        assert_eq!((faults.disconnects(operation), faults.disconnects(operation)), (true, false));
    }
}
