//! A virtual user: plays one iteration after another, each entry of the mix in a world of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use thiserror::Error;

use super::meter::{Iteration, MeasuredCall};
use super::result::ErrorKind;
use super::run_state::{NextIteration, RecheckSample, RunState, error_of};
use crate::engine::runner::{FastCall, FastScript, Played, UserSession, largest, record_of};
use crate::engine::transport::connection::{Connection, Failure, Reply};
use crate::judge::record::Record;
use crate::spec::scenario::Variables;
use crate::wire::exchange::Direction;

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

/// Reports calls to the meter and the killswitch.
struct CallRecorder<'t> {
    run: &'t RunState,
    /// How late the iteration began.
    late: Duration,
    calls: &'t mut Vec<MadeCall>,
}

impl CallRecorder<'_> {
    fn call(&mut self, operation: usize, service: Duration, error: Option<ErrorKind>) {
        self.run.meter.call(operation, MeasuredCall { service, late: self.late, error });
        self.run.count_call(error);
        if self.run.reports_to_goose {
            self.calls.push(MadeCall { operation, service, error });
        }
    }

    /// Reports every recorded call of an iteration.
    fn recorded(&mut self, played: &Played) {
        for exchange in played.record.exchanges().filter(|exchange| exchange.direction == Direction::Call) {
            self.run.note_reached(exchange.failure().map(|failure| failure.kind));
            if let Some(operation) = self.run.operations.number(&exchange.operation) {
                self.call(operation, exchange.elapsed, error_of(exchange, played));
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
        let contracts = &run.context.contracts;
        let (mut connections, mut places) = (Vec::new(), HashMap::new());
        let calls = script.calls.iter().map(|call| {
            let operation = contracts.operations.get(&call.operation)?;
            let base = session.base(&operation.api)?;
            let authority = format!("{}:{}", base.host_str()?, base.port_or_known_default()?);
            let connection = *places.entry(authority.clone()).or_insert_with(|| {
                connections.push(Connection::new(authority, run.context.target.timeout));
                connections.len() - 1
            });
            let largest = largest(contracts, &call.operation);
            Some(CallSlot { operation: run.operations.number(&call.operation)?, connection, largest })
        });
        let calls = calls.collect::<Option<Vec<_>>>()?;
        Some(Self { script, calls, connections, said: Value::Null })
    }

    /// Makes every call once. A response that its bytes alone don't settle is judged as in `verify`; `whole` has all of them recorded
    /// and judged so. The time that judging takes is not in the time returned.
    async fn play(&mut self, session: &UserSession, whole: bool, recorder: &mut CallRecorder<'_>) -> (Played, Duration) {
        let keeps = self.script.calls.iter().any(|call| call.keeps(session));
        let mut own = keeps.then(|| session.first().variables.clone());
        let mut judged = JudgedCalls { played: Played::default(), record: whole.then(|| record_of(session)) };
        let mut spent = Duration::ZERO;
        for (call, fast) in self.script.calls.iter().zip(&self.calls) {
            let Some(connection) = self.connections.get_mut(fast.connection) else { break };
            let variables = own.as_ref().unwrap_or(&session.first().variables);
            let request = match call.request(session, variables) {
                Ok(request) => request,
                Err(halt) => {
                    judged.played.stopped = Some(halt.to_string());
                    break;
                }
            };
            let (service, response) = connection.send(&request, fast.largest).await;
            spent += service;
            recorder.run.note_reached(response.as_ref().err().map(|failure| failure.kind));
            let fine = response.as_ref().is_ok_and(|reply| call.is_fine(session, variables, reply, &mut self.said));
            let error = if fine && !whole { None } else { judged.judge(call, session, variables, (response.as_ref(), service)) };
            recorder.call(fast.operation, service, error);
            if !fine {
                self.said = judged.said();
            }
            let kept = own.as_mut().is_none_or(|own| call.keep(session, own, &self.said));
            if error.is_some() || !kept {
                break;
            }
        }
        (judged.played, spent)
    }
}

/// The calls of an iteration on the fast path that were judged as in `verify`.
struct JudgedCalls {
    played: Played,
    /// Everything recorded, where the iteration is judged as a whole.
    record: Option<Record>,
}

impl JudgedCalls {
    /// What the last recorded response says.
    fn said(&self) -> Value {
        self.played.record.exchanges().last().and_then(|exchange| exchange.answered().cloned()).unwrap_or_default()
    }

    fn judge(
        &mut self,
        call: &FastCall,
        session: &UserSession,
        variables: &Variables,
        (response, service): (Result<&Reply, &Failure>, Duration),
    ) -> Option<ErrorKind> {
        let exchange = match call.recorded(session, variables, response, service) {
            Ok(exchange) => exchange,
            Err(halt) => {
                self.played.stopped = Some(halt.to_string());
                return Some(ErrorKind::Transport);
            }
        };
        let mut alone = record_of(session);
        // Findings name their exchange by its number: no two of an iteration have the same.
        let number = alone.exchanges().count() + self.played.record.exchanges().count();
        let record = self.record.as_mut().unwrap_or(&mut alone);
        let judged = call.judge(session, variables, record, (exchange, number));
        let error = judged.record.exchanges().last().and_then(|exchange| error_of(exchange, &judged));
        self.played.record.entries.extend(judged.record.entries);
        self.played.findings.extend(judged.findings);
        self.played.unexpected.extend(judged.unexpected);
        // The first call without a response stops the iteration.
        if self.played.stopped.is_none() {
            self.played.stopped = judged.stopped;
        }
        error
    }
}
