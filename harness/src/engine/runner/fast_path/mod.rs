//! The fast path under load: responses that can be judged without building a recorded exchange.
//!
//! A response is *fine* when it is a documented success that its schema accepts and the step expects. Every other
//! response is recorded and judged as in `verify`. So the fast path never finds less; it only finds sooner that there
//! is nothing to find.
//!
//! A [`FastScript`] has only calls. A [`FastJourney`] has actions of the world and notifications between them.

mod documented;
mod explain;
mod handover;
mod journey;
mod received_call;
mod resumption;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use indexmap::IndexMap;
use serde_json::Value;

use super::authorize::{Bearer, unsendable};
use super::call::{is_pending, is_pending_value, pause};
use super::interactive_session::Halt;
use super::session::{Session, SessionState, Stop};
use super::tokens::Tokens;
use super::user_session::{Played, UserSession};
use crate::engine::request::{ConnectionRequest, PreparedRequest};
use crate::engine::transport::reply::{Failure, Reply};
use crate::engine::transport::{Records, exchange_of};
use crate::judge::record::Record;
use crate::spec::contract::{Contracts, Operation};
use crate::spec::scenario::{Call, Given, Matcher, Step, StepVerb, Template, Variables};
use crate::wire::exchange::{Exchange, MAX_BODY_BYTES};
use documented::{Documented, SuccessForm, success};
pub(crate) use explain::{ExplainedStep, JudgedBy, explain, is_whole};
pub(crate) use handover::Handover;
pub(crate) use journey::{ConfirmingCall, FastJourney, Journey, JourneyStep};

/// The calls of a case whose steps are all calls for the fast path.
pub(crate) struct FastScript {
    pub(crate) calls: Vec<FastCall>,
}

/// A call for the fast path.
pub(crate) struct FastCall {
    /// Its index among the steps of the case.
    step: usize,
    /// The operation.
    pub(crate) operation: String,
    /// The index of its operation: a lookup by name for every response would take time.
    index: usize,
    /// Whether a response can be judged by its bytes at all.
    by_bytes: bool,
    /// The request, if it never changes.
    constant: Option<FastRequest>,
}

/// A request for the fast path.
#[derive(Clone, Debug)]
pub(crate) struct FastRequest {
    connection: ConnectionRequest,
    documented: Documented,
    /// The token to send with it; none if its contract asks for none.
    bearer: Option<Bearer>,
    /// What it is recorded from.
    prepared: Box<PreparedRequest>,
}

/// A token that a request is sent with.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentToken(Option<String>);

/// The result of judging a response by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glance {
    /// No fault.
    Fine,
    /// No fault, and the step waits for another response.
    Pending,
    /// The record decides.
    Unsettled,
}

/// How an iteration continues after a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Then {
    /// With the next step.
    GoesOn,
    /// With the same call: its response is pending.
    Again,
    /// It ends.
    #[default]
    Ends,
}

/// The result of judging a call by its record.
#[derive(Debug, Default)]
pub(crate) struct JudgedCall {
    pub(crate) played: Played,
    /// The variables of the iteration after it.
    pub(crate) variables: Variables,
    pub(crate) then: Then,
}

impl FastScript {
    /// The calls of a case; none if one of its steps needs the slow path.
    pub(crate) fn compile(user: &UserSession) -> Option<Self> {
        let steps = user.case().steps.iter().enumerate().filter(|(_, step)| !step.once);
        let calls = steps.map(|(index, step)| FastCall::compile(user, index, step)).collect::<Option<Vec<_>>>()?;
        (!calls.is_empty()).then_some(Self { calls })
    }
}

impl FastRequest {
    fn new(user: &UserSession, operation: &Operation, prepared: PreparedRequest) -> Result<Self, Stop> {
        let (recorder, vault) = (&user.context().recorder, &user.first().vault);
        let documented = Documented::for_request(operation, || prepared.record(operation, &HeaderMap::new(), recorder, vault));
        let bearer = Bearer::required_by(operation, prepared.content());
        Ok(Self { connection: prepared.to_connection()?, documented, bearer, prepared: Box::new(prepared) })
    }
}

fn gone() -> Stop {
    Stop::NotJudged("the step is gone".to_owned())
}

impl FastCall {
    fn compile(user: &UserSession, index: usize, step: &Step) -> Option<Self> {
        let StepVerb::Call(call) = &step.verb else { return None };
        let (context, variables) = (user.context(), &user.first().variables);
        let by = explain::judged_by(&context.contracts, &context.target, variables, step);
        if matches!(by, JudgedBy::Whole(_) | JudgedBy::Event) {
            return None;
        }
        let name = call.operation.render(variables).ok()?;
        let (place, _, operation) = context.contracts.operations.get_full(name.as_str()?)?;
        user.base(&operation.api)?;
        let by_bytes = by == JudgedBy::Bytes;
        let mut fast = Self { step: index, operation: operation.id.clone(), index: place, by_bytes, constant: None };
        if fast.is_constant(user, call) {
            let (_, request) = fast.prepare(user, variables).ok()?;
            fast.constant = Some(FastRequest::new(user, operation, request).ok()?);
        }
        Some(fast)
    }

