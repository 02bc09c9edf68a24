//! A world that is played in step by step: what comes next is decided when the last answer is known.
//!
//! Requests go out, are recorded and are judged exactly as those of a script.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::Barrier;
use url::Url;

use super::context::{Context, Worlds};
use super::filled::{Addressed, Filled};
use super::place::{Place, seed_of};
use super::plan::Instance;
use super::session::{Session, Stop};
use super::stand::Played;
use crate::contract::Operation;
use crate::exchange::{Exchange, Outcome, TransportFailureKind};
use crate::record::Entry;
use crate::scenario::{Call, Step, Verb};
use crate::verdict::Finding;
use crate::world::WorldError;

/// A world that was opened to be played in.
pub(crate) struct Ground {
    place: Place,
}

impl Ground {
    /// Opens a world under a name that no other has in this run, where the target gives one.
    pub(crate) async fn open(context: &Context, name: &str, setting: &Map<String, Value>) -> Result<Self, WorldError> {
        let seed = seed_of(context.seed, name);
        let name = format!("{:x}-{name}{}", context.seed, context.nonce);
        Place::open_with(context, name, seed, setting).await.map(|place| Self { place })
    }

    /// Ends the world.
    pub(crate) async fn close(&self, context: &Context) -> Result<(), WorldError> {
        self.place.close(context).await
    }
}

/// Why it could not go on; nothing of this is a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The target may not be asked this, and why.
    Skipped(String),
    /// The target can't be reached, or the world does not move, and why.
    Broken(String),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Skipped(reason) => Self::Skipped(reason),
            stop @ (Stop::Broken(_) | Stop::Failed) => Self::Broken(stop.reason()),
        }
    }
}

/// One thing to do.
#[derive(Debug)]
pub(crate) enum Deed {
    /// A call of this operation.
    Call(String, Box<Call>),
    /// An action of the world with its parameters.
    World(String, Map<String, Value>),
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Told {
    /// The exchange.
    Call(Arc<Exchange>),
    /// What the world answers, or why it did not do it.
    World(Result<Value, String>),
}

/// A world while it is played in.
pub(crate) struct Live<'s> {
    session: Session<'s>,
    step: Step,
    /// As many findings were taken away already.
    seen: usize,
}

impl<'s> Live<'s> {
    /// Nothing has happened yet. Findings are said to be at the place of the instance's scenario.
    pub(crate) fn new(context: &'s Context, instance: &'s Instance, ground: &'s Ground) -> Self {
        let verb = Verb::NoNotification(indexmap::IndexMap::new());
        let step = Step { place: instance.scenario.path.clone(), clauses: Vec::new(), once: false, verb };
        Self { session: Session::new(context, instance, &ground.place), step, seen: 0 }
    }

    /// Does one thing.
    pub(crate) async fn play(&mut self, deed: &Deed) -> Result<Told, Halt> {
        match deed {
            Deed::Call(operation, call) => {
                let (operation, filled) = self.fill(operation, call)?;
                let operation = self.operation(&operation)?;
                let exchange = self.session.send(operation, &filled, &self.step).await?;
                reached(&exchange)?;
                Ok(Told::Call(exchange))
            }
            Deed::World(action, with) => {
                let answer = self.session.world.act(action, with).await;
                self.note_action(action, with, answer.as_ref().ok());
                self.session.tokens.world_moved();
                Ok(Told::World(answer.map_err(|error| error.to_string())))
            }
        }
    }

    /// Does all of it at the same time. The record has it in the order given.
    pub(crate) async fn together(&mut self, deeds: &[Deed]) -> Result<Vec<Told>, Halt> {
        let mut ready = Vec::new();
        for deed in deeds {
            ready.push(match deed {
                Deed::Call(operation, call) => {
                    let (name, filled) = self.fill(operation, call)?;
                    let operation = self.operation(&name)?;
                    let token = self.session.token(operation, &filled, &self.step).await?;
                    let base = self.session.world.base(&operation.api).cloned().ok_or_else(|| no_base(operation))?;
                    Ready::Call(operation, Box::new(filled), token, base)
                }
                Deed::World(action, with) => Ready::World(action, with),
            });
        }
        let start = Barrier::new(ready.len());
        let told = join_all(ready.iter().map(|ready| self.let_go(ready, &start))).await;
        ready.iter().zip(told).map(|(ready, told)| self.take_in(ready, told)).collect()
    }

