//! Mutations before they are applied: cheap to list, so that all recordings to which one applies are known.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::body::{saying, sent, spelled};
use super::delivery::Move;
use super::mutated::Mutated;
use super::value::{ValueChange, changed, with};
use super::wire;
use crate::base::place::{Message, Place};
use crate::engine::recorder::Recorder;
use crate::judge::record::RecordEntry;
use crate::spec::contract::Operation;
use crate::wire::exchange::{Exchange, ExchangeOutcome, TransportFailure, TransportFailureKind};
use crate::wire::expression::text_of;

/// A change at a place of one recorded exchange.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) place: Place,
    how: How,
}

/// How the place is changed.
#[derive(Clone, Debug)]
enum How {
    /// The field gets a value that is derived from its own.
    Value(ValueChange),
    /// The field gets another value that was seen there.
    Seen(Value),
    /// The field gets another value that the documents list.
    Listed(Value),
    /// The field is repeated with another value.
    Repeated,
    Bytes(wire::Damage),
    Status(u16),
    /// The header gets this value; without one it is dropped.
    Header(Option<&'static str>),
    Fails(TransportFailureKind),
    Moved(Move),
}

impl Candidate {
    /// A field with a value that is derived from its own, or without a value.
    pub(super) fn value(place: Place, change: ValueChange) -> Self {
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

    /// A field that is repeated.
    pub(super) fn repeated(place: Place) -> Self {
        Self { place, how: How::Repeated }
    }

    /// Bytes that are damaged.
    pub(super) fn bytes(message: Message, damage: wire::Damage) -> Self {
        Self { place: Place::body(message), how: How::Bytes(damage) }
    }

    /// Another HTTP status.
    pub(super) fn status(status: u16) -> Self {
        Self { place: Place::Status, how: How::Status(status) }
    }

    /// A header with another value, or dropped.
    pub(super) fn header(place: Place, value: Option<&'static str>) -> Self {
        Self { place, how: How::Header(value) }
    }

    /// No complete response.
    pub(super) fn fails(kind: TransportFailureKind) -> Self {
        Self { place: Place::Delivery, how: How::Fails(kind) }
    }

    /// A message that arrives at another time, more often, or not at all.
    pub(super) fn moved(message: Message, to: Move) -> Self {
        Self { place: to.place(message), how: How::Moved(to) }
    }

    /// The change of a value that it makes, if it depends on the value alone.
    pub(super) fn value_change(&self) -> Option<ValueChange> {
        match self.how {
            How::Value(change) => Some(change),
            _ => None,
        }
    }

    /// The change, in words.
    pub(super) fn words(&self) -> Cow<'static, str> {
        Cow::Borrowed(match &self.how {
            How::Value(change) => change.words(),
            How::Seen(_) => "that of another",
            How::Listed(value) => return format!("{} instead", text_of(value).unwrap_or_default()).into(),
            How::Repeated => "said twice",
            How::Bytes(damage) => damage.words(),
            How::Status(status) => return format!("{status} instead").into(),
            How::Header(None) => "dropped",
            How::Header(Some(wire::ANOTHER)) => "another value",
            How::Header(Some(value)) => return format!("`{value}` instead").into(),
            How::Fails(kind) => failure(*kind),
            How::Moved(to) => to.words(),
        })
    }

    /// Applies the change to the entry at `at`; none if it changes nothing.
    pub(super) fn apply(&self, operation: &Operation, entries: &[RecordEntry], at: usize, recorder: &Recorder) -> Option<Mutated> {
        let Some(RecordEntry::Exchange(exchange)) = entries.get(at) else { return None };
        let mutation = |changed: Exchange| (changed != **exchange).then(|| Mutated::Exchange(Arc::new(changed)));
        // A form has one spelling for a number and the text of its digits.
        let with_body =
            |body| mutation(saying(operation, exchange, body, recorder)?).filter(|mutation| !mutation.keeps_the_body_of(exchange));
        match (&self.how, &self.place) {
            (How::Value(change), Place::Body { pointer: Some(pointer), .. }) => {
                with_body(changed(sent(exchange)?.value()?, pointer.as_str(), *change)?)
            }
            (How::Seen(value) | How::Listed(value), Place::Body { pointer: Some(pointer), .. }) => {
                with_body(with(sent(exchange)?.value()?, pointer.as_str(), value.clone())?)
            }
            (How::Repeated, Place::Body { pointer: Some(pointer), .. }) => {
                let bytes = wire::repeat_field(&sent(exchange)?.text, pointer.as_str())?;
                mutation(spelled(operation, exchange, &bytes, recorder)?)
            }
            (How::Bytes(damage), _) => mutation(spelled(operation, exchange, &damage.apply(&sent(exchange)?.text), recorder)?),
            (How::Status(status), _) => mutation(wire::with_status(operation, exchange, *status, recorder)?),
            (How::Header(value), Place::Header { name, .. }) => mutation(wire::with_header(operation, exchange, name, *value, recorder)),
            (How::Fails(kind), _) => {
                let failure = TransportFailure { kind: *kind, detail: "a mutant".to_owned() };
                mutation(exchange.with_outcome(ExchangeOutcome::Failed(failure)))
            }
            (How::Moved(to), _) => to.apply(entries, at),
            (How::Value(_) | How::Seen(_) | How::Listed(_) | How::Repeated | How::Header(_), _) => None,
        }
    }
}

/// The failure in words.
fn failure(kind: TransportFailureKind) -> &'static str {
    match kind {
        TransportFailureKind::Timeout => "no response in time",
        TransportFailureKind::Broken => "cut off",
        TransportFailureKind::TooLarge => "endless",
        TransportFailureKind::Connect => "connection refused",
        TransportFailureKind::Unread => "not read",
    }
}
