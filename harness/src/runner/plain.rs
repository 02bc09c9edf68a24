//! Plain calls: those of which nearly every answer can be judged by its bytes alone, fast.
//!
//! What is fast is also narrow: an answer is *fine* when it is a documented success that its schema
//! accepts and the step expects. Of anything else nothing is said here; it is recorded and judged by
//! everything that judges in `verify`. So a plain call never finds less, only sooner that there is
//! nothing to find.

use std::borrow::Cow;
use std::sync::Arc;

use http::HeaderMap;
use indexmap::IndexMap;
use serde_json::Value;

use super::filled::{Addressed, Filled};
use super::session::{Session, Stop};
use super::stand::{Played, Stand};
use crate::contract::{Authorization, Content, Contracts, Operation, Success};
use crate::exchange::{Answer, Coding, Decoded, Direction, Exchange, MAX_BODY_BYTES, Outcome, TransportFailure, decode_json_over};
use crate::record::Record;
use crate::recorder::Received;
use crate::scenario::{Call, Given, Matcher, Step, Template, Variables, Verb};
use crate::transport::Wire;
use crate::transport::connection::{Failure, Reply, Request};

/// The calls of an instance, where all of its steps are plain calls.
pub(crate) struct PlainScript {
    pub(crate) calls: Vec<PlainCall>,
}

/// One plain call.
pub(crate) struct PlainCall {
    /// Its place among the steps of the instance.
    step: usize,
    /// The operation.
    pub(crate) operation: String,
    /// Its place among all operations: a name would be looked up for every answer.
    index: usize,
    /// The request, where it is always the same.
    constant: Option<Request>,
}

impl PlainScript {
    /// The plain calls of an instance; none where one of its steps is anything else.
    pub(crate) fn of(stand: &Stand) -> Option<Self> {
        let steps = stand.instance().steps.iter().enumerate().filter(|(_, step)| !step.once);
        let calls = steps.map(|(index, step)| PlainCall::of(stand, index, step)).collect::<Option<Vec<_>>>()?;
        (!calls.is_empty()).then_some(Self { calls })
    }
}

impl PlainCall {
    fn of(stand: &Stand, index: usize, step: &Step) -> Option<Self> {
        let Verb::Call(call) = &step.verb else { return None };
        let name = call.operation.render(&stand.first().variables).ok()?;
        let (place, _, operation) = stand.context().contracts.operations.get_full(name.as_str()?)?;
        let needs_more = matches!(operation.credentials.header, Authorization::Bearer(_));
        let is_plain = call.until.is_empty() && call.query_credentials.is_empty() && call.http.headers.is_empty();
        if needs_more || !is_plain || stand.base(&operation.api)?.scheme() != "http" || !operation.answer.iter().any(is_fast) {
            return None;
        }
        let scope = stand.scope(&stand.first().variables);
        let mut plain = Self { step: index, operation: operation.id.clone(), index: place, constant: None };
        if plain.is_constant(stand, call) {
            let filled = scope.fill(operation, call).ok()?;
            scope.may_send(operation, &filled).ok()?;
            plain.constant = Some(request(stand, operation, &filled)?);
        }
        Some(plain)
    }

    /// Whether nothing in it depends on what the iteration keeps.
    fn is_constant(&self, stand: &Stand, call: &Call) -> bool {
        let kept: Vec<&str> = stand.kept_in_iterations().collect();
        let names = |template: &Template| template.names();
        let templates = call.with.values().chain(call.extra.values()).chain(call.query.values()).chain(&call.token).chain(&call.body);
        let mut names = templates.chain([&call.operation, &call.identity]).flat_map(names);
        names.all(|name| !kept.contains(&name.as_str()))
    }

