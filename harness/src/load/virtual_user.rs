//! A virtual user: plays one iteration after another, each entry of the mix in a world of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use thiserror::Error;

use super::known_codes::KnownCodes;
use super::meter::{Iteration, MeasuredCall, ResultCode};
use super::result::ErrorKind;
use super::run_state::{NextIteration, RecheckSample, RunState, error_of};
use crate::engine::runner::{
    FastCall, FastRequest, FastScript, Glance, JudgedCall, Played, SentToken, Then, UserSession, largest, record_of,
};
use crate::engine::transport::connection::Connection;
use crate::engine::transport::reply::{Failure, Reply};
use crate::judge::record::Record;
use crate::spec::scenario::Variables;
use crate::wire::exchange::{Direction, Exchange};

/// Of the iterations on the fast path, every hundredth is judged as a whole too.
const WHOLE_EVERY: u64 = 100;
/// How many finished payments the world of a user keeps.
const KEPT: usize = 1000;

/// A virtual user.
pub(crate) struct VirtualUser {
    number: usize,
    run: Arc<RunState>,
    /// One session for each entry of the mix.
    sessions: Vec<EntrySession>,
    /// The calls of this stint, where goose gets a report of them.
    pub(crate) calls: Vec<MadeCall>,
}

/// A call that was made.
pub(crate) struct MadeCall {
    pub(crate) operation: usize,
    pub(crate) service: Duration,
    pub(crate) error: Option<ErrorKind>,
}

/// Why a virtual user could not get ready.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct NotReady(String);

/// Where a user plays one entry of the mix.
struct EntrySession {
    session: Arc<UserSession>,
    fast_path: Option<FastPath>,
    iterations: u64,
}

/// A script whose responses can be judged without building recorded exchanges.
struct FastPath {
    script: FastScript,
    /// One for each call of the script.
    calls: Vec<CallSlot>,
    connections: Vec<Connection>,
    /// What the last response said.
    said: Value,
}

#[derive(Clone, Copy)]
struct CallSlot {
    operation: usize,
    connection: usize,
    largest: usize,
}

