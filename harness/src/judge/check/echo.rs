//! Fields that repeat what was sent at the creation must be equal to it.

use super::{Judgement, about, excuse_places};
use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::judge::record::{Record, identifier};
use crate::spec::contract::{AmountFormat, Contracts, Echo, EchoSource, Operation};
use crate::wire::exchange::{Direction, Exchange};

/// Judges the fields that repeat what was sent when the resource was created, if it was sent.
pub fn echo(contracts: &Contracts, operation: &Operation, exchange: &Exchange, record: &Record) -> Judgement {
    let mut judgement = Judgement::default();
    let Some(shown) = shown_body(operation, exchange) else { return judgement };
    let Some(shows) = &operation.shows else { return judgement };
    let Some(id) = identifier(&shows.about, exchange) else { return judgement };
    let creation = record.creation(contracts, &shows.about.resource, &id, Some(shown));
    let sent = creation.and_then(|(creation, _)| creation.request.body.value());
    for echo in &operation.echoes {
        let expected = match &echo.from {
            EchoSource::Creation(field) => sent.and_then(|sent| sent.get(field)).and_then(|value| sent_as(echo.reading, value)),
            EchoSource::Request(place) => place.value(exchange).and_then(|value| sent_as(echo.reading, value)),
        };
        let Some(expected) = expected.filter(|text| !text.is_empty()) else {
            let creator = creation.as_ref().map(|(creation, _)| creation.operation.as_str());
            judgement.findings.extend(creator.and_then(|creator| unsent(echo, creator, exchange, shown)));
            continue;
        };
        // An absent field is judged by the schema: optional ones may be absent.
        let Some(got) = shown.pointer(&echo.pointer).and_then(|value| echo.reading.text(value)) else { continue };
        if got == expected {
            judgement.held.push(echo.clause.clone());
        } else if !amended(contracts, echo, record, &id, &got) {
            let field = echo.pointer.trim_start_matches('/');
            let message = match &echo.from {
                EchoSource::Creation(field) => format!("`{}` is not what was sent as `{field}` when {id} was created", field),
                EchoSource::Request(_) => format!("`{}` is not that of the resource that was asked for", field),
            };
            let place = Place::value(exchange.direction.message(), echo.pointer.as_str());
            judgement.findings.push(about(exchange, &echo.clause, message).at(place).compare(expected, got));
        }
    }
    excuse_places(operation, exchange, &mut judgement.findings);
    judgement
}

/// A value that only the creation could have brought, and that it has not sent.
fn unsent(echo: &Echo, creator: &str, exchange: &Exchange, shown: &serde_json::Value) -> Option<Finding> {
    if !echo.only_from.iter().any(|operation| operation == creator) {
        return None;
    }
    let got = shown.pointer(&echo.pointer).and_then(|value| echo.reading.text(value)).filter(|text| !text.is_empty())?;
    let message = format!("`{}` is shown, and {creator} has not sent it", echo.pointer.trim_start_matches('/'));
    let place = Place::value(exchange.direction.message(), echo.pointer.as_str());
    Some(about(exchange, &echo.clause, message).at(place).compare("", got))
}

/// Whether an accepted call about the resource has sent this value since, and the documents leave open which of both is shown.
fn amended(contracts: &Contracts, echo: &Echo, record: &Record, id: &str, got: &str) -> bool {
    record.exchanges().any(|call| {
        let Some((_, field)) = echo.amended_by.iter().find(|(operation, _)| *operation == call.operation) else { return false };
        let Some(operation) = contracts.operations.get(&call.operation) else { return false };
        let same = operation.acts_on.as_ref().and_then(|about| identifier(about, call)).is_some_and(|own| own == id);
        let sent = call.request.body.value().and_then(|sent| sent.get(field)).and_then(|value| sent_as(echo.reading, value));
        same && operation.accepted(call) && sent.as_deref() == Some(got)
    })
}

/// The value that was sent, in the form to compare: amounts are sent in minor units, however the response writes them.
fn sent_as(reading: AmountFormat, value: &serde_json::Value) -> Option<String> {
    match reading {
        AmountFormat::Text => AmountFormat::Text.text(value),
        AmountFormat::Integer | AmountFormat::Comma | AmountFormat::Dot => AmountFormat::Integer.text(value),
    }
}

/// The body that shows the resource: of an accepted response, or of a notification.
fn shown_body<'e>(operation: &Operation, exchange: &'e Exchange) -> Option<&'e serde_json::Value> {
    match exchange.direction {
        Direction::Notification => exchange.request.body.value(),
        Direction::Call => exchange.response_value().filter(|_| operation.accepted(exchange)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, named, order, read, record};
    use super::*;
    use serde_json::json;

    fn judged(response: serde_json::Value) -> Judgement {
        let contracts = contracts();
        let operation = contracts.operations.get("shop.read").unwrap();
        let status = read(response);
        echo(&contracts, operation, &status, &record([order(), status.clone()]))
    }

    #[test]
    fn what_was_sent_comes_back_as_a_number_or_as_a_text() {
        assert_eq!(judged(json!({"code": 0, "size": 3})).held, ["shop.read.size"]);
        assert_eq!(judged(json!({"code": 0, "size": "3"})).held, ["shop.read.size"]);
    }

    #[test]
    fn another_value_is_found() {
        assert_eq!(named(&judged(json!({"code": 0, "size": 4}))), ["shop.read.size"]);
    }

    #[test]
    fn what_a_later_call_has_sent_may_be_shown_instead() {
        let contracts = contracts();
        let operation = contracts.operations.get("shop.read").unwrap();
        let size = |sent: i64, code: i64, shown: i64| {
            let send = call("shop.send", "N1", json!({"size": sent}), json!({"code": code}));
            let status = read(json!({"code": 0, "size": shown}));
            named(&echo(&contracts, operation, &status, &record([order(), send, status.clone()])))
        };
        assert_eq!(size(2, 0, 2), [""; 0]);
        assert_eq!(size(2, 0, 3), [""; 0]);
        assert_eq!(size(2, 0, 1), ["shop.read.size"], "neither of both");
        assert_eq!(size(2, 9, 2), ["shop.read.size"], "the call was refused");
    }

    #[test]
    fn what_only_the_creation_could_have_brought_is_not_shown_without_it() {
        let contracts = contracts();
        let operation = contracts.operations.get("shop.read").unwrap();
        let shown = |colour: serde_json::Value| {
            let status = read(json!({"code": 0, "size": 3, "colour": colour}));
            named(&echo(&contracts, operation, &status, &record([order(), status.clone()])))
        };
        assert_eq!(shown(json!("red")), ["shop.read.colour"]);
        assert_eq!((shown(json!("")), shown(json!(null))), (vec![], vec![]));
    }

    #[test]
    fn an_absent_field_and_a_refused_call_say_nothing() {
        assert_eq!(judged(json!({"code": 0})), Judgement::default());
        assert_eq!(judged(json!({"code": 9, "size": 4})), Judgement::default());
    }
}
