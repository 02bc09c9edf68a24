//! The session of a virtual user: one case is played repeatedly in one world.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::blockers::blockers;
use super::context::Context;
use super::environment::{Environment, seed_of};
use super::plan::Case;
use super::prepare::TemplateScope;
use super::session::{Session, SessionState, Stop};
use super::tokens::Tokens;
use super::turns::Turn;
use crate::base::verdict::Finding;
use crate::engine::client;
use crate::engine::transport::own_connections::{OwnConnection, OwnConnections};
use crate::engine::world::{Unsettled, WorldError};
use crate::judge::check;
use crate::judge::record::Record;
use crate::spec::contract::{Authorization, CLOCK, KEEP_FINISHED, Operation, REAL_CLOCK};
use crate::spec::scenario::{Step, Variables};
use crate::wire::exchange::Vault;

/// A world, the case that is played in it, and the state that its first steps left.
pub(crate) struct UserSession {
    context: Arc<Context>,
    case: Arc<Case>,
    environment: Environment,
    first: First,
    client: UserClient,
    /// Whether what is recorded goes over the user's connections, too: a proxy only the shared client supports.
    is_direct: bool,
    /// Whether the case calls anything that only one case at a time may call; computed once because looking takes long.
    takes_turns: bool,
}

/// What a user has in all cases that it plays, as a real client would: a connection to each address, and its tokens. In a world of its own
/// a case has its own tokens.
#[derive(Clone)]
pub(crate) struct UserClient {
    connections: Arc<OwnConnections>,
    /// They outlive an iteration. One user plays one iteration at a time.
    tokens: Arc<Mutex<Tokens>>,
    vault: Arc<Vault>,
}

impl UserClient {
    /// A client without connections and tokens.
    pub(crate) fn new(context: &Context) -> Self {
        let connections = OwnConnections::new(context.connections.clone(), context.target.timeout);
        Self { connections: Arc::new(connections), tokens: Arc::default(), vault: Arc::default() }
    }

    /// The same connections, without the tokens.
    fn in_another_world(&self) -> Self {
        Self { connections: Arc::clone(&self.connections), tokens: Arc::default(), vault: Arc::default() }
    }
}

/// The state that the `once` steps have left.
#[derive(Default)]
pub(crate) struct First {
    pub(crate) variables: Variables,
    pub(crate) record: Record,
    pub(crate) vault: Arc<Vault>,
    kept: usize,
    /// The number of entries in the record.
    begun: usize,
}

/// The result of playing a case once.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Everything that happened, in order.
    pub(crate) record: Record,
    /// Violations of the documents.
    pub(crate) findings: Vec<Finding>,
    /// Documented behaviour that a step does not expect.
    pub(crate) unexpected: Vec<Finding>,
    /// Why it ended early, if the target is not to blame.
    pub(crate) stopped: Option<String>,
}

impl Played {
    /// Whether it was played completely and without a finding.
    pub(crate) fn passed(&self) -> bool {
        self.findings.is_empty() && self.unexpected.is_empty() && self.stopped.is_none()
    }
}

/// Why a case cannot be played on a target at all, if so.
pub(crate) fn unplayable(context: &Context, case: &Case) -> Option<String> {
    blockers(context, case).first().map(ToString::to_string)
}

impl UserSession {
    /// Opens a world under a name, if the target offers worlds. Its clock is the real one, since measurements happen in real
    /// time, and it keeps `keep` finished payments.
    pub(crate) async fn open(
        context: Arc<Context>,
        case: Arc<Case>,
        (name, keep): (&str, usize),
        client: &UserClient,
    ) -> Result<Self, WorldError> {
        let mut setting: Map<String, Value> = case.scenario.setting.clone();
        setting.entry(CLOCK).or_insert_with(|| json!(REAL_CLOCK));
        setting.entry(KEEP_FINISHED).or_insert_with(|| json!(keep));
        // Two users never use the same numbers.
        let seed = seed_of(context.seed, name);
        let name = format!("{:x}-{name}{}", context.seed, context.nonce);
        let mut environment = Environment::open_with(&context, name, seed, &setting).await?;
        // Asking the world after every iteration whether something is under way would distort the measurement.
        environment.world.keep_connection();
        environment.world = Box::new(Unsettled(environment.world));
        let client = if environment.alone { client.in_another_world() } else { client.clone() };
        let is_direct = client::proxy(&context.target).is_none();
        let takes_turns = context.takes_turns(&case);
        let first = First { vault: Arc::clone(&client.vault), ..First::default() };
        Ok(Self { context, case, environment, first, client, is_direct, takes_turns })
    }

    /// Plays the `once` steps; what they keep stays.
    pub(crate) async fn begin(&mut self) -> Played {
        let mut session = Session::new(&self.context, &self.case, &self.environment);
        session.vault = Arc::clone(&self.client.vault);
        session.tokens = self.take_tokens();
        let stop = session.steps(0, |step| step.once).await.err();
        let first = First {
            variables: session.variables.clone(),
            record: session.record.clone(),
            vault: Arc::clone(&session.vault),
            kept: session.kept,
            begun: session.record.entries.len(),
        };
        self.put_tokens(&mut session);
        let played = session.into_played(stop, 0);
        self.first = first;
        played
    }

    /// Plays the other steps once more.
    pub(crate) async fn play(&self) -> Played {
        let _turn = self.turn().await;
        let mut session = self.iteration(self.first.variables.clone());
        let stop = session.steps(0, |step| !step.once).await.err();
        self.conclude(session, stop).await
    }