    /// Does it when all the others are ready too.
    async fn let_go(&self, ready: &Ready<'_>, start: &Barrier) -> Loose {
        let session = &self.session;
        match ready {
            Ready::World(action, with) => {
                start.wait().await;
                let answer = session.world.act(action, with).await;
                Loose::World(answer.map_err(|error| error.to_string()))
            }
            Ready::Call(operation, filled, token, base) => {
                let addressed = Addressed::of(session.context, operation, filled);
                let outgoing = addressed.outgoing(operation, filled, base, token.as_deref(), &session.vault);
                let signal = start.wait().map(|_| ());
                Loose::Call(Arc::new(session.context.transport.send_after(outgoing, &session.context.recorder, signal).await))
            }
        }
    }

    fn take_in(&mut self, ready: &Ready<'_>, told: Loose) -> Result<Told, Halt> {
        match (ready, told) {
            (_, Loose::Call(exchange)) => {
                let operation = self.operation(&exchange.operation)?;
                let exchange = self.session.keep_exchange(exchange);
                self.session.judge_call(operation, &exchange, &self.step);
                reached(&exchange)?;
                Ok(Told::Call(exchange))
            }
            (ready, Loose::World(answer)) => {
                // What it came too late for has not happened.
                if let (Ready::World(action, with), Ok(told)) = (ready, &answer) {
                    self.note_action(action, with, Some(told));
                }
                self.session.tokens.world_moved();
                Ok(Told::World(answer))
            }
        }
    }

    fn note_action(&mut self, action: &str, with: &Map<String, Value>, answer: Option<&Value>) {
        let answer = answer.cloned().unwrap_or_default();
        self.session.record.entries.push(Entry::World { action: action.to_owned(), with: with.clone(), answer });
    }

    fn operation(&self, name: &str) -> Result<&'s Operation, Halt> {
        let found = self.session.context.contracts.operations.get(name);
        found.ok_or_else(|| Halt::Broken(format!("there is no operation `{name}`")))
    }

    fn fill(&self, name: &str, call: &Call) -> Result<(String, Filled), Halt> {
        let operation = self.operation(name)?;
        let filled = self.session.scope().fill(operation, call)?;
        self.session.scope().may_send(operation, &filled)?;
        Ok((operation.id.clone(), filled))
    }

    /// Waits until nothing is under way, and judges every notification that has arrived.
    pub(crate) async fn settle(&mut self) -> Result<Vec<Arc<Exchange>>, Halt> {
        self.session.judge_rest().await?;
        Ok(self.session.record.notifications().map(Arc::clone).collect())
    }

    /// What everything that is always on has found since it was asked last.
    pub(crate) fn findings(&mut self) -> Vec<Finding> {
        let found = self.session.judgement.findings.get(self.seen..).unwrap_or_default();
        let counts = |finding: &&Finding| finding.assumed.is_none() || self.session.context.target.assert_assumed;
        let found: Vec<Finding> = found.iter().filter(counts).cloned().collect();
        self.seen = self.session.judgement.findings.len();
        found
    }

    /// The end: what the transition tables say of all of it is among the findings.
    pub(crate) fn end(self) -> Played {
        self.session.into_played(None, 0)
    }
}

/// A deed that waits for the others.
enum Ready<'d> {
    Call(&'d Operation, Box<Filled>, Option<String>, Url),
    World(&'d str, &'d Map<String, Value>),
}

/// What came of it, not yet recorded.
enum Loose {
    Call(Arc<Exchange>),
    World(Result<Value, String>),
}

fn no_base(operation: &Operation) -> Halt {
    Halt::Skipped(format!("the target has no base URL for `{}`", operation.api))
}

/// Nobody listening there is no rule broken.
fn reached(exchange: &Exchange) -> Result<(), Halt> {
    match &exchange.outcome {
        Outcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
            Err(Halt::Broken(format!("{} can't be reached: {}", exchange.operation, failure.detail)))
        }
        Outcome::Failed(_) | Outcome::Answer(_) => Ok(()),
    }
}

impl Context {
    /// Whether every sequence has a world of its own.
    pub(crate) fn has_worlds(&self) -> bool {
        matches!(self.worlds, Worlds::Emulator(_))
    }

    /// Why an action of the world can't be done here, if it can't.
    pub(crate) fn cannot_act(&self, action: &str) -> Option<String> {
        let is_fault = self.contracts.actions.get(action).is_some_and(|known| known.fault);
        let refused = is_fault.then(|| self.target.may_fault().err()).flatten().map(|refusal| refusal.to_string());
        refused.or_else(|| self.worlds.cannot(action))
    }
}