    /// The request of an iteration that has kept these values.
    pub(crate) fn request(&self, stand: &Stand, variables: &Variables) -> Result<Cow<'_, Request>, String> {
        if let Some(constant) = &self.constant {
            return Ok(Cow::Borrowed(constant));
        }
        let (_, call, operation) = self.parts(stand).ok_or("the step is gone")?;
        let scope = stand.scope(variables);
        let filled = scope.fill(operation, call).map_err(Stop::reason)?;
        scope.may_send(operation, &filled).map_err(Stop::reason)?;
        let request = request(stand, operation, &filled).map(Cow::Owned);
        request.ok_or_else(|| format!("{} can't be sent to the target's address", operation.id))
    }

    fn parts<'s>(&self, stand: &'s Stand) -> Option<(&'s Step, &'s Call, &'s Operation)> {
        let step = stand.instance().steps.get(self.step)?;
        let Verb::Call(call) = &step.verb else { return None };
        let (_, operation) = stand.context().contracts.operations.get_index(self.index)?;
        Some((step, call, operation))
    }

    /// Whether the answer is fine; then `said` is what it says.
    pub(crate) fn is_fine(&self, stand: &Stand, variables: &Variables, reply: &Reply, said: &mut Value) -> bool {
        let Some((_, call, operation)) = self.parts(stand) else { return false };
        if !is_documented_success(operation, reply.status, &reply.headers, &reply.body, said) {
            return false;
        }
        let given = Given::of(variables);
        let as_wanted = |wanted: &Matcher| matches(wanted, Some(&Value::from(reply.status)), &given);
        call.http.status.as_ref().is_none_or(as_wanted) && as_expected(&call.expect, said, &given)
    }

    /// Remembers what following steps need. False where it is not there.
    pub(crate) fn keep(&self, stand: &Stand, variables: &mut Variables, answer: &Value) -> bool {
        let Some((_, call, _)) = self.parts(stand) else { return false };
        call.keep.iter().all(|keep| {
            let found = answer.pointer(&keep.pointer);
            found.map(|value| variables.insert(keep.name.clone(), value.clone())).is_some()
        })
    }

    /// Whether following steps need something of its answer.
    pub(crate) fn keeps(&self, stand: &Stand) -> bool {
        self.parts(stand).is_some_and(|(_, call, _)| !call.keep.is_empty())
    }

    /// The exchange as `verify` would have recorded it.
    pub(crate) fn recorded(
        &self,
        stand: &Stand,
        variables: &Variables,
        answer: Result<&Reply, &Failure>,
        elapsed: std::time::Duration,
    ) -> Result<Exchange, String> {
        let (_, call, operation) = self.parts(stand).ok_or("the step is gone")?;
        let filled = stand.scope(variables).fill(operation, call).map_err(Stop::reason)?;
        let (context, vault) = (stand.context(), &stand.first().vault);
        let base = stand.base(&operation.api).ok_or("the target has no base URL for it")?;
        let addressed = Addressed::of(context, operation, &filled);
        let outgoing = addressed.outgoing(operation, &filled, base, None, vault);
        let wire = Wire::of(&outgoing);
        let headers = wire.plain().map(|request| request.headers().clone()).unwrap_or_default();
        let request = wire.record(&outgoing, &headers, &context.recorder);
        let outcome = match answer {
            Err(failure) => Outcome::Failed(TransportFailure { kind: failure.kind, detail: context.recorder.text(&failure.detail) }),
            Ok(reply) => {
                let media_type = media_type(&reply.headers);
                let content = operation.content(&request, reply.status, media_type);
                let received = Received { media_type, content, tells: &operation.tells, request: &request, vault };
                let body = context.recorder.answer(&reply.body, received);
                Outcome::Answer(Answer { status: reply.status, headers: context.recorder.headers(&reply.headers, vault), body })
            }
        };
        Ok(Exchange {
            number: 0,
            arrived: context.recorder.arrival(),
            direction: Direction::Call,
            operation: operation.id.clone(),
            identity: filled.identity.clone(),
            request,
            outcome,
            elapsed,
        })
    }

    /// Judges an exchange by everything that judges in `verify`. `earlier` is what the iteration has
    /// recorded before it; the exchange is added to it, under this number.
    pub(crate) fn judge(
        &self,
        stand: &Stand,
        variables: &Variables,
        earlier: &mut Record,
        (exchange, number): (Exchange, usize),
    ) -> Played {
        let Some((step, call, operation)) = self.parts(stand) else { return Played::default() };
        let mut session = Session::new(stand.context(), stand.instance(), stand.place());
        session.variables.clone_from(variables);
        session.kept = number;
        session.record = std::mem::take(earlier);
        let begun = session.record.entries.len();
        let exchange = session.keep_exchange(Arc::new(exchange));
        session.judge_call(operation, &exchange, step);
        let stop = session.judge_expectations(operation, call, &exchange, step).err();
        earlier.entries.clone_from(&session.record.entries);
        session.into_played(stop, begun)
    }
}

