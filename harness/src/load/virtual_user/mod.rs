//! A virtual user: plays one iteration after another, each entry of the mix in a world of its own.

mod call_recorder;
mod call_slots;
mod journey_path;
mod played_iteration;
mod polling;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use thiserror::Error;

pub(crate) use self::call_recorder::MadeCall;
use self::call_recorder::{CallOutcome, CallRecorder};
use self::call_slots::{CallSlot, CallSlots};
use self::journey_path::JourneyPath;
use self::played_iteration::PlayedIteration;
use self::polling::Polling;
use super::meter::{Iteration, ResultCode};
use super::result::ErrorKind;
use super::run_state::{NextIteration, RecheckSample, RunState, error_of};
use crate::engine::runner::{
    FastCall, FastJourney, FastRequest, FastScript, Glance, JudgedCall, Played, SentToken, Then, UserClient, UserSession, record_of,
};
use crate::engine::transport::own_connections::OwnConnection;
use crate::engine::transport::reply::{Failure, Reply};
use crate::judge::record::Record;
use crate::spec::scenario::Variables;
use crate::wire::exchange::Exchange;

/// One iteration in this number on the fast path is also judged as a whole.
const WHOLE_EVERY: u64 = 100;
/// The number of finished payments that the world of a user keeps.
const KEPT: usize = 1000;

/// A virtual user.
pub(crate) struct VirtualUser {
    number: usize,
    run: Arc<RunState>,
    /// One session for each entry of the mix.
    sessions: Vec<EntrySession>,
    /// The calls of this stint, if calls are reported to goose.
    pub(crate) calls: Vec<MadeCall>,
}

/// Why a virtual user could not get ready.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct NotReady(String);

/// The session in which a user plays one entry of the mix.
struct EntrySession {
    session: Arc<UserSession>,
    fast_path: Option<FastPath>,
    /// Where its steps are not all calls.
    journey: Option<JourneyPath>,
    iterations: u64,
}

/// A script whose responses can be judged without building recorded exchanges.
struct FastPath {
    script: FastScript,
    /// One for each call of the script.
    calls: Vec<CallSlot>,
    connections: Vec<OwnConnection>,
    /// The decoded body of the last response. Its memory is reused.
    decoded: Value,
}

impl VirtualUser {
    /// Prepares a user: opens its worlds and plays the `once` steps.
    pub(crate) async fn ready(run: Arc<RunState>, number: usize) -> Result<Self, NotReady> {
        let mut sessions = Vec::new();
        let client = UserClient::new(&run.context);
        for (index, case) in run.cases.iter().enumerate() {
            let name = format!("u{}p{index}", run.shard.user(number));
            let session = UserSession::open(Arc::clone(&run.context), Arc::clone(case), (&name, KEPT), &client).await;
            sessions.push(EntrySession::begin(session.map_err(|error| NotReady(error.to_string()))?, &run).await?);
        }
        Ok(Self { number, run, sessions, calls: Vec::new() })
    }

    /// Plays an iteration.
    pub(crate) async fn play(&mut self, next: NextIteration) {
        let Self { number, run, sessions, calls } = self;
        let Some(entry) = sessions.get_mut(next.entry) else { return };
        let late = next.due.map(|due| run.elapsed().saturating_sub(due)).unwrap_or_default();
        let sampled = run.samples_next(next.entry);
        let PlayedIteration { played, service, whole } = entry.play(sampled, &mut CallRecorder { run, late, calls }).await;
        run.count_judged(whole);
        run.meter.iteration(next.entry, Iteration { service, late, passed: played.passed() });
        run.record_findings(&played);
        if sampled {
            run.keep_sample(RecheckSample { user: *number, entry: next.entry, record: played.record });
        }
    }

    /// The session in which it plays an entry of the mix.
    pub(crate) fn session(&self, entry: usize) -> Option<Arc<UserSession>> {
        self.sessions.get(entry).map(|entry| Arc::clone(&entry.session))
    }

    /// Closes its worlds.
    pub(crate) async fn leave(self) {
        for entry in self.sessions {
            // The load is over: a world that stays open disturbs nothing.
            let _ = entry.session.close().await;
        }
    }
}

impl EntrySession {
    async fn begin(mut session: UserSession, run: &RunState) -> Result<Self, NotReady> {
        let begun = session.begin().await;
        run.record_findings(&begun);
        if !begun.passed() {
            let found = begun.findings.iter().chain(&begun.unexpected).map(|finding| finding.message.clone());
            let why = begun.stopped.into_iter().chain(found).next().unwrap_or_default();
            return Err(NotReady(format!("{}: {why}", session.case().name)));
        }
        let fast_path = FastScript::compile(&session).and_then(|script| FastPath::new(script, &session, run));
        let journey = FastJourney::compile(&session).filter(|_| fast_path.is_none());
        let journey = journey.and_then(|script| JourneyPath::new(script, &session, run));
        Ok(Self { session: Arc::new(session), fast_path, journey, iterations: 0 })
    }

