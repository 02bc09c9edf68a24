//! Answers that tell about the same thing must tell the same.

use std::collections::HashMap;

use super::{Judgement, about};
use crate::contract::{Contracts, Operation, Tell, Told};
use crate::exchange::Exchange;
use crate::record::Record;
use crate::verdict::Finding;

/// What an earlier answer told: the value, and who told it.
struct Earlier<'e> {
    value: String,
    operation: &'e str,
}

/// Holds what an answer tells of things against what earlier answers told of them.
pub fn facts(contracts: &Contracts, operation: &Operation, exchange: &Exchange, record: &Record) -> Judgement {
    let mut judgement = Judgement::default();
    if !operation.accepted(exchange) {
        return judgement;
    }
    for tell in &operation.tells {
        let told = tell.told(exchange);
        if told.is_empty() {
            continue;
        }
        let earlier = earlier(contracts, tell, exchange, record);
        let mut compared = false;
        for told in &told {
            for (fact, value) in &told.facts {
                let Some(before) = earlier.get(&(told.id.clone(), fact.clone())) else { continue };
                compared = true;
                if before.value != *value {
                    judgement.findings.push(contradicts(tell, exchange, told, (fact, value), before));
                }
            }
        }
        if compared && judgement.findings.is_empty() {
            judgement.held.push(tell.clause.clone());
        }
    }
    judgement
}

/// Everything that was told of the same kind of thing before, the latest word on each fact.
fn earlier<'r>(contracts: &'r Contracts, tell: &Tell, exchange: &Exchange, record: &'r Record) -> HashMap<(String, String), Earlier<'r>> {
    let mut known = HashMap::new();
    for before in record.exchanges().filter(|before| before.number < exchange.number) {
        let Some(operation) = contracts.operations.get(&before.operation) else { continue };
        for told in operation.tells.iter().filter(|t| t.thing == tell.thing && operation.accepted(before)).flat_map(|t| t.told(before)) {
            for (fact, value) in told.facts {
                known.insert((told.id.clone(), fact), Earlier { value, operation: &before.operation });
            }
        }
    }
    known
}

fn contradicts(tell: &Tell, exchange: &Exchange, told: &Told, (fact, value): (&str, &str), before: &Earlier<'_>) -> Finding {
    let message = format!(
        "the {} {} has the {fact} {value:?} here, but {:?} in the answer of {}",
        tell.thing, told.id, before.value, before.operation
    );
    let at = format!("answer body {}", told.pointer);
    let place = exchange.answer().and_then(|answer| answer.body.places.describe(&told.pointer));
    let at = place.map_or_else(|| at.trim_end().to_owned(), |place| format!("{at}, {place}"));
    about(exchange, &tell.clause, message).at(at).compare(before.value.as_str(), value)
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
