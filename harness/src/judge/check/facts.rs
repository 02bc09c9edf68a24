//! Facts that several responses state about the same subject must agree.

use std::borrow::Cow;

use super::{Judgement, about};
use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::judge::record::Record;
use crate::spec::contract::{Contracts, FactRule, Operation};
use crate::wire::exchange::Exchange;
use crate::wire::fact_table::{FactTable, Subject};

/// The most contradictions per fact that are reported of one response.
const REPORTED_PER_FACT: usize = 10;

/// Compares the facts of a response with those of earlier responses.
pub fn facts(contracts: &Contracts, operation: &Operation, exchange: &Exchange, record: &Record) -> Judgement {
    let mut judgement = Judgement::default();
    if !operation.accepted(exchange) {
        return judgement;
    }
    for (place, rule) in operation.fact_rules.iter().enumerate() {
        let tables = rule.fact_tables(place, exchange);
        if tables.iter().all(|table| table.is_empty()) {
            continue;
        }
        let earlier = earlier(contracts, rule, exchange, record);
        let mut comparison = Comparison { rule, exchange, earlier, contradictions: Vec::new(), compared: false };
        tables.iter().for_each(|table| table.subjects().for_each(|subject| comparison.compare(table, subject)));
        let agreed = comparison.contradictions.is_empty();
        judgement.findings.extend(comparison.contradictions.into_iter().map(|(_, finding)| finding));
        if comparison.compared && agreed {
            judgement.held.push(rule.clause.clone());
        }
    }
    judgement
}

/// The facts of an earlier response about the same kind of subject.
struct Earlier<'r> {
    operation: &'r str,
    /// For each fact, its index among those of the earlier response.
    facts: Vec<Option<usize>>,
    /// Whether both have the same facts in the same order.
    is_alike: bool,
    table: Cow<'r, FactTable>,
}

impl<'r> Earlier<'r> {
    /// The earlier value of a fact about the same subject, and the operation that returned it.
    fn stated(&self, fact: usize, statement: &Subject<'_>) -> Option<(&'r str, String)> {
        let place = self.facts.get(fact).copied().flatten()?;
        Some((self.operation, text(statement.facts().nth(place).flatten()?)))
    }
}

/// All earlier facts about the same kind of subject, the last response first.
fn earlier<'r>(contracts: &'r Contracts, rule: &FactRule, exchange: &Exchange, record: &'r Record) -> Vec<Earlier<'r>> {
    let mut known = Vec::new();
    for before in record.exchanges().rev().filter(|before| before.number < exchange.number) {
        let Some(operation) = contracts.operations.get(&before.operation) else { continue };
        let same = |(_, other): &(usize, &FactRule)| other.subject == rule.subject && operation.accepted(before);
        for (place, other) in operation.fact_rules.iter().enumerate().rev().filter(same) {
            let facts: Vec<_> = rule.facts().map(|fact| other.facts().position(|name| name == fact)).collect();
            let is_alike = rule.facts().eq(other.facts());
            let tables = other.fact_tables(place, before).into_iter().rev().filter(|table| !table.is_empty());
            known.extend(tables.map(|table| Earlier { operation: &before.operation, facts: facts.clone(), is_alike, table }));
        }
    }
    known
}

/// The comparison of one response.
struct Comparison<'c> {
    rule: &'c FactRule,
    exchange: &'c Exchange,
    earlier: Vec<Earlier<'c>>,
    /// Contradictions, by the index of the fact.
    contradictions: Vec<(usize, Finding)>,
    compared: bool,
}

