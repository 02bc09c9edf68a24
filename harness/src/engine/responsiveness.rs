//! Whether a target responds at all: a dead one is given up, and so is an operation that never responds.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use indexmap::IndexMap;

use crate::base::interrupt::Interrupt;
use crate::base::text::counted;
use crate::spec::contract::Contracts;
use crate::spec::target::GiveUp;
use crate::wire::exchange::{Exchange, TransportFailure, TransportFailureKind};

/// Refused connections after which no server is assumed at an address that has never responded.
const REFUSED: usize = 3;

/// Counts the calls without a response, all together and by operation.
pub(crate) struct Responsiveness {
    limits: GiveUp,
    operations: IndexMap<String, OperationSilence>,
    /// Whether any call got a response.
    responded: AtomicBool,
    /// Refused connections since the last response.
    refused: AtomicUsize,
    /// Calls without a response since the last response.
    without_response: AtomicUsize,
    /// How often a response ended a silence.
    ended_silences: AtomicUsize,
    /// The error of the first call of the present silence.
    why: Mutex<Option<String>>,
    /// Why the target was given up, once it was.
    given_up: OnceLock<String>,
    /// Raised when the target is given up.
    giving_up: Interrupt,
}

/// The calls of one operation.
#[derive(Default)]
struct OperationSilence {
    responded: AtomicBool,
    without_response: AtomicUsize,
}

/// A silence as it is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Silence {
    /// Which one: silences that a response has ended have other numbers.
    pub(crate) number: usize,
    /// Calls in it.
    pub(crate) calls: usize,
    /// Whether any call got a response before.
    pub(crate) has_responded: bool,
}

impl Responsiveness {
    /// No call has been made.
    pub(crate) fn new(contracts: &Contracts, limits: GiveUp) -> Self {
        let operations = contracts.operations.keys().map(|id| (id.clone(), OperationSilence::default())).collect();
        Self { operations, ..Self::of_one(limits) }
    }

    /// The same where all calls are alike.
    pub(crate) fn of_one(limits: GiveUp) -> Self {
        Self {
            limits,
            operations: IndexMap::new(),
            responded: AtomicBool::new(false),
            refused: AtomicUsize::new(0),
            without_response: AtomicUsize::new(0),
            ended_silences: AtomicUsize::new(0),
            why: Mutex::new(None),
            given_up: OnceLock::new(),
            giving_up: Interrupt::default(),
        }
    }

    /// Counts a call.
    pub(crate) fn note(&self, exchange: &Exchange) {
        self.note_outcome(&exchange.operation, &exchange.request.url, exchange.failure());
    }

    /// Counts a call of an operation that failed, or got a response.
    pub(crate) fn note_outcome(&self, operation: &str, url: &str, failure: Option<&TransportFailure>) {
        let silence = self.operations.get(operation);
        let Some((failure, why)) = failure.and_then(|failure| Some((failure, silent(failure.kind)?))) else {
            if let Some(silence) = silence {
                silence.responded.store(true, Ordering::Relaxed);
            }
            return self.respond();
        };
        if let Some(silence) = silence {
            silence.without_response.fetch_add(1, Ordering::Relaxed);
        }
        self.fail(failure.kind, || format!("{why} {url}: {}", failure.detail));
    }

    /// Counts a call that failed, or got a response.
    pub(crate) fn note_kind(&self, failure: Option<TransportFailureKind>) {
        match failure.and_then(|kind| Some((kind, silent(kind)?))) {
            Some((kind, why)) => self.fail(kind, || format!("{why} the target")),
            None => self.respond(),
        }
    }

    /// Cheap if nothing changes, as users of a load respond at the same time on all cores.
    fn respond(&self) {
        if self.responded.load(Ordering::Relaxed) && self.without_response.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        *why = None;
        self.responded.store(true, Ordering::Relaxed);
        self.refused.store(0, Ordering::Relaxed);
        self.without_response.store(0, Ordering::Relaxed);
        self.ended_silences.fetch_add(1, Ordering::Relaxed);
    }

    fn fail(&self, kind: TransportFailureKind, describe: impl FnOnce() -> String) {
        let mut why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        let why = why.get_or_insert_with(describe);
        let was_refused = usize::from(kind == TransportFailureKind::Connect);
        let refused = self.refused.fetch_add(was_refused, Ordering::Relaxed) + was_refused;
        let without_response = self.without_response.fetch_add(1, Ordering::Relaxed) + 1;
        let is_given_up = without_response >= self.limits.all || (refused >= REFUSED && !self.has_responded());
        if is_given_up {
            self.given_up.get_or_init(|| self.reason(why));
            self.giving_up.raise();
        }
    }

    fn reason(&self, why: &str) -> String {
        let without_response = self.without_response.load(Ordering::Relaxed);
        let since =
            if self.has_responded() { format!("the last {} got no response; ", counted(without_response, "call")) } else { String::new() };
        format!("{since}{why}")
    }

    /// Whether any call got a response.
    pub(crate) fn has_responded(&self) -> bool {
        self.responded.load(Ordering::Relaxed)
    }

    /// Whether the target is given up: hundreds of further attempts would only cost time.
    pub(crate) fn is_given_up(&self) -> bool {
        self.giving_up.is_raised()
    }