impl VirtualUser {
    /// Gets a user ready: opens its worlds, and plays the steps that are played only once.
    pub(crate) async fn ready(run: Arc<RunState>, number: usize) -> Result<Self, NotReady> {
        let mut sessions = Vec::new();
        for (index, case) in run.cases.iter().enumerate() {
            let name = format!("u{}p{index}", run.shard.user(number));
            let session = UserSession::open(Arc::clone(&run.context), Arc::clone(case), &name, KEPT).await;
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
        let (played, service) = entry.play(sampled, &mut CallRecorder { run, late, calls }).await;
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

/// What came of a call.
struct Answer {
    status: Option<u16>,
    code: ResultCode,
    error: Option<ErrorKind>,
}

/// Reports calls to the meter and the killswitch.
struct CallRecorder<'t> {
    run: &'t RunState,
    /// How late the iteration began.
    late: Duration,
    calls: &'t mut Vec<MadeCall>,
}

impl<'t> CallRecorder<'t> {
    fn call(&mut self, operation: usize, service: Duration, answer: Answer) {
        let Answer { status, code, error } = answer;
        self.run.meter.call(operation, MeasuredCall { service, late: self.late, error, status, code });
        self.run.count_call(error);
        if self.run.reports_to_goose {
            self.calls.push(MadeCall { operation, service, error });
        }
    }

    fn codes(&self, operation: usize) -> Option<&'t KnownCodes> {
        self.run.operations.codes(operation)
    }

    /// Reports every recorded call of an iteration.
    fn recorded(&mut self, played: &Played) {
        for exchange in played.record.exchanges().filter(|exchange| exchange.direction == Direction::Call) {
            self.run.note_reached(exchange.failure().map(|failure| failure.kind));
            if let Some(operation) = self.run.operations.number(&exchange.operation) {
                let status = exchange.response().map(|response| response.status);
                let code = self.codes(operation).map_or(ResultCode::None, |codes| codes.code(exchange));
                self.call(operation, exchange.elapsed, Answer { status, code, error: error_of(exchange, played) });
            }
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
        Ok(Self { session: Arc::new(session), fast_path, iterations: 0 })
    }

    /// Plays an iteration; returns also how long it took.
    async fn play(&mut self, sampled: bool, recorder: &mut CallRecorder<'_>) -> (Played, Duration) {
        let whole = sampled || self.iterations.is_multiple_of(WHOLE_EVERY);
        self.iterations += 1;
        if let Some(fast_path) = &mut self.fast_path {
            return fast_path.play(&self.session, whole, recorder).await;
        }
        let started = Instant::now();
        let played = self.session.play().await;
        let service = started.elapsed();
        recorder.recorded(&played);
        (played, service)
    }
}

impl FastPath {
    /// None where a call has no operation or address that is known before it is made.
    fn new(script: FastScript, session: &UserSession, run: &RunState) -> Option<Self> {
        let context = &run.context;
        let (mut connections, mut places) = (Vec::new(), HashMap::new());
        let calls = script.calls.iter().map(|call| {
            let operation = context.contracts.operations.get(&call.operation)?;
            let base = session.base(&operation.api)?;
            let address = (base.scheme(), base.host_str()?, base.port_or_known_default()?);
            let connection = *places.entry(address).or_insert_with(|| {
                connections.push(Connection::new(context.connections.clone(), base.clone(), context.target.timeout));
                connections.len() - 1
            });
            let largest = largest(&context.contracts, &call.operation);
            Some(CallSlot { operation: run.operations.number(&call.operation)?, connection, largest })
        });
        let calls = calls.collect::<Option<Vec<_>>>()?;
        Some(Self { script, calls, connections, said: Value::Null })
    }

    /// Makes every call once. A response that its bytes alone don't settle is judged as in `verify`; `whole` has all of them recorded
    /// and judged so. The time that judging takes is not in the time returned.
    async fn play(&mut self, session: &UserSession, whole: bool, recorder: &mut CallRecorder<'_>) -> (Played, Duration) {
        let _turn = session.turn().await;
        let keeps = self.script.calls.iter().any(|call| call.keeps(session));
        let own = keeps.then(|| session.first().variables.clone());
        let judged = JudgedCalls { played: Played::default(), record: whole.then(|| record_of(session)) };
        let mut iteration = FastIteration { session, recorder, own, judged, spent: Duration::ZERO };
        for (call, slot) in self.script.calls.iter().zip(&self.calls) {
            let Some(connection) = self.connections.get_mut(slot.connection) else { break };
            if !iteration.call(call, *slot, connection, &mut self.said).await {
                break;
            }
        }
        (iteration.judged.played, iteration.spent)
    }
}

/// One iteration on the fast path.
struct FastIteration<'i, 'r> {
    session: &'i UserSession,
    recorder: &'i mut CallRecorder<'r>,
    /// Its own variables, where a call keeps something.
    own: Option<Variables>,
    judged: JudgedCalls,
    spent: Duration,
}

impl FastIteration<'_, '_> {
    /// Makes a call, again while its response is pending. False where the iteration ends with it.
    async fn call(&mut self, call: &FastCall, slot: CallSlot, connection: &mut Connection, said: &mut Value) -> bool {
        let request = match call.request(self.session, self.variables()) {
            Ok(request) => request,
            Err(halt) => return self.judged.stop(halt.to_string()),
        };
        let polling = call.polling(self.session).map(|(within, every)| (Instant::now() + within, every));
        loop {
            let Some(token) = self.token(call, &request).await else { return false };
            match self.send(call, (slot, &*request, &token), (connection, said), polling).await {
                Then::GoesOn => return true,
                Then::Ends => return false,
                Then::Again => {
                    let pause = polling.map(|(_, every)| every).unwrap_or_default();
                    tokio::time::sleep(pause).await;
                    self.spent += pause;
                }
            }
        }
    }

    fn variables(&self) -> &Variables {
        self.own.as_ref().unwrap_or(&self.session.first().variables)
    }

    /// The token for a request; none where the iteration ends because it could not be asked for.
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

    /// Sends a request, and judges its response. `polling` is until when the step waits for another one, and how long before it.
    async fn send(
        &mut self,
        call: &FastCall,
        (slot, request, token): (CallSlot, &FastRequest, &SentToken),
        (connection, said): (&mut Connection, &mut Value),
        polling: Option<(Instant, Duration)>,
    ) -> Then {
        let sent = match call.with_token(self.session, request, token) {
            Ok(sent) => sent,
            Err(halt) => {
                self.judged.stop(halt.to_string());
                return Then::Ends;
            }
        };
        let (service, response) = connection.send(&sent, slot.largest).await;
        self.spent += service;
        self.recorder.run.note_reached(response.as_ref().err().map(|failure| failure.kind));
        let status = response.as_ref().ok().map(|reply| reply.status);
        let in_time = polling.is_some_and(|(deadline, every)| Instant::now() + every <= deadline);
        let glance = match &response {
            Ok(reply) => call.glance(self.session, self.variables(), (request, reply, in_time), said),
            Err(_) => Glance::Unsettled,
        };
        let codes = self.recorder.codes(slot.operation);
        if glance == Glance::Unsettled || self.judged.record.is_some() {
            let variables = self.own.as_ref().unwrap_or(&self.session.first().variables);
            let judged = self.judged.judge((call, self.session, variables), token, (response.as_ref(), service), in_time);
            let code = codes.zip(self.judged.last_of(judged.number)).map_or(ResultCode::None, |(codes, exchange)| codes.code(exchange));
            self.recorder.call(slot.operation, service, Answer { status, code, error: judged.error });
            if let Some(own) = &mut self.own {
                *own = judged.variables;
            }
            return judged.then;
        }
        let code = codes.zip(status).map_or(ResultCode::None, |(codes, status)| codes.code_of_success(status));
        self.recorder.call(slot.operation, service, Answer { status, code, error: None });
        match glance {
            Glance::Pending => Then::Again,
            Glance::Fine if self.own.as_mut().is_none_or(|own| call.keep(self.session, own, said)) => Then::GoesOn,
            Glance::Fine | Glance::Unsettled => Then::Ends,
        }
    }
}

/// What came of a call that was judged as in `verify`.
struct Judged {
    /// The number of its exchange; none where it could not be recorded.
    number: Option<usize>,
    error: Option<ErrorKind>,
    variables: Variables,
    then: Then,
}

/// The calls of an iteration on the fast path that were judged as in `verify`.
struct JudgedCalls {
    played: Played,
    /// Everything recorded, where the iteration is judged as a whole.
    record: Option<Record>,
}

impl JudgedCalls {
    /// How many exchanges have a number. Findings name their exchange by its number: no two of an iteration have the same.
    fn numbered(&self, session: &UserSession) -> usize {
        session.first().record.exchanges().count() + self.played.record.exchanges().count()
    }

    /// The last exchange, where it has this number.
    fn last_of(&self, number: Option<usize>) -> Option<&Exchange> {
        self.played.record.exchanges().last().filter(|exchange| Some(exchange.number) == number).map(AsRef::as_ref)
    }

    /// Ends the iteration; the first reason stays. False, as it does not go on.
    fn stop(&mut self, reason: String) -> bool {
        self.played.stopped.get_or_insert(reason);
        false
    }

    /// Adds what was judged. `apart` says that it is not in the record of the whole iteration yet.
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

    fn judge(
        &mut self,
        (call, session, variables): (&FastCall, &UserSession, &Variables),
        token: &SentToken,
        response: (Result<&Reply, &Failure>, Duration),
        in_time: bool,
    ) -> Judged {
        let exchange = match call.recorded(session, variables, token, response) {
            Ok(exchange) => exchange,
            Err(halt) => {
                self.stop(halt.to_string());
                return Judged { number: None, error: Some(ErrorKind::Transport), variables: variables.clone(), then: Then::Ends };
            }
        };
        let number = self.numbered(session);
        let mut alone = record_of(session);
        let record = self.record.as_mut().unwrap_or(&mut alone);
        let JudgedCall { played, variables, then } = call.judge(session, variables, record, (exchange, number, in_time));
        let error = played.record.exchanges().last().and_then(|exchange| error_of(exchange, &played));
        self.add(played, false);
        Judged { number: Some(number), error, variables, then }
    }
}

#[cfg(test)]
mod tests;