    /// The session of an iteration that has these variables. Nothing of it is recorded yet.
    pub(super) fn iteration(&self, variables: Variables) -> Session<'_> {
        self.resume(variables, self.first.kept)
    }

    /// A session that goes on after the `once` steps, with the tokens of the user; `kept` exchanges have a number already.
    fn resume(&self, variables: Variables, kept: usize) -> Session<'_> {
        let state = SessionState {
            variables,
            record: self.first.record.clone(),
            vault: Arc::clone(&self.first.vault),
            tokens: self.take_tokens(),
            kept,
        };
        let mut session = Session::resume(&self.context, &self.case, &self.environment, state);
        session.own = self.is_direct.then_some(self.client.connections.as_ref());
        session
    }

    /// Judges what no step has claimed, and the iteration as a whole.
    pub(super) async fn conclude(&self, mut session: Session<'_>, mut stop: Option<Stop>) -> Played {
        if !matches!(stop, Some(Stop::NotJudged(_) | Stop::Excused(_)))
            && let Err(broken) = session.judge_rest().await
        {
            stop = Some(broken);
        }
        self.put_tokens(&mut session);
        session.into_played(stop, self.first.begun)
    }

    /// The state after the `once` steps.
    pub(crate) fn first(&self) -> &First {
        &self.first
    }

    /// The base URL of an API.
    pub(crate) fn base(&self, api: &str) -> Option<&url::Url> {
        self.environment.world.base(api)
    }

    /// The user's connection to the host of a URL.
    pub(crate) fn connection_to(&self, url: &url::Url) -> OwnConnection {
        self.client.connections.to(url)
    }

    fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.client.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the tokens to a session.
    pub(super) fn take_tokens(&self) -> Tokens {
        std::mem::take(&mut *self.tokens())
    }

    /// Takes the tokens back from a session.
    pub(super) fn put_tokens(&self, session: &mut Session<'_>) {
        *self.tokens() = std::mem::take(&mut session.tokens);
    }

    /// Drops tokens that do not outlive a change of the world.
    pub(super) fn world_moved(&self) {
        self.tokens().world_moved();
    }

    /// The token for calls of an operation by an identity, if it is known and does not expire soon.
    pub(super) fn known_token(&self, operation: &Operation, identity: &str) -> Option<String> {
        let Authorization::Bearer(token) = &operation.credentials.header else { return None };
        let mark = self.tokens().get(token, identity, Instant::now())?;
        self.first.vault.secret(&mark)
    }

    /// Requests a token as a session would, and judges the response. `numbered` exchanges of the iteration have a number already.
    pub(super) async fn new_token(
        &self,
        (operation, identity): (&Operation, &str),
        step: &Step,
        (variables, numbered): (&Variables, usize),
    ) -> (Option<String>, Played) {
        let mut session = self.resume(variables.clone(), numbered);
        let token = session.token_of(operation, identity, step).await;
        self.put_tokens(&mut session);
        match token {
            Ok(token) => (token, session.into_played(None, self.first.begun)),
            Err(stop) => (None, session.into_played(Some(stop), self.first.begun)),
        }
    }

    /// Waits for the user's turn with everything that only one case at a time may call.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        if self.takes_turns { self.context.turn(&self.case).await } else { Turn::default() }
    }

    /// The context shared by all cases.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The case.
    pub(crate) fn case(&self) -> &Arc<Case> {
        &self.case
    }

    /// The environment.
    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The values for the requests of an iteration.
    pub(super) fn scope<'s>(&'s self, variables: &'s Variables) -> TemplateScope<'s> {
        TemplateScope {
            context: &self.context,
            variables,
            reference: self.environment.shared_reference(),
            setting: &self.case.scenario.setting,
        }
    }

    /// The names of values that the steps of every iteration keep.
    pub(super) fn kept_in_iterations(&self) -> impl Iterator<Item = &str> {
        let steps = self.case.steps.iter().filter(|step| !step.once);
        steps.flat_map(|step| step.verb.kept()).map(|keep| keep.name.as_str())
    }

    /// Sends with the shared client, as `verify` does.
    #[cfg(test)]
    pub(crate) fn send_with_client(&mut self) {
        self.is_direct = false;
    }

    /// Ends the world.
    pub(crate) async fn close(&self) -> Result<(), WorldError> {
        self.environment.close(&self.context).await
    }
}

impl Session<'_> {
    /// The result. The first `begun` entries of the record are older.
    pub(super) fn into_played(mut self, stop: Option<Stop>, begun: usize) -> Played {
        let transitions = check::transitions(&self.context.contracts, &self.record, self.is_alone());
        let place = self.case.scenario.place();
        self.add_judgement(transitions.judgement, &place);
        let stopped = stop.filter(|stop| !matches!(stop, Stop::Failed)).map(Stop::reason);
        let mut found = self.judgement.findings;
        if self.context.target.assert_assumed {
            found.iter_mut().for_each(|finding| finding.assumed = None);
        }
        // A violation of an assumption is no finding against a target that the documents leave free.
        let found = found.into_iter().enumerate().filter(|(_, finding)| finding.assumed.is_none());
        let (unexpected, findings): (Vec<_>, Vec<_>) = found.partition(|(index, _)| self.unexpected.contains(index));
        let only = |found: Vec<(usize, Finding)>| found.into_iter().map(|(_, finding)| finding).collect();
        let record = Record { entries: self.record.entries.split_off(begun.min(self.record.entries.len())) };
        Played { record, findings: only(findings), unexpected: only(unexpected), stopped }
    }
}