    /// Plays an iteration.
    async fn play(&mut self, sampled: bool, recorder: &mut CallRecorder<'_>) -> PlayedIteration {
        let whole = sampled || self.iterations.is_multiple_of(WHOLE_EVERY);
        self.iterations += 1;
        if let Some(fast_path) = &mut self.fast_path {
            let (played, service) = fast_path.play(&self.session, whole, recorder).await;
            return PlayedIteration { played, service, whole };
        }
        if let (Some(journey), false) = (&mut self.journey, whole) {
            return journey.play(&self.session, recorder).await;
        }
        let started = Instant::now();
        let played = self.session.play().await;
        let service = started.elapsed();
        recorder.recorded(&played);
        PlayedIteration { played, service, whole: true }
    }
}

impl FastPath {
    /// `None` if the operation or the address of a call is not known in advance.
    fn new(script: FastScript, session: &UserSession, run: &RunState) -> Option<Self> {
        let mut slots = CallSlots::new(session, run);
        let calls = script.calls.iter().map(|call| slots.slot(&call.operation)).collect::<Option<Vec<_>>>()?;
        Some(Self { script, calls, connections: slots.connections, decoded: Value::Null })
    }

    /// Makes every call once. A response that can't be judged by its bytes is judged as in `verify`, and with `whole` every response is.
    /// The returned service time does not include the judging.
    async fn play(&mut self, session: &UserSession, whole: bool, recorder: &mut CallRecorder<'_>) -> (Played, Duration) {
        let _turn = session.turn().await;
        let keeps = self.script.calls.iter().any(|call| call.keeps(session));
        let own = keeps.then(|| session.first().variables.clone());
        let judged = JudgedCalls { played: Played::default(), record: whole.then(|| record_of(session)) };
        let mut iteration = FastIteration { session, recorder, own, judged, spent: Duration::ZERO };
        for (call, slot) in self.script.calls.iter().zip(&self.calls) {
            let Some(connection) = self.connections.get(slot.connection) else { break };
            let active = ActiveCall { call, slot: *slot, connection, decoded: &mut self.decoded };
            if !iteration.call(active).await {
                break;
            }
        }
        (iteration.judged.played, iteration.spent)
    }
}

/// A call under way.
struct ActiveCall<'c> {
    call: &'c FastCall,
    slot: CallSlot,
    connection: &'c OwnConnection,
    decoded: &'c mut Value,
}

/// The response to a call, or why there is none.
#[derive(Clone, Copy)]
struct Received<'r> {
    call: &'r FastCall,
    token: &'r SentToken,
    response: Result<&'r Reply, &'r Failure>,
    service: Duration,
    /// Whether there is time for another response.
    in_time: bool,
}

/// One iteration on the fast path.
struct FastIteration<'i, 'r> {
    session: &'i UserSession,
    recorder: &'i mut CallRecorder<'r>,
    /// Its own variables, if a call keeps a value.
    own: Option<Variables>,
    judged: JudgedCalls,
    spent: Duration,
}

impl FastIteration<'_, '_> {
    /// Makes a call and repeats it while its response is pending. Returns `false` if the iteration ends with it.
    async fn call(&mut self, mut active: ActiveCall<'_>) -> bool {
        let call = active.call;
        let request = match call.request(self.session, self.variables()) {
            Ok(request) => request,
            Err(halt) => return self.judged.stop(halt.to_string()),
        };
        let polling = Polling::start(call, self.session);
        loop {
            let Some(token) = self.token(call, &request).await else { return false };
            match self.send(&mut active, &request, &token, polling).await {
                Then::GoesOn => return true,
                Then::Ends => return false,
                Then::Again => {
                    let pause = polling.map(|polling| polling.pause).unwrap_or_default();
                    tokio::time::sleep(pause).await;
                    self.spent += pause;
                }
            }
        }
    }

    fn variables(&self) -> &Variables {
        self.own.as_ref().unwrap_or(&self.session.first().variables)
    }

    /// The token for a request; `None` if the iteration ends because the token can't be requested.
    async fn token(&mut self, call: &FastCall, request: &FastRequest) -> Option<SentToken> {
        let numbered = self.judged.numbered(self.session);
        let (token, asked) = call.token(self.session, request, (self.variables(), numbered)).await;
        let Some(asked) = asked else { return Some(token) };
        self.recorder.recorded(&asked);
        self.spent += asked.record.exchanges().map(|exchange| exchange.elapsed).sum::<Duration>();
        let goes_on = asked.stopped.is_none();
        self.judged.add(asked, true);
        goes_on.then_some(token)
    }

