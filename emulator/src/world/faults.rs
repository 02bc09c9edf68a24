//! Faults placed in a world: the next calls of an operation respond with a documented code that input can't reach, or the
//! connection fails.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::base::sync::lock;

/// A fault of the next calls of an operation. Each API has operations and refusals of its own.
#[derive(Debug, Clone)]
pub(crate) struct Fault<O, R> {
    pub(crate) operation: O,
    pub(crate) effect: FaultEffect<R>,
    pub(crate) times: u32,
}

/// The effect of a fault on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultEffect<R> {
    /// It responds with this refusal and changes nothing.
    Refusal(R),
    /// It is carried out, and the response comes after this much real time.
    Stall(Duration),
    /// It changes nothing, and the connection is closed without a response.
    Disconnection,
}

/// The faults of a world, in the order they were placed.
pub(crate) struct Faults<O, R> {
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

    /// Takes the refusal that this call responds with instead of being carried out.
    pub(crate) fn take_refusal(&self, operation: O) -> Option<R> {
        match self.use_up(operation, |effect| matches!(effect, FaultEffect::Refusal(_)))? {
            FaultEffect::Refusal(refusal) => Some(refusal),
            FaultEffect::Stall(_) | FaultEffect::Disconnection => None,
        }
    }

    /// Takes the time that the response to this call is held back for.
    pub(crate) fn take_stall(&self, operation: O) -> Option<Duration> {
        match self.use_up(operation, |effect| matches!(effect, FaultEffect::Stall(_)))? {
            FaultEffect::Stall(pause) => Some(pause),
            FaultEffect::Refusal(_) | FaultEffect::Disconnection => None,
        }
    }

    /// Takes a disconnection, if this call never gets a response.
    pub(crate) fn take_disconnection(&self, operation: O) -> bool {
        self.use_up(operation, |effect| matches!(effect, FaultEffect::Disconnection)).is_some()
    }

    /// Uses up one time of the first fault of that kind.
    fn use_up(&self, operation: O, kind: impl Fn(&FaultEffect<R>) -> bool) -> Option<FaultEffect<R>> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut placed = lock(&self.placed);
        let fault = placed.iter_mut().find(|fault| fault.operation == operation && kind(&fault.effect))?;
        fault.times -= 1;
        let effect = fault.effect.clone();
        placed.retain(|fault| fault.times > 0);
        self.count.store(placed.len(), Ordering::Release);
        Some(effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{Code, Refusal};
    use crate::world::Operation;

    #[test]
    fn a_fault_strikes_its_operation_as_often_as_it_was_placed_for() {
        let faults = Faults::default();
        let operation = Operation::parse("gateway.v1.create").unwrap();
        faults.place(Fault { operation, effect: FaultEffect::Refusal(Refusal::from_code(Code::UNEXPECTED)), times: 2 });
        assert_eq!(faults.take_refusal(Operation::parse("gateway.v2.create").unwrap()), None);
        assert!(faults.take_refusal(operation).is_some());
        assert!(faults.take_refusal(operation).is_some());
        assert_eq!(faults.take_refusal(operation), None);
    }

    #[test]
    fn faults_of_different_kinds_strike_the_same_call() {
        let faults = Faults::default();
        let operation = Operation::parse("gateway.v2.status").unwrap();
        let second = Duration::from_secs(1);
        for effect in [FaultEffect::Stall(second), FaultEffect::Disconnection, FaultEffect::Refusal(Refusal::from_code(Code::UNEXPECTED))] {
            faults.place(Fault { operation, effect, times: 1 });
        }
        assert!(faults.take_refusal(operation).is_some() && faults.take_refusal(operation).is_none());
        assert_eq!((faults.take_stall(operation), faults.take_stall(operation)), (Some(second), None));
        assert_eq!((faults.take_disconnection(operation), faults.take_disconnection(operation)), (true, false));
    }
}