    /// Whether the request is the same in every iteration.
    fn is_constant(&self, user: &UserSession, call: &Call) -> bool {
        let kept: Vec<&str> = user.kept_in_iterations().collect();
        let names = |template: &Template| template.names();
        let templates = call
            .with
            .values()
            .chain(call.extra.values())
            .chain(call.query.values())
            .chain(call.token.as_deref())
            .chain(call.authorization.as_deref())
            .chain(call.scheme.as_deref())
            .chain(call.body.as_deref());
        let mut names = templates.chain([&call.operation, &call.identity]).flat_map(names);
        names.all(|name| !kept.contains(&name.as_str()))
    }

    /// Its index among the steps of the case.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// Returns the request of an iteration with these variables.
    pub(crate) fn request(&self, user: &UserSession, variables: &Variables) -> Result<Cow<'_, FastRequest>, Halt> {
        if let Some(constant) = &self.constant {
            return Ok(Cow::Borrowed(constant));
        }
        let (operation, request) = self.prepare(user, variables)?;
        Ok(Cow::Owned(FastRequest::new(user, operation, request)?))
    }

    /// The token for a request, and the exchanges needed to get it: none if it is known and does not expire soon.
    pub(crate) async fn token(
        &self,
        user: &UserSession,
        request: &FastRequest,
        (variables, numbered): (&Variables, usize),
    ) -> (SentToken, Option<Played>) {
        if let Some(known) = self.known_token(user, request) {
            return (known, None);
        }
        let Some((Bearer::Identity(identity), (step, _, operation))) = request.bearer.as_ref().zip(self.parts(user)) else {
            return (SentToken(None), None);
        };
        let (secret, played) = user.new_token((operation, identity), step, (variables, numbered)).await;
        (SentToken(secret), Some(played))
    }

    /// The token for a request, if none is needed, or if it is known and does not expire soon.
    pub(crate) fn known_token(&self, user: &UserSession, request: &FastRequest) -> Option<SentToken> {
        match &request.bearer {
            None | Some(Bearer::None) => Some(SentToken(None)),
            Some(Bearer::Own(own)) => Some(SentToken(Some(Bearer::own(own, &user.first().vault)))),
            Some(Bearer::Identity(identity)) => {
                let (_, _, operation) = self.parts(user)?;
                user.known_token(operation, identity).map(|known| SentToken(Some(known)))
            }
        }
    }

    /// How long the step waits for a response that is not pending, and the pause between two; none if it does not wait.
    pub(crate) fn polling(&self, user: &UserSession) -> Option<(Duration, Duration)> {
        let (_, call, _) = self.parts(user)?;
        let target = &user.context().target;
        (!call.until.is_empty()).then(|| (call.within.unwrap_or(target.poll_within), pause(target)))
    }

    /// The request with its token.
    pub(crate) fn with_token<'r>(
        &self,
        user: &UserSession,
        request: &'r FastRequest,
        token: &SentToken,
    ) -> Result<Cow<'r, ConnectionRequest>, Halt> {
        let Some(secret) = &token.0 else { return Ok(Cow::Borrowed(&request.connection)) };
        let (_, _, operation) = self.parts(user).ok_or_else(gone)?;
        Ok(Cow::Owned(request.connection.with_token(secret).map_err(|error| unsendable(operation, &error))?))
    }

    fn prepare<'s>(&self, user: &'s UserSession, variables: &Variables) -> Result<(&'s Operation, PreparedRequest), Stop> {
        let (step, call, operation) = self.parts(user).ok_or_else(gone)?;
        let request = user.scope(variables).prepare(operation, call, user.base(&operation.api), None, step.place.as_str())?;
        Ok((operation, request))
    }

    fn parts<'s>(&self, user: &'s UserSession) -> Option<(&'s Step, &'s Call, &'s Operation)> {
        let step = user.case().steps.get(self.step)?;
        let StepVerb::Call(call) = &step.verb else { return None };
        let (_, operation) = user.context().contracts.operations.get_index(self.index)?;
        Some((step, call, operation))
    }

    /// Judges a response by its bytes; `decoded` then holds its body. `in_time` says whether the step may still wait.
    pub(crate) fn glance(
        &self,
        user: &UserSession,
        variables: &Variables,
        (request, reply, in_time): (&FastRequest, &Reply, bool),
        decoded: &mut Value,
    ) -> Glance {
        user.context().shown.note_at(self.index, reply.status);
        let Some((_, call, operation)) = self.parts(user).filter(|_| self.by_bytes) else { return Glance::Unsettled };
        let form = success(operation, &request.documented, (reply.status, &reply.headers, &reply.body), decoded);
        let settled = match form {
            None => false,
            Some(SuccessForm::Value) if in_time && !call.until.is_empty() && is_pending_value(operation, decoded) => {
                return Glance::Pending;
            }
            Some(SuccessForm::Value) => true,
            // A body without fields cannot meet an expectation; a redirect can only if the step expects a status.
            Some(SuccessForm::Silent) => call.expect.is_empty() && call.until.is_empty(),
            Some(SuccessForm::Redirect) => call.expect.is_empty() && call.until.is_empty() && call.http.status.is_some(),
        };
        let given = Given::uncut(variables);
        let as_wanted = |wanted: &Matcher| matches(wanted, Some(&Value::from(reply.status)), &given);
        let holds = settled
            && call.http.status.as_ref().is_none_or(as_wanted)
            && as_expected(&call.expect, decoded, &given)
            && as_expected(&call.until, decoded, &given)
            && self.heads_are_expected(user, call, &reply.headers, &given)
            && call.keep.iter().all(|keep| keep.pointer().is_some_and(|pointer| decoded.pointer(pointer).is_some()));
        if holds { Glance::Fine } else { Glance::Unsettled }
    }

    fn heads_are_expected(&self, user: &UserSession, call: &Call, headers: &HeaderMap, given: &Given<'_>) -> bool {
        if call.http.headers.is_empty() {
            return true;
        }
        let seen = user.context().recorder.headers(headers, &user.first().vault);
        let seen = Value::Object(seen.into_iter().map(|(name, value)| (name, Value::String(value))).collect());
        as_expected(&call.http.headers, &seen, given)
    }

    /// Keeps the values that following steps need; returns `false` if one is missing.
    pub(crate) fn keep(&self, user: &UserSession, variables: &mut Variables, response: &Value) -> bool {
        let Some((_, call, _)) = self.parts(user) else { return false };
        call.keep.iter().all(|keep| {
            let found = keep.pointer().and_then(|pointer| response.pointer(pointer));
            found.map(|value| variables.insert(keep.name.clone(), value.clone())).is_some()
        })
    }

    /// Whether following steps need a value of its response.
    pub(crate) fn keeps(&self, user: &UserSession) -> bool {
        self.parts(user).is_some_and(|(_, call, _)| !call.keep.is_empty())
    }

    /// The exchange as `verify` would have recorded it.
    pub(crate) fn recorded(
        &self,
        user: &UserSession,
        variables: &Variables,
        token: &SentToken,
        (response, elapsed): (Result<&Reply, &Failure>, Duration),
    ) -> Result<Exchange, Halt> {
        let (operation, mut prepared) = self.prepare(user, variables)?;
        if let Some(secret) = &token.0 {
            prepared.set_token(Some(secret)).map_err(|error| unsendable(operation, &error))?;
        }
        let records = Records { recorder: &user.context().recorder, vault: &user.first().vault };
        let sent = prepared.to_connection().map_err(Stop::from)?;
        Ok(exchange_of(operation, &prepared, sent.headers(), (response, elapsed), records))
    }

    /// Judges an exchange by all checks of `verify`. `earlier` is the record of the iteration; the exchange is added to it under
    /// this number. Expectations are not applied while the step may still wait (`in_time`).
    pub(crate) fn judge(
        &self,
        user: &UserSession,
        variables: &Variables,
        earlier: &mut Record,
        (exchange, number, in_time): (Exchange, usize, bool),
    ) -> JudgedCall {
        let Some((step, call, operation)) = self.parts(user) else { return JudgedCall::default() };
        let state = SessionState {
            variables: variables.clone(),
            record: std::mem::take(earlier),
            vault: Arc::clone(&user.first().vault),
            tokens: Tokens::default(),
            kept: number,
        };
        let mut session = Session::resume(user.context(), user.case(), user.environment(), state);
        let begun = session.record.entries.len();
        let exchange = session.keep_exchange(Arc::new(exchange));
        let waits = in_time && !call.until.is_empty() && is_pending(operation, &exchange);
        let judged = session.judge_call(operation, &exchange, step).and_then(|()| {
            if waits {
                return Ok(());
            }
            session.judge_expectations(operation, call, &exchange, step)?;
            session.keep(operation, call, &exchange, step)
        });
        let then = match judged {
            Ok(()) if waits => Then::Again,
            Ok(()) => Then::GoesOn,
            Err(_) => Then::Ends,
        };
        earlier.entries.clone_from(&session.record.entries);
        let variables = std::mem::take(&mut session.variables);
        JudgedCall { played: session.into_played(judged.err(), begun), variables, then }
    }
}

/// The most bytes of a response that the fast path reads.
pub(crate) fn largest(contracts: &Contracts, operation: &str) -> usize {
    contracts.operations.get(operation).map_or(MAX_BODY_BYTES, |operation| operation.largest.min(MAX_BODY_BYTES))
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
    // A literal that is present needs no template.
    if let (Matcher::Equal(Template::Plain(expected)), Some(value)) = (matcher, value)
        && expected == value
    {
        return true;
    }
    matcher.mismatches("", value, given).is_ok_and(|found| found.is_empty())
}

/// The record that an iteration starts with.
pub(crate) fn record_of(user: &UserSession) -> Record {
    user.first().record.clone()
}

#[cfg(test)]
mod tests;
