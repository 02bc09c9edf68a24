//! An interactive session: the caller chooses the next action after each response.
//!
//! Requests are sent, recorded and judged exactly as those of a script.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::Barrier;

use super::call::unjudgeable;
use super::context::{Context, Worlds};
use super::environment::{Environment, seed_of};
use super::plan::Case;
use super::session::{Session, Stop};
use super::user_session::Played;
use crate::base::verdict::Finding;
use crate::engine::request::PreparedRequest;
use crate::engine::world::{Act, KnownResource, WorldError};
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Step, StepVerb};
use crate::wire::exchange::Exchange;

/// An open world.
pub(crate) struct OpenWorld {
    environment: Environment,
}

impl OpenWorld {
    /// Opens a world under a unique name, if the target offers worlds.
    pub(crate) async fn open(context: &Context, name: &str, setting: &Map<String, Value>) -> Result<Self, WorldError> {
        let seed = seed_of(context.seed, name);
        let name = format!("{:x}-{name}{}", context.seed, context.nonce);
        Environment::open_with(context, name, seed, setting).await.map(|environment| Self { environment })
    }

    /// Ends the world.
    pub(crate) async fn close(&self, context: &Context) -> Result<(), WorldError> {
        self.environment.close(context).await
    }
}

/// Why a session cannot continue. None of the reasons is a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Halt {
    /// The target may not be sent this, or an assumption of ours about it does not hold, and why.
    #[error("{0}")]
    Skipped(String),
    /// The target cannot be reached, or the world cannot be changed, and why.
    #[error("{0}")]
    NotJudged(String),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        match stop {
            stop @ (Stop::Skipped(_) | Stop::Excused(_)) => Self::Skipped(stop.reason()),
            stop @ (Stop::NotJudged(_) | Stop::Failed) => Self::NotJudged(stop.reason()),
        }
    }
}

/// An action of the caller.
#[derive(Debug)]
pub(crate) enum SessionAction {
    /// A call of this operation.
    Call(String, Box<Call>),
    /// An action of the world with its parameters.
    World(String, Map<String, Value>),
}

/// The result of an action.
#[derive(Debug)]
pub(crate) enum ActionResult {
    /// The exchange.
    Call(Arc<Exchange>),
    /// The response of the world, or why it refuses.
    World(Result<Value, WorldError>),
}

/// A session in an open world.
pub(crate) struct InteractiveSession<'s> {
    session: Session<'s>,
    step: Step,
    /// How many findings the caller has seen.
    seen: usize,
}

impl<'s> InteractiveSession<'s> {
    /// Starts a session. Its findings name the case's scenario as their place.
    pub(crate) fn new(context: &'s Context, case: &'s Case, world: &'s OpenWorld) -> Self {
        let verb = StepVerb::NoNotification(indexmap::IndexMap::new());
        let step = Step::new(case.scenario.place(), verb);
        Self { session: Session::new(context, case, &world.environment), step, seen: 0 }
    }

    /// Performs one action.
    pub(crate) async fn play(&mut self, action: &SessionAction) -> Result<ActionResult, Halt> {
        match action {
            SessionAction::Call(operation, call) => {
                let operation = self.operation(operation)?;
                let mut request = self.session.prepare(operation, call, self.step.place.as_str())?;
                let exchange = self.session.send(operation, &mut request, &self.step).await?;
                reached(&exchange)?;
                Ok(ActionResult::Call(exchange))
            }
            SessionAction::World(action, with) => {
                let response = self.session.world.act(Act { action, with, resource: &KnownResource::default() }).await;
                Ok(self.acted(action, with, response))
            }
        }
    }

    /// Performs all actions at the same time. The record has them in the order given.
    pub(crate) async fn together(&mut self, actions: &[SessionAction]) -> Result<Vec<ActionResult>, Halt> {
        let mut ready = Vec::new();
        for action in actions {
            ready.push(match action {
                SessionAction::Call(operation, call) => {
                    let operation = self.operation(operation)?;
                    let mut request = self.session.prepare(operation, call, self.step.place.as_str())?;
                    self.session.authorize(operation, &mut request, &self.step).await?;
                    Ready::Call(operation, Box::new(request))
                }
                SessionAction::World(action, with) => Ready::World(action, with),
            });
        }
        let start = Barrier::new(ready.len());
        let results = join_all(ready.iter().map(|ready| self.release(ready, &start))).await;
        results.into_iter().map(|result| self.record(result)).collect()
    }

