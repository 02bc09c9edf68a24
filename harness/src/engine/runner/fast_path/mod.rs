//! The fast path under load: responses that can be judged without building a recorded exchange.
//!
//! A response is *fine* when it is a documented success that its schema accepts and the step expects. Every other
//! response is recorded and judged as in `verify`. So the fast path never finds less; it only finds sooner that there
//! is nothing to find.

use std::borrow::Cow;
use std::sync::Arc;

use http::HeaderMap;
use indexmap::IndexMap;
use serde_json::Value;

use super::interactive_session::Halt;
use super::session::{Session, Stop};
use super::user_session::{Played, UserSession};
use crate::engine::client;
use crate::engine::recorder::Received;
use crate::engine::request::{ConnectionRequest, PreparedRequest};
use crate::engine::transport::connection::{Failure, Reply};
use crate::judge::record::Record;
use crate::spec::contract::{Authorization, Content, Contracts, Operation, Success};
use crate::spec::scenario::{Call, Given, Matcher, Step, Template, Variables, Verb};
use crate::wire::exchange::{Coding, Decoded, Direction, Exchange, MAX_BODY_BYTES, Outcome, Response, TransportFailure, decode_json_over};

/// The calls of a case whose steps are all calls for the fast path.
pub(crate) struct FastScript {
    pub(crate) calls: Vec<FastCall>,
}

/// A call for the fast path.
pub(crate) struct FastCall {
    /// Its place among the steps of the case.
    step: usize,
    /// The operation.
    pub(crate) operation: String,
    /// Its place among all operations: a name would be looked up for every response.
    index: usize,
    /// The request, where it is always the same.
    constant: Option<ConnectionRequest>,
}

impl FastScript {
    /// The calls of a case; none where one of its steps needs the slow path.
    pub(crate) fn compile(user: &UserSession) -> Option<Self> {
        let steps = user.case().steps.iter().enumerate().filter(|(_, step)| !step.once);
        let calls = steps.map(|(index, step)| FastCall::compile(user, index, step)).collect::<Option<Vec<_>>>()?;
        (!calls.is_empty()).then_some(Self { calls })
    }
}

impl FastCall {
    fn compile(user: &UserSession, index: usize, step: &Step) -> Option<Self> {
        let Verb::Call(call) = &step.verb else { return None };
        let name = call.operation.render(&user.first().variables).ok()?;
        let (place, _, operation) = user.context().contracts.operations.get_full(name.as_str()?)?;
        let needs_more = matches!(operation.credentials.header, Authorization::Bearer(_));
        let is_plain = call.until.is_empty() && call.query_credentials.is_empty() && call.http.headers.is_empty();
        // The fast path's connections lead to the target itself.
        let is_direct = user.base(&operation.api)?.scheme() == "http" && client::proxy(&user.context().target).is_none();
        if needs_more || !is_plain || !is_direct || !operation.response.iter().any(is_fast) {
            return None;
        }
        let mut fast = Self { step: index, operation: operation.id.clone(), index: place, constant: None };
        if fast.is_constant(user, call) {
            let (_, request) = fast.prepare(user, &user.first().variables).ok()?;
            fast.constant = Some(request.to_connection().ok()?);
        }
        Some(fast)
    }

    /// Whether the request is the same in every iteration.
    fn is_constant(&self, user: &UserSession, call: &Call) -> bool {
        let kept: Vec<&str> = user.kept_in_iterations().collect();
        let names = |template: &Template| template.names();
        let templates = call.with.values().chain(call.extra.values()).chain(call.query.values()).chain(&call.token).chain(&call.body);
        let mut names = templates.chain([&call.operation, &call.identity]).flat_map(names);
        names.all(|name| !kept.contains(&name.as_str()))
    }

