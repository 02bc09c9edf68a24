//! Lies before they are told: cheap to list, so that all places where one could be told are known.

use serde_json::Value;

use super::body::{saying, sent, spelled};
use super::delivery::Move;
use super::place::Place;
use super::value::with;
use super::wire;
use crate::contract::Operation;
use crate::exchange::{Exchange, Outcome, TransportFailure, TransportFailureKind};
use crate::record::Entry;
use crate::recorder::Recorder;

/// A change at a place of one recorded exchange.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) place: Place,
    /// The change, in words.
    pub(super) change: String,
    how: How,
}

/// How something is changed.
#[derive(Clone, Debug)]
enum How {
    /// The field has this value; none: it is gone.
    Value(Option<Value>),
    /// The field is said a second time, with another value.
    SaidTwice,
    Bytes(wire::Damage),
    Status(u16),
    /// The header has this value; none: it is gone.
    Header(Option<&'static str>),
    Fails(TransportFailureKind),
    Moved(Move),
}

/// What is changed by a lie.
#[derive(Clone, Debug)]
pub(super) enum Lie {
    /// The exchange, as it would have been.
    Exchange(Box<Exchange>),
    /// The recording, as it would have been, and its first entry that is not as it was.
    Entries(usize, Vec<Entry>),
}

impl Lie {
    fn says_the_same_as(&self, exchange: &Exchange) -> bool {
        let Self::Exchange(changed) = self else { return false };
        sent(changed).map(|body| &body.decoded) == sent(exchange).map(|body| &body.decoded)
    }
}

impl Draft {
    fn new(place: Place, change: impl Into<String>, how: How) -> Self {
        Self { place, change: change.into(), how }
    }

    /// A field with another value, or gone.
    pub(super) fn value(pointer: &str, change: impl Into<String>, value: Option<Value>) -> Self {
        Self::new(Place::Field(pointer.to_owned()), change, How::Value(value))
    }

    /// A field that is said twice.
    pub(super) fn said_twice(pointer: String) -> Self {
        Self::new(Place::Field(pointer), "said twice", How::SaidTwice)
    }

    /// Bytes that are damaged.
    pub(super) fn bytes(damage: wire::Damage) -> Self {
        Self::new(Place::Body, damage.words(), How::Bytes(damage))
    }

    /// Another HTTP status.
    pub(super) fn status(status: u16) -> Self {
        Self::new(Place::Status, format!("{status} instead"), How::Status(status))
    }

    /// A header with another value, or gone.
    pub(super) fn header(name: &str, change: impl Into<String>, value: Option<&'static str>) -> Self {
        Self::new(Place::Header(name.to_owned()), change, How::Header(value))
    }

    /// No whole answer.
    pub(super) fn fails(kind: TransportFailureKind, change: &str) -> Self {
        Self::new(Place::Delivery, change, How::Fails(kind))
    }

    /// Something comes at another time, more often, or not at all.
    pub(super) fn moved(to: Move) -> Self {
        Self::new(to.place(), to.words(), How::Moved(to))
    }

    /// Tells the lie in place of the entry at `at`; none where it comes to the same.
    pub(super) fn tell(&self, operation: &Operation, entries: &[Entry], at: usize, recorder: &Recorder) -> Option<Lie> {
        let Some(Entry::Exchange(exchange)) = entries.get(at) else { return None };
        let told = |changed: Exchange| (changed != **exchange).then(|| Lie::Exchange(Box::new(changed)));
        match (&self.how, &self.place) {
            (How::Value(value), Place::Field(pointer)) => {
                let said = with(sent(exchange)?.value()?, pointer, value.clone())?;
                let changed = saying(operation, exchange, said, recorder)?;
                // A form has one spelling for a number and the text of its digits.
                told(changed).filter(|lie| !lie.says_the_same_as(exchange))
            }
            (How::SaidTwice, Place::Field(pointer)) => {
                let bytes = wire::said_twice(&sent(exchange)?.text, pointer)?;
                told(spelled(operation, exchange, &bytes, recorder)?)
            }
            (How::Bytes(damage), _) => told(spelled(operation, exchange, &damage.of(&sent(exchange)?.text), recorder)?),
            (How::Status(status), _) => told(wire::with_status(operation, exchange, *status, recorder)?),
            (How::Header(value), Place::Header(name)) => told(wire::with_header(operation, exchange, (name, *value), recorder)),
            (How::Fails(kind), _) => {
                let failure = TransportFailure { kind: *kind, detail: "a mutant".to_owned() };
                told(Exchange { outcome: Outcome::Failed(failure), ..Exchange::clone(exchange) })
            }
            (How::Moved(to), _) => to.apply(entries, at),
            (How::Value(_) | How::SaidTwice | How::Header(_), _) => None,
        }
    }
}