impl Comparison<'_> {
    fn compare(&mut self, table: &FactTable, subject: Subject<'_>) {
        let statements =
            self.earlier.iter().flat_map(|earlier| earlier.table.same_subject(&subject).map(move |statement| (earlier, statement)));
        let mut statements = statements.peekable();
        // The last entry about a subject is nearly always identical.
        if statements.peek().is_some_and(|(earlier, statement)| earlier.is_alike && statement.states_same_facts(&subject)) {
            self.compared |= subject.facts().any(|fact| fact.is_some());
            return;
        }
        let statements: Vec<_> = statements.collect();
        let mut contradictions = Vec::new();
        for (fact, value) in subject.facts().enumerate().filter_map(|(fact, value)| Some((fact, value?))) {
            let Some((source, before)) = statements.iter().find_map(|(earlier, statement)| earlier.stated(fact, statement)) else {
                continue;
            };
            self.compared = true;
            if before != text(value) && self.contradictions.iter().filter(|(of, _)| *of == fact).count() < REPORTED_PER_FACT {
                contradictions.push((fact, self.contradicts(table, &subject, fact, &text(value), source, &before)));
            }
        }
        self.contradictions.extend(contradictions);
    }

    fn contradicts(&self, table: &FactTable, subject: &Subject<'_>, fact: usize, value: &str, source: &str, before: &str) -> Finding {
        let (rule, exchange, pointer) = (self.rule, self.exchange, table.pointer(subject));
        let fact = rule.facts().nth(fact).unwrap_or_default();
        let message =
            format!("the {} {} has the {fact} {value:?} here, but {before:?} in the response of {source}", rule.subject, subject.id());
        let position = exchange.response().map(|response| response.body.places.position(&pointer)).unwrap_or_default();
        let at = Place::value(Message::Response, pointer).in_file(position);
        about(exchange, &rule.clause, message).at(at).compare(before, value)
    }
}

fn text(fact: &[u8]) -> String {
    String::from_utf8_lossy(fact).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, named, record};
    use super::*;
    use serde_json::{Value, json};

    /// The shop's list of orders and the read of one order state facts about the same order.
    fn judged(list: Value, read: Value) -> Judgement {
        let contracts = contracts();
        let first = Exchange { number: 0, ..call("shop.read", "N1", Value::Null, read) };
        let second = Exchange { number: 1, ..call("shop.list", "", Value::Null, list) };
        let operation = contracts.operations.get("shop.list").unwrap();
        facts(&contracts, operation, &second, &record([first, second.clone()]))
    }

    #[test]
    fn the_same_value_in_another_spelling_is_the_same() {
        let judgement = judged(json!([{"number": "N1", "total": "12,50"}]), json!({"code": 0, "cents": 1250}));
        assert_eq!((named(&judgement), judgement.held), (vec![], vec!["shop.list.agrees".to_owned()]));
    }

    #[test]
    fn a_contradiction_names_both_sources() {
        let judgement =
            judged(json!([{"number": "N2", "total": "1,00"}, {"number": "N1", "total": "12,51"}]), json!({"code": 0, "cents": 1250}));
        assert_eq!(named(&judgement), ["shop.list.agrees"]);
        let finding = judgement.findings.first().unwrap();
        assert_eq!(finding.at, Some(Place::value(Message::Response, "/1")));
        assert!(finding.message.contains("in the response of shop.read"));
    }

    #[test]
    fn what_contradicts_one_rule_withholds_no_other() {
        let list = json!([{"number": "N1", "total": "12,51", "weight": "7"}]);
        let judgement = judged(list, json!({"code": 0, "cents": 1250, "weight": "7"}));
        assert_eq!(named(&judgement), ["shop.list.agrees"]);
        assert_eq!(judgement.held, ["shop.list.call"]);
    }

    #[test]
    fn other_subjects_and_empty_responses_are_not_compared() {
        assert_eq!(judged(json!([{"number": "N2", "total": "1,00"}]), json!({"code": 0, "cents": 1250})), Judgement::default());
        assert_eq!(judged(json!([{"number": "N1", "total": "unknown"}]), json!({"code": 0, "cents": 1250})), Judgement::default());
        assert_eq!(judged(json!([{"number": "N1", "total": "1,00"}]), json!({"code": 9, "cents": 1250})), Judgement::default());
    }
}
