//! Faults placed in a world: the next calls of an operation answer a documented code that input can't reach, or the wire
//! has trouble.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::gateway::core::{Call, Code, Interface, Refusal};
use crate::sync::lock;
use crate::terminal::core::{Call as TerminalCall, ClosingError};
use crate::transfers::core::Call as TransfersCall;

/// A documented call, as faults know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Of the gateway, through one of the interfaces: `gateway.v1.create`.
    Gateway { interface: Interface, call: Call },
    /// Of the card terminal: `terminal.refund.create`.
    Terminal(TerminalCall),
    /// About transfers: `transfers.list`.
    Transfers(TransfersCall),
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
        Self::all().find(|(known, _)| known == name).map(|(_, operation)| operation)
    }

    /// The names of all operations.
    pub(crate) fn names() -> Vec<String> {
        Self::all().map(|(name, _)| name).collect()
    }

    fn all() -> impl Iterator<Item = (String, Self)> {
        let gateway = [("v1", Interface::V1), ("v2", Interface::V2)].into_iter().flat_map(|(version, interface)| {
            CALLS.map(|(name, call)| (format!("gateway.{version}.{name}"), Self::Gateway { interface, call }))
        });
        let terminal = TerminalCall::NAMED.map(|(name, call)| (name.to_owned(), Self::Terminal(call)));
        let transfers = TransfersCall::NAMED.map(|(name, call)| (name.to_owned(), Self::Transfers(call)));
        gateway.chain(terminal).chain(transfers)
    }

    /// The error codes documented for it.
    pub(crate) fn codes(self) -> Vec<u16> {
        let numbers = |codes: &[(Code, _)]| codes.iter().map(|(code, _)| code.number()).collect();
        match self {
            Self::Gateway { call, .. } => call.errors().to_vec(),
            Self::Terminal(call) => numbers(call.errors()),
            Self::Transfers(call) => numbers(call.errors()),
        }
    }

    /// What it answers with one of these codes, in the words of the document.
    pub(crate) fn refusal(self, number: u16) -> Option<Refusal> {
        let of = |codes: &[(Code, &str)]| {
            let (code, meaning) = codes.iter().find(|(code, _)| code.number() == number)?;
            Some(Refusal { code: *code, message: (*meaning).to_owned() })
        };
        match self {
            Self::Gateway { call, .. } => call.error(number).map(Refusal::of),
            Self::Terminal(call) => of(call.errors()),
            Self::Transfers(call) => of(call.errors()),
        }
    }

    /// The only messages it may fail with, where the document lists them.
    pub(crate) const fn messages(self) -> Option<&'static [ClosingError]> {
        match self {
            Self::Terminal(TerminalCall::Closing) => Some(ClosingError::ALL),
            Self::Gateway { .. } | Self::Terminal(_) | Self::Transfers(_) => None,
        }
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

    #[test]
    fn every_operation_reads_back_from_its_name() {
        assert_eq!(Operation::names().len(), 16 + 8 + 6);
        assert!(Operation::all().all(|(name, operation)| Operation::parse(&name) == Some(operation)));
        assert_eq!(Operation::parse("gateway.v3.create"), None);
    }

    #[test]
    fn every_documented_code_of_every_operation_can_be_had() {
        for (name, operation) in Operation::all() {
            for code in operation.codes() {
                assert_eq!(operation.refusal(code).map(|refusal| refusal.code.number()), Some(code), "{name} {code}");
            }
            assert_eq!(operation.refusal(1), None, "{name}");
        }
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
