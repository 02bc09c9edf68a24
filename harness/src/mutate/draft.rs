//! Lies before they are told: cheap to list, so that all places where one could be told are known.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::body::{saying, sent, spelled};
use super::delivery::Move;
use super::place::Place;
use super::value::{Change, changed, with};
use super::wire;
use crate::contract::{Operation, text_of};
use crate::exchange::{Exchange, Outcome, TransportFailure, TransportFailureKind};
use crate::record::Entry;
use crate::recorder::Recorder;

/// A change at a place of one recorded exchange.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) place: Place,
    how: How,
}

/// How something is changed.
#[derive(Clone, Debug)]
enum How {
    /// The field has a value that is made of its own.
    Value(Change),
    /// The field has another value that was seen there.
    Seen(Value),
    /// The field has another value that the documents list.
    Listed(Value),
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
    Exchange(Arc<Exchange>),
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
    /// A field with a value that is made of its own, or gone.
    pub(super) fn value(place: Place, change: Change) -> Self {
        Self { place, how: How::Value(change) }
    }

    /// A field with a value that was seen there.
    pub(super) fn seen(place: Place, value: Value) -> Self {
        Self { place, how: How::Seen(value) }
    }

    /// A field with another value of a list.
    pub(super) fn listed(place: Place, value: Value) -> Self {
        Self { place, how: How::Listed(value) }
    }

    /// A field that is said twice.
    pub(super) fn said_twice(pointer: &str) -> Self {
        Self { place: Place::Field(pointer.into()), how: How::SaidTwice }
    }

    /// Bytes that are damaged.
    pub(super) fn bytes(damage: wire::Damage) -> Self {
        Self { place: Place::Body, how: How::Bytes(damage) }
    }

    /// Another HTTP status.
    pub(super) fn status(status: u16) -> Self {
        Self { place: Place::Status, how: How::Status(status) }
    }

    /// A header with another value, or gone.
    pub(super) fn header(place: Place, value: Option<&'static str>) -> Self {
        Self { place, how: How::Header(value) }
    }

    /// No whole answer.
    pub(super) fn fails(kind: TransportFailureKind) -> Self {
        Self { place: Place::Delivery, how: How::Fails(kind) }
    }

    /// Something comes at another time, more often, or not at all.
    pub(super) fn moved(to: Move) -> Self {
        Self { place: to.place(), how: How::Moved(to) }
    }

    /// The change, in words.
    pub(super) fn words(&self) -> Cow<'static, str> {
        Cow::Borrowed(match &self.how {
            How::Value(change) => change.words(),
            How::Seen(_) => "that of another",
            How::Listed(value) => return format!("{} instead", text_of(value).unwrap_or_default()).into(),
            How::SaidTwice => "said twice",
            How::Bytes(damage) => damage.words(),
            How::Status(status) => return format!("{status} instead").into(),
            How::Header(None) => "dropped",
            How::Header(Some(wire::ANOTHER)) => "another value",
            How::Header(Some(value)) => return format!("`{value}` instead").into(),
            How::Fails(kind) => failure(*kind),
            How::Moved(to) => to.words(),
        })
    }

    /// Tells the lie in place of the entry at `at`; none where it comes to the same.
    pub(super) fn tell(&self, operation: &Operation, entries: &[Entry], at: usize, recorder: &Recorder) -> Option<Lie> {
        let Some(Entry::Exchange(exchange)) = entries.get(at) else { return None };
        let told = |changed: Exchange| (changed != **exchange).then(|| Lie::Exchange(Arc::new(changed)));
        // A form has one spelling for a number and the text of its digits.
        let says = |said| told(saying(operation, exchange, said, recorder)?).filter(|lie| !lie.says_the_same_as(exchange));
        match (&self.how, &self.place) {
            (How::Value(change), Place::Field(pointer)) => says(changed(sent(exchange)?.value()?, pointer, *change)?),
            (How::Seen(value) | How::Listed(value), Place::Field(pointer)) => says(with(sent(exchange)?.value()?, pointer, value.clone())?),
            (How::SaidTwice, Place::Field(pointer)) => {
                let bytes = wire::said_twice(&sent(exchange)?.text, pointer)?;
                told(spelled(operation, exchange, &bytes, recorder)?)
            }
            (How::Bytes(damage), _) => told(spelled(operation, exchange, &damage.of(&sent(exchange)?.text), recorder)?),
            (How::Status(status), _) => told(wire::with_status(operation, exchange, *status, recorder)?),
            (How::Header(value), Place::Header(name)) => told(wire::with_header(operation, exchange, (name, *value), recorder)),
            (How::Fails(kind), _) => {
                let failure = TransportFailure { kind: *kind, detail: "a mutant".to_owned() };
                told(exchange.with_outcome(Outcome::Failed(failure)))
            }
            (How::Moved(to), _) => to.apply(entries, at),
            (How::Value(_) | How::Seen(_) | How::Listed(_) | How::SaidTwice | How::Header(_), _) => None,
        }
    }
}

/// In words, that there is no whole answer.
fn failure(kind: TransportFailureKind) -> &'static str {
    match kind {
        TransportFailureKind::Timeout => "no answer in time",
        TransportFailureKind::Broken => "cut off",
        TransportFailureKind::TooLarge => "endless",
        TransportFailureKind::Connect => "nobody there",
    }
}
