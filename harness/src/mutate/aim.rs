//! Whether a finding is about the lie that was told, or came by accident.

use std::collections::BTreeSet;

use super::body::content;
use super::draft::Draft;
use super::mutant::is_state;
use super::place::Place;
use crate::contract::{Contracts, Expression, Operation};
use crate::exchange::{Direction, Exchange};
use crate::verdict::Finding;

/// Who noticed.
pub(super) struct Aim {
    pub(super) clause: String,
    pub(super) message: String,
    /// Whether the finding is about the lie.
    pub(super) hits: bool,
}

/// The finding that is about the lie, else the first one. None without findings.
pub(super) fn aimed(contracts: &Contracts, operation: &Operation, exchange: &Exchange, draft: &Draft, findings: &[Finding]) -> Option<Aim> {
    let told = Told { operation, exchange, place: &draft.place, clauses: clauses(contracts, operation, exchange, &draft.place) };
    let hit = findings.iter().find(|finding| told.is_hit(finding));
    let finding = hit.or_else(|| findings.first())?;
    Some(Aim { clause: finding.clause().to_owned(), message: finding.message.clone(), hits: hit.is_some() })
}

struct Told<'t> {
    operation: &'t Operation,
    exchange: &'t Exchange,
    place: &'t Place,
    clauses: BTreeSet<String>,
}

impl Told<'_> {
    fn is_hit(&self, finding: &Finding) -> bool {
        let here = finding.exchange == Some(self.exchange.number);
        if finding.clauses.iter().any(|clause| self.clauses.contains(clause)) {
            return true;
        }
        match self.place {
            Place::Field(pointer) => {
                let at = finding.at.as_deref().map(pointer_of).unwrap_or_default();
                // A later answer that says otherwise names the same field.
                let same_name = || !at.is_empty() && last(at) == last(pointer);
                (here && is_related(at, pointer)) || same_name() || is_identifier(self.operation, self.exchange, pointer)
            }
            Place::Delivery | Place::Status | Place::Header(_) | Place::Body => here || finding.operation == self.operation.id,
        }
    }
}

/// The JSON Pointer in `answer body /rows/0, line 3`.
fn pointer_of(at: &str) -> &str {
    let from = at.find('/').unwrap_or(at.len());
    let pointer = at.get(from..).unwrap_or_default();
    pointer.split(", ").next().unwrap_or_default()
}

fn last(pointer: &str) -> &str {
    pointer.rsplit('/').next().unwrap_or_default()
}

fn is_related(a: &str, b: &str) -> bool {
    let below = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below(a, b) || below(b, a)
}

/// Whether a place says which resource it is about: then everything that follows is about another one.
fn is_identifier(operation: &Operation, exchange: &Exchange, at: &str) -> bool {
    let shown = operation.shows.as_ref().map(|shows| &shows.about);
    let abouts = operation.creates.iter().chain(shown).chain(&operation.acts_on);
    abouts.map(|about| &about.id).any(|id| match (id, exchange.direction) {
        (Expression::ResponseBody(pointer), Direction::Call) | (Expression::RequestBody(pointer), Direction::Notification) => pointer == at,
        _ => false,
    })
}

/// The clauses that the contract has about a place.
fn clauses(contracts: &Contracts, operation: &Operation, exchange: &Exchange, place: &Place) -> BTreeSet<String> {
    let Place::Field(pointer) = place else { return BTreeSet::from([operation.clause.clone()]) };
    let mut clauses: BTreeSet<String> =
        operation.echoes.iter().filter(|echo| echo.pointer == **pointer).map(|echo| echo.clause.clone()).collect();
    clauses.extend(operation.tells.iter().map(|tell| tell.clause.clone()));
    if let Some(content) = content(operation, exchange) {
        let above = pointer.match_indices('/').filter(|(at, _)| *at > 0).filter_map(|(at, _)| pointer.get(..at));
        for place in above.chain([pointer.as_ref()]) {
            clauses.extend(content.schema.describing(place).into_iter().flat_map(crate::contract::clauses_in));
        }
        clauses.extend(content.schema.clauses_of_sums());
    }
    let agreement = operation.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref());
    clauses.extend(agreement.filter(|rule| rule.fields.contains_key(last(pointer))).map(|rule| rule.clause.clone()));
    if operation.success.field() == Some(last(pointer)) {
        clauses.extend(operation.codes.values().map(|code| code.clause.clone()).chain(operation.other_code.clone()));
        clauses.extend(operation.refusal.iter().map(|refusal| refusal.clause.clone()));
    }
    if is_state(operation, exchange, pointer) {
        let table = operation.shows.as_ref().and_then(|shows| contracts.tables.get(&shows.about.resource));
        let rows = table.into_iter().flat_map(|table| table.rows.iter().map(|row| row.clause.clone()).chain([table.undocumented.clone()]));
        clauses.extend(rows);
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_from_a_finding() {
        assert_eq!(pointer_of("answer body /rows/0/Částka, line 2, column 3"), "/rows/0/Částka");
        assert_eq!(pointer_of("notification body"), "");
        assert!(is_related("/rows/0", "/rows/0/a") && is_related("/a", "/a") && !is_related("/ab", "/a"));
    }
}
