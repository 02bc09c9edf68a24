//! A notification and the status call must tell one story.

use super::{Judgement, about};
use crate::contract::{Agreement, Contracts, Expression, Operation, text_of};
use crate::exchange::Exchange;
use crate::record::{Record, accepted, identifier};

/// Compares a notification with the answer of the call that its contract names. `status` was asked
/// after the notification had arrived.
pub fn agreement(contracts: &Contracts, operation: &Operation, notification: &Exchange, status: &Exchange, record: &Record) -> Judgement {
    let mut judgement = Judgement::default();
    let Some(rule) = operation.notification.as_ref().and_then(|n| n.agrees_with.as_ref()) else { return judgement };
    let Some(asked) = contracts.operations.get(&rule.operation) else { return judgement };
    if !accepted(contracts, asked, status) {
        let message = "a notification arrived about something that the status call does not know";
        judgement.findings.push(about(status, &rule.clause, message).at("answer body"));
        return judgement;
    }
    let state = state_field(operation);
    let moved = acted_since(contracts, operation, notification, record);
    for (ours, theirs) in rule.fields.iter().filter(|(ours, _)| !(moved && state.as_deref() == Some(ours.as_str()))) {
        if let Some((told, answered)) = both(notification, status, ours, theirs)
            && told != answered
        {
            judgement.findings.push(differs(rule, notification, (ours, &told), (theirs, &answered)));
        }
    }
    if judgement.findings.is_empty() {
        judgement.held.push(rule.clause.clone());
    }
    judgement
}

fn both(notification: &Exchange, status: &Exchange, ours: &str, theirs: &str) -> Option<(String, String)> {
    let told = notification.request.body.value()?.get(ours).and_then(text_of)?;
    let answered = status.answered()?.get(theirs).and_then(text_of)?;
    Some((told, answered))
}

fn differs(
    rule: &Agreement,
    notification: &Exchange,
    (ours, told): (&str, &str),
    (theirs, answered): (&str, &str),
) -> crate::verdict::Finding {
    let message = format!("the notification says `{ours}` = {told:?}, {} says `{theirs}` = {answered:?}", rule.operation);
    about(notification, &rule.clause, message).at(format!("notification body /{ours}")).compare(answered, told)
}

fn state_field(operation: &Operation) -> Option<String> {
    match &operation.shows.as_ref()?.state {
        Expression::RequestBody(pointer) => Some(pointer.trim_start_matches('/').to_owned()),
        Expression::RequestPath(_) | Expression::ResponseBody(_) => None,
    }
}

/// Whether something acted on the resource after the notification was sent: then its state may
/// rightly differ by now.
fn acted_since(contracts: &Contracts, operation: &Operation, notification: &Exchange, record: &Record) -> bool {
    let Some(id) = operation.shows.as_ref().and_then(|shows| identifier(&shows.about, notification)) else { return false };
    record.exchanges().filter(|e| e.arrived > notification.arrived).any(|exchange| {
        let acting = contracts.operations.get(&exchange.operation);
        acting.is_some_and(|o| {
            let on = o.acts_on.as_ref().and_then(|about| identifier(about, exchange));
            on.as_deref() == Some(id.as_str()) && accepted(contracts, o, exchange)
        })
    })
}