    /// Performs an action when all the others are ready too.
    async fn release<'d>(&self, ready: &Ready<'d>, start: &Barrier) -> Unrecorded<'d> {
        let session = &self.session;
        match *ready {
            Ready::World(action, with) => {
                start.wait().await;
                let response = session.world.act(Act { action, with, resource: &KnownResource::default() }).await;
                Unrecorded::World { action, with, response }
            }
            Ready::Call(operation, ref request) => Unrecorded::Call(session.sent_after(operation, request, start).await),
        }
    }

    fn record(&mut self, result: Unrecorded<'_>) -> Result<ActionResult, Halt> {
        match result {
            Unrecorded::Call(exchange) => {
                let operation = self.operation(&exchange.operation)?;
                let exchange = self.session.keep_exchange(exchange);
                self.session.judge_call(operation, &exchange, &self.step)?;
                reached(&exchange)?;
                Ok(ActionResult::Call(exchange))
            }
            Unrecorded::World { action, with, response } => Ok(self.acted(action, with, response)),
        }
    }

    /// Records an action, unless the world has refused it: then it has not happened.
    fn acted(&mut self, action: &str, with: &Map<String, Value>, response: Result<Value, WorldError>) -> ActionResult {
        if let Ok(done) = &response {
            self.session.note_action(action, with, done);
        }
        self.session.tokens.world_moved();
        ActionResult::World(response.map_err(|error| error.masked(&self.session.context.recorder)))
    }

    fn operation(&self, name: &str) -> Result<&'s Operation, Halt> {
        let found = self.session.context.contracts.operations.get(name);
        found.ok_or_else(|| Halt::NotJudged(format!("there is no operation `{name}`")))
    }

    /// Waits until nothing is under way, and judges every notification that has arrived.
    pub(crate) async fn settle(&mut self) -> Result<Vec<Arc<Exchange>>, Halt> {
        self.session.judge_rest().await?;
        Ok(self.session.record.notifications().map(Arc::clone).collect())
    }

    /// Returns the findings since the last call.
    pub(crate) fn findings(&mut self) -> Vec<Finding> {
        let found = self.session.judgement.findings.get(self.seen..).unwrap_or_default();
        let counts = |finding: &&Finding| finding.assumed.is_none() || self.session.context.target.assert_assumed;
        let found: Vec<Finding> = found.iter().filter(counts).cloned().collect();
        self.seen = self.session.judgement.findings.len();
        found
    }

    /// Ends the session. The findings include those of the transition tables.
    pub(crate) fn end(self) -> Played {
        self.session.into_played(None, 0)
    }
}

/// An action that waits for the others.
enum Ready<'d> {
    Call(&'d Operation, Box<PreparedRequest>),
    World(&'d str, &'d Map<String, Value>),
}

/// The result of an action, not yet recorded.
enum Unrecorded<'d> {
    Call(Arc<Exchange>),
    World { action: &'d str, with: &'d Map<String, Value>, response: Result<Value, WorldError> },
}

fn reached(exchange: &Exchange) -> Result<(), Halt> {
    unjudgeable(exchange).map_or(Ok(()), |why| Err(Halt::NotJudged(why)))
}

impl Context {
    /// Whether every sequence has a world of its own.
    pub(crate) fn has_worlds(&self) -> bool {
        matches!(self.worlds, Worlds::Emulator(_))
    }