/// What all calls to an operation need before they are sent.
fn request(stand: &Stand, operation: &Operation, filled: &Filled) -> Option<Request> {
    let addressed = Addressed::of(stand.context(), operation, filled);
    let base = stand.base(&operation.api)?;
    Wire::of(&addressed.outgoing(operation, filled, base, None, &stand.first().vault)).plain()
}

/// The most that is read of an answer of a plain call.
pub(crate) fn largest(contracts: &Contracts, operation: &str) -> usize {
    contracts.operations.get(operation).map_or(MAX_BODY_BYTES, |operation| operation.largest.min(MAX_BODY_BYTES))
}

/// Whether an answer of this kind can be judged fast.
fn is_fast(content: &Content) -> bool {
    let read = matches!(content.coding, Coding::Json | Coding::Form) && content.format.is_none();
    read && content.when == crate::contract::When::default() && content.schema.is_only_a_schema()
}

/// Whether an answer is a documented success in every respect that can be seen from it alone. `said` is
/// written over with what it says: answers of one call mostly have one shape.
pub(crate) fn is_documented_success(operation: &Operation, status: u16, headers: &HeaderMap, body: &[u8], said: &mut Value) -> bool {
    if !(200..300).contains(&status) || operation.empty_answer || body.is_empty() {
        return false;
    }
    // One that is there and can't be read is not the documented one.
    let Ok(media_type) = headers.get(http::header::CONTENT_TYPE).map(|value| value.to_str()).transpose() else { return false };
    let content = operation.answer.iter().find(|content| media_type.is_none_or(|media_type| content.is(media_type)));
    let Some(content) = content.filter(|content| is_fast(content)) else { return false };
    is_read(content, body, said) && content.schema.accepts(said) && says_success(operation, status, said)
}

/// Whether the bytes can be read, and nothing is wrong with how they are written.
fn is_read(content: &Content, body: &[u8], said: &mut Value) -> bool {
    if content.coding == Coding::Json {
        return decode_json_over(said, body).is_ok_and(|faults| faults.is_empty());
    }
    let Decoded::Value(value, faults) = Decoded::of(content.coding, body) else { return false };
    *said = value;
    if let Value::Object(fields) = said {
        content.schema.read_form(fields);
    }
    faults.is_empty()
}

/// Whether it says success, by a documented code where one is told.
fn says_success(operation: &Operation, status: u16, value: &Value) -> bool {
    let is_listed = |code: &str| operation.other_code.is_none() || operation.codes.contains_key(code);
    match &operation.success {
        Success::Code { field, value: success } => {
            value.get(field).and_then(Value::as_i64) == Some(*success) && is_listed(&success.to_string())
        }
        Success::NoCode { field } => value.get(field).is_none(),
        Success::Status => is_listed(&status.to_string()),
    }
}

fn as_expected(expect: &IndexMap<String, Matcher>, value: &Value, given: &Given<'_>) -> bool {
    expect.iter().all(|(name, matcher)| {
        let found = match name.as_str() {
            "" => Some(value),
            pointer if pointer.starts_with('/') => value.pointer(pointer),
            field => value.get(field),
        };
        matches(matcher, found, given)
    })
}

fn matches(matcher: &Matcher, value: Option<&Value>, given: &Given<'_>) -> bool {
    // What is written out and is there needs no template to be filled in.
    if let (Matcher::Equal(Template::Plain(expected)), Some(value)) = (matcher, value)
        && expected == value
    {
        return true;
    }
    matcher.mismatches("", value, given).is_ok_and(|found| found.is_empty())
}

fn media_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

/// The record that an iteration starts with.
pub(crate) fn record_of(stand: &Stand) -> Record {
    stand.first().record.clone()
}

#[cfg(test)]
mod tests;
