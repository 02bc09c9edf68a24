//! Changes of whether, when, how often and in which order messages arrive.

use std::sync::Arc;

use super::body::sent;
use super::mutated::Mutated;
use super::wire::is_text;
use crate::base::place::{Message, Place};
use crate::judge::record::RecordEntry;
use crate::wire::exchange::{Body, Decoded, Direction, Exchange, ExchangeOutcome};

/// Where a message is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Lost,
    Twice,
    /// After everything else.
    Last,
    /// Before the previous exchange.
    Earlier,
    /// After the next exchange.
    Later,
    /// It is replaced by the previous message of the same kind.
    Before,
}

impl Move {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Twice => "twice",
            Self::Last => "after everything else",
            Self::Earlier => "before what it is about",
            Self::Later => "after what followed it",
            Self::Before => "what came before it",
        }
    }

    pub(super) fn place(self, message: Message) -> Place {
        if self == Self::Before { Place::body(message) } else { Place::Delivery }
    }

    /// The recording with the entry moved; none if it stays in its place.
    pub(super) fn apply(self, entries: &[RecordEntry], at: usize) -> Option<Mutated> {
        let (before, rest) = entries.split_at_checked(at)?;
        let (entry, after) = rest.split_first()?;
        let one = std::slice::from_ref(entry);
        let ordered = |from: usize, parts: &[&[RecordEntry]]| Some(Mutated::Entries(from, parts.concat()));
        match self {
            Self::Lost => ordered(at, &[before, after]),
            Self::Twice => ordered(at, &[before, one, one, after]),
            Self::Last => (!after.is_empty()).then(|| Mutated::Entries(at, [before, after, one].concat())),
            Self::Earlier => {
                let (last, earlier) = before.split_last()?;
                ordered(at.checked_sub(1)?, &[earlier, one, std::slice::from_ref(last), after])
            }
            Self::Later => {
                let (next, later) = after.split_first()?;
                ordered(at, &[before, std::slice::from_ref(next), one, later])
            }
            Self::Before => {
                let RecordEntry::Exchange(exchange) = entry else { return None };
                let earlier = earlier(entries, at, exchange)?;
                Some(Mutated::Exchange(Arc::new(match exchange.direction {
                    Direction::Call => exchange.with_outcome(earlier.outcome.clone()),
                    Direction::Notification => exchange.with_request(earlier.request.clone()),
                })))
            }
        }
    }
}

/// The moves that apply to the entry at `at`.
pub(super) fn moves(entries: &[RecordEntry], at: usize) -> Vec<Move> {
    let Some(RecordEntry::Exchange(exchange)) = entries.get(at) else { return Vec::new() };
    let mut moves = match exchange.direction {
        Direction::Notification => vec![Move::Lost, Move::Twice, Move::Last, Move::Earlier, Move::Later],
        Direction::Call => Vec::new(),
    };
    if earlier(entries, at, exchange).is_some() {
        moves.push(Move::Before);
    }
    moves
}

/// The last exchange of the kind in which the target sent another body.
fn earlier<'e>(entries: &'e [RecordEntry], at: usize, exchange: &Exchange) -> Option<&'e Arc<Exchange>> {
    let differs = |other: &&Arc<Exchange>| {
        let earlier_body = sent(other).filter(|body| body.decoded != Decoded::Empty);
        other.operation == exchange.operation
            && matches!(other.outcome, ExchangeOutcome::Response(_))
            && earlier_body.is_some_and(|body| sent(exchange).is_none_or(|own| differ(own, body)))
    };
    let exchanges = entries.get(..at)?.iter().rev().filter_map(|entry| match entry {
        RecordEntry::Exchange(exchange) => Some(exchange),
        RecordEntry::World { .. } => None,
    });
    exchanges.into_iter().find(differs)
}

/// Whether two bodies of a kind differ. A text as received is compared as it is; of a binary file the record has only a list.
fn differ(one: &Body, other: &Body) -> bool {
    !(is_text(one) && one.text == other.text) && one.decoded != other.decoded
}
