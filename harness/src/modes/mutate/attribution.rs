//! Whether a finding is about the mutated place, or about a consequence.

use std::collections::BTreeSet;

use super::body::content;
use super::candidate::Candidate;
use super::mutant::is_state;
use crate::base::place::Place;
use crate::base::pointer;
use crate::base::verdict::Finding;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::{Direction, Exchange};
use crate::wire::expression::RuntimeExpression;

/// The finding that noticed a mutation.
pub(super) struct Attribution {
    pub(super) clause: String,
    pub(super) message: String,
    /// Whether it is about the mutated place.
    pub(super) hits: bool,
}

/// Picks the finding about the mutated place, else the first one. None without findings.
pub(super) fn attribute(
    contracts: &Contracts,
    operation: &Operation,
    exchange: &Exchange,
    candidate: &Candidate,
    findings: &[Finding],
) -> Option<Attribution> {
    let target =
        Target { operation, exchange, place: &candidate.place, clauses: clauses(contracts, operation, exchange, &candidate.place) };
    let hit = findings.iter().find(|finding| target.is_hit(finding));
    let finding = hit.or_else(|| findings.first())?;
    Some(Attribution { clause: finding.clause().to_owned(), message: finding.message.clone(), hits: hit.is_some() })
}

struct Target<'t> {
    operation: &'t Operation,
    exchange: &'t Exchange,
    place: &'t Place,
    clauses: BTreeSet<String>,
}

impl Target<'_> {
    fn is_hit(&self, finding: &Finding) -> bool {
        let here = finding.exchange == Some(self.exchange.number);
        if finding.clauses.iter().any(|clause| self.clauses.contains(clause)) {
            return true;
        }
        let Some(pointer) = self.place.pointer() else { return here || finding.operation == self.operation.id };
        // A finding without a pointer is about the message as a whole.
        let at = finding.at.as_ref().and_then(Place::pointer).unwrap_or_default();
        // A later response with another value names the same field.
        let same_name = || !at.is_empty() && last(at) == last(pointer);
        (here && is_related(at, pointer)) || same_name() || is_identifier(self.operation, self.exchange, pointer)
    }
}

fn last(pointer: &str) -> &str {
    pointer::split_last(pointer).map_or("", |(_, last)| last)
}

fn is_related(a: &str, b: &str) -> bool {
    pointer::covers(a, b) || pointer::covers(b, a)
}

/// Whether a field identifies the resource: then all later exchanges are about another one.
fn is_identifier(operation: &Operation, exchange: &Exchange, at: &str) -> bool {
    let shown = operation.shows.as_ref().map(|shows| &shows.about);
    let abouts = operation.creates.iter().chain(shown).chain(&operation.acts_on);
    abouts.map(|about| &about.id).any(|id| match (id, exchange.direction) {
        (RuntimeExpression::ResponseBody(pointer), Direction::Call)
        | (RuntimeExpression::RequestBody(pointer), Direction::Notification) => pointer == at,
        _ => false,
    })
}

/// The clauses that the contract ties to a place.
fn clauses(contracts: &Contracts, operation: &Operation, exchange: &Exchange, place: &Place) -> BTreeSet<String> {
    let Some(pointer) = place.pointer() else { return BTreeSet::from([operation.clause.clone()]) };
    let mut clauses: BTreeSet<String> =
        operation.echoes.iter().filter(|echo| echo.pointer == pointer).map(|echo| echo.clause.clone()).collect();
    clauses.extend(operation.fact_rules.iter().map(|rule| rule.clause.clone()));
    if let Some(content) = content(operation, exchange) {
        let above = pointer.match_indices('/').filter(|(at, _)| *at > 0).filter_map(|(at, _)| pointer.get(..at));
        for place in above.chain([pointer]) {
            clauses.extend(content.schema.describing(place).into_iter().flat_map(crate::spec::contract::clauses_in));
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
    fn a_value_is_related_to_its_parts_and_to_what_it_is_a_part_of() {
        assert!(is_related("/rows/0", "/rows/0/a") && is_related("/a", "/a") && is_related("", "/a") && !is_related("/ab", "/a"));
    }
}