    /// Returns the request of an iteration that has kept these values.
    pub(crate) fn request(&self, user: &UserSession, variables: &Variables) -> Result<Cow<'_, ConnectionRequest>, Halt> {
        if let Some(constant) = &self.constant {
            return Ok(Cow::Borrowed(constant));
        }
        let (_, request) = self.prepare(user, variables)?;
        Ok(Cow::Owned(request.to_connection().map_err(Stop::from)?))
    }

    fn prepare<'s>(&self, user: &'s UserSession, variables: &Variables) -> Result<(&'s Operation, PreparedRequest), Stop> {
        let (step, call, operation) = self.parts(user).ok_or_else(|| Stop::Broken("the step is gone".to_owned()))?;
        let request = user.scope(variables).prepare(operation, call, user.base(&operation.api), &step.place)?;
        Ok((operation, request))
    }

    fn parts<'s>(&self, user: &'s UserSession) -> Option<(&'s Step, &'s Call, &'s Operation)> {
        let step = user.case().steps.get(self.step)?;
        let Verb::Call(call) = &step.verb else { return None };
        let (_, operation) = user.context().contracts.operations.get_index(self.index)?;
        Some((step, call, operation))
    }

    /// Whether the response is fine; then `said` holds its body.
    pub(crate) fn is_fine(&self, user: &UserSession, variables: &Variables, reply: &Reply, said: &mut Value) -> bool {
        let Some((_, call, operation)) = self.parts(user) else { return false };
        if !is_documented_success(operation, reply.status, &reply.headers, &reply.body, said) {
            return false;
        }
        let given = Given::of(variables);
        let as_wanted = |wanted: &Matcher| matches(wanted, Some(&Value::from(reply.status)), &given);
        call.http.status.as_ref().is_none_or(as_wanted) && as_expected(&call.expect, said, &given)
    }

    /// Keeps the values that following steps need; false where one is missing.
    pub(crate) fn keep(&self, user: &UserSession, variables: &mut Variables, response: &Value) -> bool {
        let Some((_, call, _)) = self.parts(user) else { return false };
        call.keep.iter().all(|keep| {
            let found = response.pointer(&keep.pointer);
            found.map(|value| variables.insert(keep.name.clone(), value.clone())).is_some()
        })
    }

    /// Whether following steps need something of its response.
    pub(crate) fn keeps(&self, user: &UserSession) -> bool {
        self.parts(user).is_some_and(|(_, call, _)| !call.keep.is_empty())
    }

    /// The exchange as `verify` would have recorded it.
    pub(crate) fn recorded(
        &self,
        user: &UserSession,
        variables: &Variables,
        response: Result<&Reply, &Failure>,
        elapsed: std::time::Duration,
    ) -> Result<Exchange, Halt> {
        let (operation, prepared) = self.prepare(user, variables)?;
        let (context, vault) = (user.context(), &user.first().vault);
        let sent = prepared.to_connection().map_err(Stop::from)?;
        let request = prepared.record(operation, sent.headers(), &context.recorder, vault);
        let outcome = match response {
            Err(failure) => Outcome::Failed(TransportFailure { kind: failure.kind, detail: context.recorder.text(&failure.detail) }),
            Ok(reply) => {
                let media_type = media_type(&reply.headers);
                let content = operation.content(&request, reply.status, media_type);
                let received = Received { media_type, content, fact_rules: &operation.fact_rules, request: &request, vault };
                let body = context.recorder.response(&reply.body, received);
                Outcome::Response(Response { status: reply.status, headers: context.recorder.headers(&reply.headers, vault), body })
            }
        };
        Ok(Exchange {
            number: 0,
            arrived: context.recorder.arrival(),
            direction: Direction::Call,
            operation: operation.id.clone(),
            identity: prepared.identity().to_owned(),
            request,
            outcome,
            elapsed,
        })
    }

    /// Judges an exchange by everything that judges in `verify`. `earlier` is what the iteration has
    /// recorded before it; the exchange is added to it, under this number.
    pub(crate) fn judge(
        &self,
        user: &UserSession,
        variables: &Variables,
        earlier: &mut Record,
        (exchange, number): (Exchange, usize),
    ) -> Played {
        let Some((step, call, operation)) = self.parts(user) else { return Played::default() };
        let mut session = Session::new(user.context(), user.case(), user.environment());
        session.variables.clone_from(variables);
        session.kept = number;
        session.record = std::mem::take(earlier);
        let begun = session.record.entries.len();
        let exchange = session.keep_exchange(Arc::new(exchange));
        let judged = session.judge_call(operation, &exchange, step);
        let stop = judged.and_then(|()| session.judge_expectations(operation, call, &exchange, step)).err();
        earlier.entries.clone_from(&session.record.entries);
        session.into_played(stop, begun)
    }
}

/// The most bytes of a response that the fast path reads.
pub(crate) fn largest(contracts: &Contracts, operation: &str) -> usize {
    contracts.operations.get(operation).map_or(MAX_BODY_BYTES, |operation| operation.largest.min(MAX_BODY_BYTES))
}

/// Whether responses of this kind can be judged on the fast path.
fn is_fast(content: &Content) -> bool {
    let read = matches!(content.coding, Coding::Json | Coding::Form) && content.format.is_none();
    read && content.when == crate::spec::contract::When::default() && content.schema.is_only_a_schema()
}

/// Whether a response is a documented success in every respect that can be seen from it alone. `said` is
/// overwritten with its body: the responses to one call mostly have one shape.
pub(crate) fn is_documented_success(operation: &Operation, status: u16, headers: &HeaderMap, body: &[u8], said: &mut Value) -> bool {
    if !(200..300).contains(&status) || operation.empty_response || body.is_empty() {
        return false;
    }
    // A content type that can't be read is not the documented one.
    let Ok(media_type) = headers.get(http::header::CONTENT_TYPE).map(|value| value.to_str()).transpose() else { return false };
    let content = operation.response.iter().find(|content| media_type.is_none_or(|media_type| content.is(media_type)));
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

/// Whether the response says success, by a documented code where it has one.
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
pub(crate) fn record_of(user: &UserSession) -> Record {
    user.first().record.clone()
}

#[cfg(test)]
mod tests;
