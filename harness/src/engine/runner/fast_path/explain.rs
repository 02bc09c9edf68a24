//! How the steps of a case are judged under load, and why.

use std::fmt;

use serde_json::Value;

use super::documented::needs_record;
use crate::engine::client;
use crate::engine::runner::Case;
use crate::spec::contract::{Contracts, Operation};
use crate::spec::scenario::{Call, Step, StepVerb, Variables};
use crate::spec::target::{Target, WorldKind};
use crate::wire::exchange::MAX_BODY_BYTES;

/// How the response of a step is judged in every iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JudgedBy {
    /// The response by its bytes.
    Bytes,
    /// The response by its record, and why.
    Record(&'static str),
    /// It is no call: an action outside the API, or a notification, which is judged by its fields.
    Event,
    /// The whole iteration by its record, and why.
    Whole(SlowReason),
}

/// What the fast path cannot do in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlowReason {
    /// It is no call.
    NoCall(&'static str),
    /// Its operation depends on values of the iteration.
    UnknownOperation,
    /// Secrets are sent in the query string.
    SecretsInQuery,
    /// The step uses more than its operation: a link, headers of its own, or parts of the response besides its fields.
    BeyondTheOperation(&'static str),
    /// Its response may be longer than the memory for it.
    LongResponse,
    /// The environment names a proxy.
    Proxy(String),
}

impl fmt::Display for SlowReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCall(what) => f.write_str(what),
            Self::UnknownOperation => f.write_str("the operation depends on earlier steps"),
            Self::SecretsInQuery => f.write_str("credentials are sent in the query string"),
            Self::BeyondTheOperation(what) => f.write_str(what),
            Self::LongResponse => write!(f, "its response may be longer than {} MiB", MAX_BODY_BYTES / (1024 * 1024)),
            Self::Proxy(address) => write!(f, "calls to this target go through the proxy {address}"),
        }
    }
}

/// A step, and how it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExplainedStep {
    /// The operation that it calls, or its verb.
    pub(crate) what: String,
    /// Whether it is played only once by each user.
    pub(crate) once: bool,
    /// How it is judged.
    pub(crate) by: JudgedBy,
}

/// How each step of a case is judged against a target. Nothing is sent.
pub(crate) fn explain(contracts: &Contracts, target: &Target, case: &Case) -> Vec<ExplainedStep> {
    let variables = &case.row.values;
    let explained = |step: &Step| {
        let what = match operation(contracts, step, variables) {
            Some(operation) => operation.id.clone(),
            None => verb(step).to_owned(),
        };
        ExplainedStep { what, once: step.once, by: judged_by(contracts, target, variables, step) }
    };
    case.steps.iter().map(explained).collect()
}

/// Whether every iteration with these steps is recorded. Between actions and notifications every call must be settled by its bytes:
/// a record of one call is a record of everything before it.
pub(crate) fn is_whole<'s>(steps: impl Iterator<Item = &'s JudgedBy> + Clone) -> bool {
    let mut verdicts = steps.clone();
    let has_events = steps.clone().any(|by| *by == JudgedBy::Event);
    steps.clone().next().is_none()
        || verdicts.any(|by| match by {
            JudgedBy::Whole(_) => true,
            JudgedBy::Record(_) => has_events,
            JudgedBy::Bytes | JudgedBy::Event => false,
        })
}

/// How a step is judged.
pub(super) fn judged_by(contracts: &Contracts, target: &Target, variables: &Variables, step: &Step) -> JudgedBy {
    let StepVerb::Call(call) = &step.verb else { return event(target, step) };
    let Some(operation) = operation(contracts, step, variables) else { return JudgedBy::Whole(SlowReason::UnknownOperation) };
    if let Some(reason) = slow_reason(target, operation, call) {
        return JudgedBy::Whole(reason);
    }
    let contents = || operation.response.iter();
    let by_bytes = operation.empty_response || operation.redirect.is_some() || contents().any(|content| needs_record(content).is_none());
    match contents().find_map(needs_record) {
        _ if by_bytes => JudgedBy::Bytes,
        Some(reason) => JudgedBy::Record(reason),
        None => JudgedBy::Record("its contract says nothing of the response"),
    }
}

/// How a step that is no call is judged.
fn event(target: &Target, step: &Step) -> JudgedBy {
    let reason = match &step.verb {
        StepVerb::World(_) | StepVerb::Notification(_) if !matches!(target.world, WorldKind::Emulator(_)) => {
            "cases share the world, and its drivers are given everything that is known of a payment"
        }
        StepVerb::World(_) => return client::proxy(target).map_or(JudgedBy::Event, |proxy| JudgedBy::Whole(SlowReason::Proxy(proxy))),
        StepVerb::Notification(wanted) if wanted.attempt.is_none() => return JudgedBy::Event,
        StepVerb::Notification(_) => "its attempts are counted in everything before it",
        StepVerb::NoNotification(_) => "the absence of a notification is judged by everything before it",
        StepVerb::Inbox(_) => "it changes how notifications are acknowledged",
        StepVerb::Call(_) | StepVerb::Violations(_) => "it is no single call",
    };
    JudgedBy::Whole(SlowReason::NoCall(reason))
}

fn slow_reason(target: &Target, operation: &Operation, call: &Call) -> Option<SlowReason> {
    if let Some(what) = beyond_the_operation(call) {
        return Some(SlowReason::BeyondTheOperation(what));
    }
    if !call.query_credentials.is_empty() {
        return Some(SlowReason::SecretsInQuery);
    }
    if operation.largest > MAX_BODY_BYTES {
        return Some(SlowReason::LongResponse);
    }
    client::proxy(target).map(SlowReason::Proxy)
}

fn beyond_the_operation(call: &Call) -> Option<&'static str> {
    if call.link.is_some() {
        return Some("it opens a link that the target gave");
    }
    if call.method.is_some() {
        return Some("it is sent with another method");
    }
    if call.authorization.is_some() || call.login.is_some() || call.media_type.is_some() {
        return Some("it has headers of its own");
    }
    if !call.extra_credentials.is_empty() {
        return Some("it sends credentials in fields of its own");
    }
    if call.plus_for_space {
        return Some("it spells its form in its own way");
    }
    let beyond_fields = call.http.body.is_some() || call.http.page.is_some() || call.keep.iter().any(|keep| keep.pointer().is_none());
    beyond_fields.then_some("it looks at more of the response than its fields")
}

fn operation<'c>(contracts: &'c Contracts, step: &Step, variables: &Variables) -> Option<&'c Operation> {
    let StepVerb::Call(call) = &step.verb else { return None };
    let name: Value = call.operation.render(variables).ok()?;
    contracts.operations.get(name.as_str()?)
}

fn verb(step: &Step) -> &'static str {
    match &step.verb {
        StepVerb::Call(_) => "call",
        StepVerb::World(_) => "world",
        StepVerb::Notification(_) => "notification",
        StepVerb::NoNotification(_) => "no-notification",
        StepVerb::Inbox(_) => "inbox",
        StepVerb::Violations(_) => "violations",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_a_method_of_its_own_is_not_for_the_fast_path() {
        let beyond = |method: Option<&str>| {
            let call = Call { method: method.map(str::to_owned), ..Call::new("gateway.v2.create") };
            beyond_the_operation(&call)
        };
        assert_eq!(beyond(None), None);
        assert_eq!(beyond(Some("PUT")), Some("it is sent with another method"));
    }
}
