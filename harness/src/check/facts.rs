//! Answers that tell about the same thing must tell the same.

use std::borrow::Cow;

use super::{Judgement, about};
use crate::contract::{Contracts, Operation, Tell, Telling, Thing};
use crate::exchange::Exchange;
use crate::record::Record;
use crate::verdict::Finding;

/// As many contradictions about one fact are told of one answer.
const TOLD_OF_A_FACT: usize = 10;

/// Holds what an answer tells of things against what earlier answers told of them.
pub fn facts(contracts: &Contracts, operation: &Operation, exchange: &Exchange, record: &Record) -> Judgement {
    let mut judgement = Judgement::default();
    if !operation.accepted(exchange) {
        return judgement;
    }
    for (place, tell) in operation.tells.iter().enumerate() {
        let told = tell.told(place, exchange);
        if told.iter().all(|telling| telling.is_empty()) {
            continue;
        }
        let earlier = earlier(contracts, tell, exchange, record);
        let mut comparison = Comparison { tell, exchange, earlier, contradictions: Vec::new(), compared: false };
        told.iter().for_each(|telling| telling.things().for_each(|thing| comparison.compare(telling, thing)));
        judgement.findings.extend(comparison.contradictions.into_iter().map(|(_, finding)| finding));
        if comparison.compared && judgement.findings.is_empty() {
            judgement.held.push(tell.clause.clone());
        }
    }
    judgement
}

/// What an earlier answer told of the same kind of thing.
struct Earlier<'r> {
    operation: &'r str,
    /// For each fact its place among those of the earlier answer.
    facts: Vec<Option<usize>>,
    /// Whether both have the same facts in the same order.
    is_alike: bool,
    telling: Cow<'r, Telling>,
}

impl<'r> Earlier<'r> {
    /// What it said of a fact when it spoke of a thing, and who it is.
    fn said(&self, fact: usize, word: &Thing<'_>) -> Option<(&'r str, String)> {
        let place = self.facts.get(fact).copied().flatten()?;
        Some((self.operation, text(word.facts().nth(place).flatten()?)))
    }
}

/// Everything that was told of the same kind of thing before, the last word first.
fn earlier<'r>(contracts: &'r Contracts, tell: &Tell, exchange: &Exchange, record: &'r Record) -> Vec<Earlier<'r>> {
    let mut known = Vec::new();
    for before in record.exchanges().rev().filter(|before| before.number < exchange.number) {
        let Some(operation) = contracts.operations.get(&before.operation) else { continue };
        let same = |(_, other): &(usize, &Tell)| other.thing == tell.thing && operation.accepted(before);
        for (place, other) in operation.tells.iter().enumerate().rev().filter(same) {
            let facts: Vec<_> = tell.facts().map(|fact| other.facts().position(|name| name == fact)).collect();
            let is_alike = tell.facts().eq(other.facts());
            let told = other.told(place, before).into_iter().rev().filter(|telling| !telling.is_empty());
            known.extend(told.map(|telling| Earlier { operation: &before.operation, facts: facts.clone(), is_alike, telling }));
        }
    }
    known
}

/// One answer while it is compared.
struct Comparison<'c> {
    tell: &'c Tell,
    exchange: &'c Exchange,
    earlier: Vec<Earlier<'c>>,
    /// Contradictions by the fact that they are about.
    contradictions: Vec<(usize, Finding)>,
    compared: bool,
}

impl Comparison<'_> {
    fn compare(&mut self, telling: &Telling, thing: Thing<'_>) {
        let words = self.earlier.iter().flat_map(|earlier| earlier.telling.of_the_same(&thing).map(move |word| (earlier, word)));
        let mut words = words.peekable();
        // By far the most often the last word on a thing is the very same.
        if words.peek().is_some_and(|(earlier, word)| earlier.is_alike && word.tells_as(&thing)) {
            self.compared |= thing.facts().any(|fact| fact.is_some());
            return;
        }
        let words: Vec<_> = words.collect();
        let mut contradictions = Vec::new();
        for (fact, value) in thing.facts().enumerate().filter_map(|(fact, value)| Some((fact, value?))) {
            let Some((teller, before)) = words.iter().find_map(|(earlier, word)| earlier.said(fact, word)) else { continue };
            self.compared = true;
            if before != text(value) && self.contradictions.iter().filter(|(of, _)| *of == fact).count() < TOLD_OF_A_FACT {
                contradictions.push((fact, self.contradicts(telling, &thing, (fact, &text(value)), (teller, &before))));
            }
        }
        self.contradictions.extend(contradictions);
    }

    fn contradicts(&self, telling: &Telling, thing: &Thing<'_>, (fact, value): (usize, &str), (teller, before): (&str, &str)) -> Finding {
        let (tell, exchange, pointer) = (self.tell, self.exchange, telling.pointer(thing));
        let fact = tell.facts().nth(fact).unwrap_or_default();
        let message = format!("the {} {} has the {fact} {value:?} here, but {before:?} in the answer of {teller}", tell.thing, thing.id());
        let at = format!("answer body {pointer}");
        let place = exchange.answer().and_then(|answer| answer.body.places.describe(&pointer));
        let at = place.map_or_else(|| at.trim_end().to_owned(), |place| format!("{at}, {place}"));
        about(exchange, &tell.clause, message).at(at).compare(before, value)
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

    /// The shop's list of orders and the read of one order tell of the same order.
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
    fn a_contradiction_names_both_tellers() {
        let judgement =
            judged(json!([{"number": "N2", "total": "1,00"}, {"number": "N1", "total": "12,51"}]), json!({"code": 0, "cents": 1250}));
        assert_eq!(named(&judgement), ["shop.list.agrees"]);
        let finding = judgement.findings.first().unwrap();
        assert_eq!(finding.at.as_deref(), Some("answer body /1"));
        assert!(finding.message.contains("in the answer of shop.read"));
    }

    #[test]
    fn nothing_is_said_of_other_things_and_of_what_tells_nothing() {
        assert_eq!(judged(json!([{"number": "N2", "total": "1,00"}]), json!({"code": 0, "cents": 1250})), Judgement::default());
        assert_eq!(judged(json!([{"number": "N1", "total": "unknown"}]), json!({"code": 0, "cents": 1250})), Judgement::default());
        assert_eq!(judged(json!([{"number": "N1", "total": "1,00"}]), json!({"code": 9, "cents": 1250})), Judgement::default());
    }
}
