//! A notification and the status call must agree.

use serde_json::Value;

use super::{Judgement, about};
use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::judge::record::{Record, identifier};
use crate::spec::contract::{Agreement, Contracts, Operation};
use crate::wire::exchange::Exchange;
use crate::wire::expression::{RuntimeExpression, text_of};

/// Compares a notification with the response of the call that its contract names. `status` was requested after the notification
/// arrived.
pub fn agreement(contracts: &Contracts, operation: &Operation, notification: &Exchange, status: &Exchange, record: &Record) -> Judgement {
    let mut judgement = Judgement::default();
    let Some(rule) = operation.notification.as_ref().and_then(|n| n.agrees_with.as_ref()) else { return judgement };
    let Some(asked) = contracts.operations.get(&rule.operation) else { return judgement };
    if !asked.accepted(status) {
        let message = "a notification arrived about something that the status call does not know";
        judgement.findings.push(about(status, &rule.clause, message).at(Place::body(Message::Response)));
        return judgement;
    }
    let state = state_field(operation);
    let moved = acted_since(contracts, operation, notification, record);
    for (ours, theirs) in rule.fields.iter().filter(|(ours, _)| !(moved && state.as_deref() == Some(ours.as_str()))) {
        if let Some((notified, answered)) = both(notification, status, ours, theirs)
            && notified != answered
        {
            judgement.findings.push(differs(rule, notification, (ours, &notified), (theirs, &answered)));
        }
    }
    if judgement.findings.is_empty() {
        judgement.held.push(rule.clause.clone());
    }
    judgement
}

/// Whether every field that both have is equal in a notification and in the body of a response, the state too.
pub fn agrees(rule: &Agreement, notification: &Exchange, status: &Value) -> bool {
    let notified = notification.request.body.value();
    rule.fields.iter().all(|(ours, theirs)| {
        let both = notified.and_then(|notified| shown(notified, ours)).zip(shown(status, theirs));
        both.is_none_or(|(notified, answered)| notified == answered)
    })
}

fn both(notification: &Exchange, status: &Exchange, ours: &str, theirs: &str) -> Option<(String, String)> {
    shown(notification.request.body.value()?, ours).zip(shown(status.response_value()?, theirs))
}

fn shown(body: &Value, field: &str) -> Option<String> {
    body.get(field).and_then(text_of)
}

fn differs(rule: &Agreement, notification: &Exchange, (ours, notified): (&str, &str), (theirs, answered): (&str, &str)) -> Finding {
    let message = format!("the notification says `{ours}` = {notified:?}, {} says `{theirs}` = {answered:?}", rule.operation);
    about(notification, &rule.clause, message).at(Place::field(Message::Notification, ours)).compare(answered, notified)
}

fn state_field(operation: &Operation) -> Option<String> {
    match &operation.shows.as_ref()?.state {
        RuntimeExpression::RequestBody(pointer) => Some(pointer.trim_start_matches('/').to_owned()),
        RuntimeExpression::RequestPath(_) | RuntimeExpression::RequestQuery(_) | RuntimeExpression::ResponseBody(_) => None,
    }
}

/// Whether something acted on the resource after the notification was sent, so that its state may rightly differ.
fn acted_since(contracts: &Contracts, operation: &Operation, notification: &Exchange, record: &Record) -> bool {
    let Some(id) = operation.shows.as_ref().and_then(|shows| identifier(&shows.about, notification)) else { return false };
    record.exchanges().filter(|e| e.arrived > notification.arrived).any(|exchange| {
        let acting = contracts.operations.get(&exchange.operation);
        acting.is_some_and(|o| {
            let on = o.acts_on.as_ref().and_then(|about| identifier(about, exchange));
            on.as_deref() == Some(id.as_str()) && o.accepted(exchange)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, named, order, push, read, record};
    use super::*;
    use serde_json::json;

    fn judged(pushed: Value, answered: Value, between: Vec<Exchange>) -> Judgement {
        let contracts = contracts();
        let operation = contracts.notifications.get("shop.push").unwrap();
        let status = read(answered);
        let notification = Exchange { arrived: 1, ..push(pushed) };
        let all = [order(), notification.clone()].into_iter().chain(between).chain([status.clone()]);
        agreement(&contracts, operation, &notification, &status, &record(all))
    }

    #[test]
    fn both_show_the_same_payment() {
        let judgement =
            judged(json!({"number": "N1", "state": "SENT", "size": "3"}), json!({"code": 0, "state": "SENT", "size": 3}), vec![]);
        assert_eq!(judgement.held, ["shop.push.agrees"]);
    }

    #[test]
    fn two_stories_are_found() {
        let judgement = judged(json!({"number": "N1", "state": "SENT"}), json!({"code": 0, "state": "OPEN"}), vec![]);
        assert_eq!(named(&judgement), ["shop.push.agrees"]);
        assert_eq!(named(&judged(json!({"number": "N1"}), json!({"code": 9}), vec![])), ["shop.push.agrees"]);
    }

    #[test]
    fn a_state_that_has_rightly_moved_on_is_no_contradiction() {
        let moved = vec![call("shop.send", "N1", Value::Null, json!({"code": 0}))];
        let judgement = judged(json!({"number": "N1", "state": "OPEN"}), json!({"code": 0, "state": "SENT"}), moved);
        assert_eq!(named(&judgement), Vec::<String>::new());
    }
}
