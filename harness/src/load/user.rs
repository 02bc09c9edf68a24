//! A virtual user: plays one iteration after another, each in its own world.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::meter::{Call, Iteration};
use super::result::ErrorKind;
use super::run::{Run, Sample, Turn, error_of};
use serde_json::Value;

use crate::exchange::Direction;
use crate::record::Record;
use crate::runner::{PlainCall, PlainScript, Played, Stand, largest, record_of};
use crate::transport::connection::{Connection, Request};

/// Of an iteration that is judged call by call, every so-manieth is also judged as a whole.
const WHOLE_EVERY: u64 = 100;

/// How many finished payments the world of a user keeps.
const KEPT: usize = 1000;

/// A virtual user.
pub(crate) struct User {
    number: usize,
    run: Arc<Run>,
    /// Where it plays each part of the mix.
    seats: Vec<Seat>,
    /// What was called in this spell, where goose is told.
    pub(crate) made: Vec<Made>,
}

/// A call that was made.
pub(crate) struct Made {
    pub(crate) operation: usize,
    pub(crate) service: Duration,
    pub(crate) error: Option<ErrorKind>,
}

/// Where a user plays one part of the mix.
struct Seat {
    stand: Arc<Stand>,
    plain: Option<Plain>,
    iterations: u64,
}

/// A part of which all steps are plain calls.
struct Plain {
    script: PlainScript,
    /// Number of the operation and place of the connection of each call.
    calls: Vec<Lane>,
    connections: Vec<Connection>,
    /// What the last answer said.
    said: Value,
}

#[derive(Clone, Copy)]
struct Lane {
    operation: usize,
    connection: usize,
    largest: usize,
}

impl User {
    /// A user that is ready: its worlds are open, and what is played only once was played.
    pub(crate) async fn ready(run: Arc<Run>, number: usize) -> Result<Self, String> {
        let mut seats = Vec::new();
        for (index, part) in run.parts.iter().enumerate() {
            let name = format!("u{}p{index}", run.shard.user(number));
            let stand = Stand::open(Arc::clone(&run.context), Arc::clone(part), &name, KEPT).await.map_err(|e| e.to_string())?;
            seats.push(Seat::take(stand, &run).await?);
        }
        Ok(Self { number, run, seats, made: Vec::new() })
    }

    /// Plays a turn.
    pub(crate) async fn play(&mut self, turn: Turn) {
        let Self { number, run, seats, made } = self;
        let Some(seat) = seats.get_mut(turn.part) else { return };
        let late = turn.due.map(|due| run.elapsed().saturating_sub(due)).unwrap_or_default();
        let sampled = run.samples_next(turn.part);
        let mut teller = Teller { run, late, made };
        let (played, service) = match &mut seat.plain {
            Some(plain) => {
                let whole = sampled || seat.iterations.is_multiple_of(WHOLE_EVERY);
                plain.play(&seat.stand, whole, &mut teller).await
            }
            None => {
                let started = Instant::now();
                let played = seat.stand.play().await;
                let service = started.elapsed();
                teller.tell(&played);
                (played, service)
            }
        };
        seat.iterations += 1;
        run.meter.iteration(turn.part, Iteration { service, late, passed: played.passed() });
        run.found(&played);
        if sampled {
            run.keep_sample(Sample { user: *number, part: turn.part, record: played.record });
        }
    }

    /// Where it plays a part of the mix.
    pub(crate) fn stand(&self, part: usize) -> Option<Arc<Stand>> {
        self.seats.get(part).map(|seat| Arc::clone(&seat.stand))
    }

    /// Ends its worlds.
    pub(crate) async fn leave(self) {
        for seat in self.seats {
            // The load is over; what is left there disturbs nobody.
            let _ = seat.stand.close().await;
        }
    }
}

/// Tells the meter of calls.
struct Teller<'t> {
    run: &'t Run,
    /// How late the iteration began.
    late: Duration,
    made: &'t mut Vec<Made>,
}

impl Teller<'_> {
    fn call(&mut self, operation: usize, service: Duration, error: Option<ErrorKind>) {
        self.run.meter.call(operation, Call { service, late: self.late, error });
        self.run.count(error);
        if self.run.tells_goose {
            self.made.push(Made { operation, service, error });
        }
    }

    /// Every call that was recorded.
    fn tell(&mut self, played: &Played) {
        for exchange in played.record.exchanges().filter(|exchange| exchange.direction == Direction::Call) {
            self.run.heard(exchange.failure().map(|failure| failure.kind));
            if let Some(operation) = self.run.operations.number(&exchange.operation) {
                self.call(operation, exchange.elapsed, error_of(exchange, played));
            }
        }
    }
}