    /// Sends a request and judges its response.
    async fn send(&mut self, active: &mut ActiveCall<'_>, request: &FastRequest, token: &SentToken, polling: Option<Polling>) -> Then {
        let (call, operation) = (active.call, active.slot.operation);
        let sent = match call.with_token(self.session, request, token) {
            Ok(sent) => sent,
            Err(halt) => {
                self.judged.stop(halt.to_string());
                return Then::Ends;
            }
        };
        let (service, response) = active.connection.lock().await.send(&sent, active.slot.largest).await;
        self.spent += service;
        self.recorder.run.responsiveness.note_kind(response.as_ref().err().map(|failure| failure.kind));
        let in_time = polling.is_some_and(Polling::has_time);
        let glance = match &response {
            Ok(reply) => call.glance(self.session, self.variables(), (request, reply, in_time), active.decoded),
            Err(_) => Glance::Unsettled,
        };
        if glance == Glance::Unsettled || self.judged.record.is_some() {
            return self.judge(operation, Received { call, token, response: response.as_ref(), service, in_time });
        }
        let status = response.as_ref().ok().map(|reply| reply.status);
        let codes = self.recorder.codes(operation);
        let code = codes.zip(status).map_or(ResultCode::None, |(codes, status)| codes.code_of_success(status));
        self.recorder.call(operation, service, CallOutcome { status, code, error: None });
        match glance {
            Glance::Pending => Then::Again,
            Glance::Fine if self.own.as_mut().is_none_or(|own| call.keep(self.session, own, active.decoded)) => Then::GoesOn,
            Glance::Fine | Glance::Unsettled => Then::Ends,
        }
    }

    /// Judges a response as in `verify`.
    fn judge(&mut self, operation: usize, received: Received<'_>) -> Then {
        let variables = self.own.as_ref().unwrap_or(&self.session.first().variables);
        let judged = self.judged.judge(self.session, variables, received);
        let exchange = self.judged.last_of(judged.number);
        let code = self.recorder.codes(operation).zip(exchange).map_or(ResultCode::None, |(codes, exchange)| codes.code(exchange));
        let status = received.response.ok().map(|reply| reply.status);
        self.recorder.call(operation, received.service, CallOutcome { status, code, error: judged.error });
        if let Some(own) = &mut self.own {
            *own = judged.variables;
        }
        judged.then
    }
}

/// The judgement of a call that was judged as in `verify`.
struct CallJudgement {
    /// The number of its exchange; `None` if it could not be recorded.
    number: Option<usize>,
    error: Option<ErrorKind>,
    variables: Variables,
    then: Then,
}

/// The calls of an iteration on the fast path that were judged as in `verify`.
struct JudgedCalls {
    played: Played,
    /// Everything recorded, if the iteration is judged as a whole.
    record: Option<Record>,
}

impl JudgedCalls {
    /// The number of exchanges so far. Findings name their exchange by its number, which is unique in an iteration.
    fn numbered(&self, session: &UserSession) -> usize {
        session.first().record.exchanges().count() + self.played.record.exchanges().count()
    }

    /// The last exchange, if it has this number.
    fn last_of(&self, number: Option<usize>) -> Option<&Exchange> {
        self.played.record.exchanges().last().filter(|exchange| Some(exchange.number) == number).map(AsRef::as_ref)
    }

    /// Ends the iteration; the first reason stays. Always returns `false`: the iteration does not continue.
    fn stop(&mut self, reason: String) -> bool {
        self.played.stopped.get_or_insert(reason);
        false
    }

    /// Adds a judgement. `apart` says that its exchanges are not in the record of the whole iteration yet.
    fn add(&mut self, judged: Played, apart: bool) {
        if let Some(record) = self.record.as_mut().filter(|_| apart) {
            record.entries.extend(judged.record.entries.iter().cloned());
        }
        self.played.record.entries.extend(judged.record.entries);
        self.played.findings.extend(judged.findings);
        self.played.unexpected.extend(judged.unexpected);
        // The first call without a response stops the iteration.
        if self.played.stopped.is_none() {
            self.played.stopped = judged.stopped;
        }
    }

    fn judge(&mut self, session: &UserSession, variables: &Variables, received: Received<'_>) -> CallJudgement {
        let Received { call, token, response, service, in_time } = received;
        let exchange = match call.recorded(session, variables, token, (response, service)) {
            Ok(exchange) => exchange,
            Err(halt) => {
                self.stop(halt.to_string());
                return CallJudgement { number: None, error: Some(ErrorKind::Transport), variables: variables.clone(), then: Then::Ends };
            }
        };
        let number = self.numbered(session);
        let mut alone = record_of(session);
        let record = self.record.as_mut().unwrap_or(&mut alone);
        let JudgedCall { played, variables, then } = call.judge(session, variables, record, (exchange, number, in_time));
        let error = played.record.exchanges().last().and_then(|exchange| error_of(exchange, &played));
        self.add(played, false);
        CallJudgement { number: Some(number), error, variables, then }
    }
}

#[cfg(test)]
mod tests;
