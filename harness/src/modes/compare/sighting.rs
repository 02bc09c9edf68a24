//! A difference in one case, before differences are grouped by cause.

use serde_json::Value;

use super::model::{ComparedSide, DifferenceKind, DifferenceStanding};
use super::place;
use crate::base::place::Place;
use crate::base::source_place::SourcePlace;
use crate::base::verdict::Accepted;

/// One occurrence of a difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sighting {
    pub(super) standing: DifferenceStanding,
    pub(super) operation: String,
    pub(super) at: Option<Place>,
    pub(super) kind: DifferenceKind,
    pub(super) broken_by: Option<ComparedSide>,
    pub(super) clauses: Vec<String>,
    pub(super) why: String,
    pub(super) known: Option<Accepted>,
    pub(super) step: Option<SourcePlace>,
    pub(super) a: Option<Value>,
    pub(super) b: Option<Value>,
}

impl Sighting {
    /// Whether one of two differences is about a part of the other.
    pub(super) fn touches(&self, other: &Self) -> bool {
        match (&self.at, &other.at) {
            (Some(one), Some(other)) => place::touch(one, other),
            (one, other) => one == other,
        }
    }

    /// Adds the values of both sides to a break.
    pub(super) fn show(&mut self, change: Self) {
        if self.kind == DifferenceKind::Finding {
            (self.kind, self.a, self.b) = (change.kind, change.a, change.b);
        }
    }
}

/// Whether all differences are allowed.
pub(super) fn all_allowed(seen: &[Sighting]) -> bool {
    seen.iter().all(|seen| seen.standing == DifferenceStanding::Freedom)
}