impl Seat {
    async fn take(mut stand: Stand, run: &Run) -> Result<Self, String> {
        let begun = stand.begin().await;
        run.found(&begun);
        if !begun.passed() {
            let found = begun.findings.iter().chain(&begun.unexpected).map(|finding| finding.message.clone());
            let why = begun.stopped.into_iter().chain(found).next().unwrap_or_default();
            return Err(format!("{}: {why}", stand.instance().name));
        }
        let plain = PlainScript::of(&stand).and_then(|script| Plain::of(script, &stand, run));
        Ok(Self { stand: Arc::new(stand), plain, iterations: 0 })
    }
}

impl Plain {
    fn of(script: PlainScript, stand: &Stand, run: &Run) -> Option<Self> {
        let contracts = &run.context.contracts;
        let (mut connections, mut places) = (Vec::new(), HashMap::new());
        let calls = script.calls.iter().map(|call| {
            let operation = contracts.operations.get(&call.operation)?;
            let base = stand.base(&operation.api)?;
            let authority = format!("{}:{}", base.host_str()?, base.port_or_known_default()?);
            let connection = *places.entry(authority.clone()).or_insert_with(|| {
                connections.push(Connection::new(authority, run.context.target.timeout));
                connections.len() - 1
            });
            Some(Lane { operation: run.operations.number(&call.operation)?, connection, largest: largest(contracts, &call.operation) })
        });
        let calls = calls.collect::<Option<Vec<_>>>()?;
        Some(Self { script, calls, connections, said: Value::Null })
    }

    /// Plays every call once. Whatever an answer's bytes alone don't settle is judged as in `verify`, and
    /// so is everything when `whole`: then the record is kept too. The judging is not in the time told.
    async fn play(&mut self, stand: &Stand, whole: bool, teller: &mut Teller<'_>) -> (Played, Duration) {
        let keeps = self.script.calls.iter().any(|call| call.keeps(stand));
        let mut own = keeps.then(|| stand.first().variables.clone());
        let mut judged = Judged { played: Played::default(), record: whole.then(|| record_of(stand)) };
        let mut spent = Duration::ZERO;
        for (call, lane) in self.script.calls.iter().zip(&self.calls) {
            let Some(connection) = self.connections.get_mut(lane.connection) else { break };
            let variables = own.as_ref().unwrap_or(&stand.first().variables);
            let request = match call.request(stand, variables) {
                Ok(request) => request,
                Err(reason) => {
                    judged.played.stopped = Some(reason);
                    break;
                }
            };
            let (service, answer) = connection.send(|| Request::clone(&request), lane.largest).await;
            spent += service;
            teller.run.heard(answer.as_ref().err().map(|failure| failure.kind));
            let fine = answer.as_ref().is_ok_and(|reply| call.is_fine(stand, variables, reply, &mut self.said));
            let error = if fine && !whole { None } else { judged.judge(call, stand, variables, answer.as_ref(), service) };
            teller.call(lane.operation, service, error);
            if !fine {
                self.said = judged.said();
            }
            let kept = own.as_mut().is_none_or(|own| call.keep(stand, own, &self.said));
            if error.is_some() || !kept {
                break;
            }
        }
        (judged.played, spent)
    }
}

/// What was judged as in `verify`.
struct Judged {
    played: Played,
    /// Everything recorded, where the iteration is judged as a whole.
    record: Option<Record>,
}

impl Judged {
    /// What the last recorded answer says.
    fn said(&self) -> Value {
        self.played.record.exchanges().last().and_then(|exchange| exchange.answered().cloned()).unwrap_or_default()
    }

    fn judge(
        &mut self,
        call: &PlainCall,
        stand: &Stand,
        variables: &crate::scenario::Variables,
        answer: Result<&crate::transport::connection::Reply, &crate::transport::connection::Failure>,
        service: Duration,
    ) -> Option<ErrorKind> {
        let exchange = match call.recorded(stand, variables, answer, service) {
            Ok(exchange) => exchange,
            Err(reason) => {
                self.played.stopped = Some(reason);
                return Some(ErrorKind::Transport);
            }
        };
        let mut alone = record_of(stand);
        // Findings name their exchange by its number: no two of an iteration have the same.
        let number = alone.exchanges().count() + self.played.record.exchanges().count();
        let record = self.record.as_mut().unwrap_or(&mut alone);
        let judged = call.judge(stand, variables, record, (exchange, number));
        let error = judged.record.exchanges().last().and_then(|exchange| error_of(exchange, &judged));
        self.played.record.entries.extend(judged.record.entries);
        self.played.findings.extend(judged.findings);
        self.played.unexpected.extend(judged.unexpected);
        // A call that nobody answered is told as such; what follows it is not played.
        if self.played.stopped.is_none() {
            self.played.stopped = judged.stopped;
        }
        error
    }
}