    /// Resolves once the target is given up.
    pub(crate) fn giving_up(&self) -> impl Future<Output = ()> + Send + 'static {
        self.giving_up.wait()
    }

    /// Why an operation is not called any more: it has never responded, and several calls of it waited in vain.
    pub(crate) fn given_up_operation(&self, operation: &str) -> Option<String> {
        let silence = self.operations.get(operation)?;
        let without_response = silence.without_response.load(Ordering::Relaxed);
        let is_silent = !silence.responded.load(Ordering::Relaxed) && without_response >= self.limits.operation;
        is_silent.then(|| format!("`{operation}` has never responded; it is given up after {}", counted(self.limits.operation, "call")))
    }

    /// Why the target could not be reached, at the end of a run: no server was there, none ever responded to several calls, or it
    /// stopped responding. A server that takes a few calls without a response is there, and is judged.
    pub(crate) fn unreachable(&self) -> Option<String> {
        if let Some(why) = self.given_up.get() {
            return Some(why.clone());
        }
        self.never_responded()
    }

    /// Why the target never responded, if it was called and did not.
    pub(crate) fn never_responded(&self) -> Option<String> {
        let (refused, without_response) = (self.refused.load(Ordering::Relaxed), self.without_response.load(Ordering::Relaxed));
        let never = !self.has_responded() && (refused > 0 || without_response >= self.limits.operation);
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        why.as_deref().filter(|_| never).map(|why| self.reason(why))
    }

    /// The present silence; none if the last call got a response, or none was made.
    pub(crate) fn silence(&self) -> Option<Silence> {
        let calls = self.without_response.load(Ordering::Relaxed);
        let number = self.ended_silences.load(Ordering::Relaxed);
        (calls > 0).then(|| Silence { number, calls, has_responded: self.has_responded() })
    }

    /// The number of calls without a response after which a target counts as dead.
    pub(crate) fn enough(&self) -> usize {
        self.limits.all
    }
}

/// What a failure says of a server that gives no response. A server that breaks off or says too much is there, and is judged.
fn silent(kind: TransportFailureKind) -> Option<&'static str> {
    match kind {
        TransportFailureKind::Connect => Some("no server responds at"),
        TransportFailureKind::Timeout => Some("no response comes from"),
        TransportFailureKind::Broken | TransportFailureKind::TooLarge | TransportFailureKind::Unread => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://127.0.0.1:1/v1.0/create";
    const CREATE: &str = "gateway.v1.create";
    const STATUS: &str = "gateway.v1.status";

    fn responsiveness() -> Responsiveness {
        Responsiveness::new(&Contracts::shipped(), GiveUp::default())
    }

    fn call(responsiveness: &Responsiveness, operation: &str, failure: Option<TransportFailureKind>) {
        let failure = failure.map(|kind| TransportFailure { kind, detail: "why".to_owned() });
        responsiveness.note_outcome(operation, URL, failure.as_ref());
    }

    #[test]
    fn a_target_that_never_responds_is_given_up_soon_and_is_unreachable() {
        let target = responsiveness();
        for _ in 1..REFUSED {
            call(&target, CREATE, Some(TransportFailureKind::Connect));
            assert!(!target.is_given_up());
        }
        call(&target, CREATE, Some(TransportFailureKind::Connect));
        assert!(target.is_given_up());
        assert_eq!(target.unreachable().unwrap(), format!("no server responds at {URL}: why"));
    }

    #[test]
    fn a_target_that_dies_on_the_way_is_given_up_and_is_unreachable() {
        let target = responsiveness();
        call(&target, CREATE, None);
        for _ in 1..GiveUp::default().all {
            call(&target, CREATE, Some(TransportFailureKind::Timeout));
            assert!(!target.is_given_up());
        }
        call(&target, CREATE, Some(TransportFailureKind::Connect));
        assert!(target.is_given_up());
        // A late response changes nothing: the rest was not sent.
        call(&target, CREATE, None);
        let why = target.unreachable().unwrap();
        assert!(why.starts_with("the last 20 calls got no response; no response comes from") && why.contains(URL), "{why}");
    }

    #[test]
    fn a_target_that_responds_in_between_is_not_given_up() {
        let target = responsiveness();
        for _ in 0..GiveUp::default().all {
            call(&target, CREATE, Some(TransportFailureKind::Timeout));
            call(&target, STATUS, Some(TransportFailureKind::Broken));
        }
        assert!(!target.is_given_up());
        assert_eq!(target.unreachable(), None);
    }

    #[test]
    fn a_target_that_was_silent_to_the_last_is_unreachable_and_one_that_is_slow_once_is_judged() {
        let target = responsiveness();
        for calls in 1..=GiveUp::default().operation {
            assert_eq!(target.unreachable(), None, "{calls}");
            call(&target, CREATE, Some(TransportFailureKind::Timeout));
        }
        assert!(!target.is_given_up() && target.unreachable().is_some());
    }

    #[test]
    fn an_operation_that_never_responds_is_given_up_and_one_that_has_responded_is_not() {
        let target = responsiveness();
        call(&target, STATUS, None);
        for _ in 0..GiveUp::default().operation {
            assert_eq!(target.given_up_operation(CREATE), None);
            call(&target, CREATE, Some(TransportFailureKind::Timeout));
            call(&target, STATUS, Some(TransportFailureKind::Timeout));
        }
        assert!(target.given_up_operation(CREATE).unwrap().contains("`gateway.v1.create` has never responded"));
        assert_eq!(target.given_up_operation(STATUS), None);
    }

    #[test]
    fn a_response_ends_a_silence_and_the_next_one_is_another() {
        let target = responsiveness();
        assert_eq!(target.silence(), None);
        target.note_kind(Some(TransportFailureKind::Timeout));
        let first = target.silence().unwrap();
        assert_eq!((first.calls, first.has_responded), (1, false));
        target.note_kind(None);
        assert_eq!(target.silence(), None);
        target.note_kind(Some(TransportFailureKind::Connect));
        let second = target.silence().unwrap();
        assert!(second.has_responded && second.number != first.number, "{second:?}");
    }
}