    /// Whether something makes time pass faster than it does.
    pub(crate) fn moves_time(&self) -> bool {
        match &self.worlds {
            Worlds::Emulator(_) => true,
            Worlds::Driven(driven) => driven.moves_time(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Source;
    use crate::engine::runner::{Selection, plan};
    use crate::judge::record::RecordEntry;
    use crate::spec::contract::Contracts;
    use crate::spec::{scenario, target};

    /// A target that nothing may be sent to, and the case of a script whose only step is a call.
    async fn live(step: &str) -> (Context, Case) {
        let contracts = Contracts::shipped();
        let live = "title: live\nbase: http://192.0.2.1\ncredentials: { main: { merchant: '1', secret: not-a-secret-0 } }\n";
        let target = target::parse(&Source::new("target.yaml", live), &contracts, &|_| None).unwrap();
        let text = format!("title: Explored\nclauses: [gateway.versions]\nsteps:\n  - call: gateway.v2.create\n    {step}\n");
        let path = "scenarios/gateway/explored.yaml";
        let script = scenario::parse(path, &Source::new(path, text), &contracts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let case = plan(&[Arc::new(script)], &contracts, &Selection::default()).remove(0);
        (Context::start(contracts, target, Vec::new(), 1).await.unwrap(), case)
    }

    /// Performs the call of a script's only step on a target that nothing may be sent to: alone, and beside another one.
    async fn halts(step: &str) -> (Halt, Halt) {
        let (context, case) = live(step).await;
        let world = OpenWorld::open(&context, "explored", &Map::new()).await.unwrap();
        let mut session = InteractiveSession::new(&context, &case, &world);
        let action = || {
            let StepVerb::Call(call) = &case.steps.first().unwrap().verb else { panic!("it is a call") };
            SessionAction::Call("gateway.v2.create".to_owned(), call.clone())
        };
        let together = [action(), action()];
        (session.play(&action()).await.unwrap_err(), session.together(&together).await.unwrap_err())
    }

    #[tokio::test]
    async fn an_action_that_the_world_refuses_is_not_recorded() {
        let (context, case) = live("expect: { code: 0 }").await;
        let world = OpenWorld::open(&context, "explored", &Map::new()).await.unwrap();
        let mut session = InteractiveSession::new(&context, &case, &world);
        let action = || SessionAction::World("payer.pays".to_owned(), Map::new());
        let refused = session.play(&action()).await.unwrap();
        assert!(matches!(refused, ActionResult::World(Err(WorldError::Driver(_)))), "{refused:?}");
        let refused = session.together(&[action(), action()]).await.unwrap();
        assert!(refused.iter().all(|result| matches!(result, ActionResult::World(Err(_)))), "{refused:?}");
        assert!(session.end().record.entries.is_empty());
    }

    #[tokio::test]
    async fn no_secret_that_a_driver_repeats_is_recorded_or_shown() {
        let (context, case) = live("expect: { code: 0 }").await;
        let world = OpenWorld::open(&context, "explored", &Map::new()).await.unwrap();
        let mut session = InteractiveSession::new(&context, &case, &world);
        let said = Value::from("paid by not-a-secret-0");
        let with = Map::from_iter([("note".to_owned(), said.clone())]);
        let done = session.acted("payer.pays", &with, Ok(said.clone()));
        assert!(matches!(done, ActionResult::World(Ok(response)) if response == said), "what follows needs the value itself");
        let failed = session.acted("payer.pays", &with, Err(WorldError::Driver("401 for not-a-secret-0".to_owned())));
        assert!(matches!(failed, ActionResult::World(Err(WorldError::Driver(why))) if why == "401 for ***main***"));
        let entries = session.end().record.entries;
        let [RecordEntry::World { with, response, .. }] = entries.as_slice() else { panic!("{entries:?}") };
        assert_eq!((with.get("note"), response), (Some(&Value::from("paid by ***main***")), &Value::from("paid by ***main***")));
    }

    #[tokio::test]
    async fn what_is_explored_is_looked_at_before_it_is_sent() {
        for step in ["with: { test: false }", "without: [test]", "body: '{\"price\": 1}'", "query: { test: 'false' }"] {
            let (alone, together) = halts(step).await;
            assert!(matches!(&alone, Halt::Skipped(reason) if reason.contains("allow: { production: true }")), "{step}: {alone:?}");
            assert_eq!(alone, together);
        }
    }
}
