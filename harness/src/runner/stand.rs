//! A place where one instance is played again and again, as a virtual user does under load.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::context::Context;
use super::instance::unmet;
use super::place::Place;
use super::plan::Instance;
use super::session::{Session, Stop};
use super::token::Tokens;
use crate::check;
use crate::exchange::{Exchange, Vault};
use crate::record::Record;
use crate::scenario::Variables;
use crate::verdict::Finding;
use crate::world::{Unsettled, WorldError};

/// A world, an instance that is played in it, and what its first steps left there.
pub(crate) struct Stand {
    context: Arc<Context>,
    instance: Arc<Instance>,
    place: Place,
    first: First,
}

/// What the steps that are played only once have left.
#[derive(Default)]
pub(crate) struct First {
    pub(crate) variables: Variables,
    pub(crate) record: Record,
    pub(crate) vault: Arc<Vault>,
    tokens: Tokens,
    kept: usize,
}

/// What came of playing an instance once.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Everything recorded, calls and notifications in the order of their beginning.
    pub(crate) record: Vec<Arc<Exchange>>,
    /// What was found.
    pub(crate) findings: Vec<Finding>,
    /// The exchanges that are not what their own step expects, though documented.
    pub(crate) unexpected: BTreeSet<usize>,
    /// Why it could not be played to its end, if nothing of the target's was the reason.
    pub(crate) stopped: Option<String>,
}

impl Played {
    /// Whether it was played to its end, and nothing was found.
    pub(crate) fn passed(&self) -> bool {
        self.findings.is_empty() && self.stopped.is_none()
    }
}

/// Why an instance can't be played on a target at all, if it can't.
pub(crate) fn unplayable(context: &Context, instance: &Instance) -> Option<String> {
    unmet(context, instance)
}

impl Stand {
    /// Opens a world of its own under a name, where the target gives one. Its clock is the real one, since
    /// everything that is measured happens in real time, and of what is finished it keeps `keep` payments.
    pub(crate) async fn open(context: Arc<Context>, instance: Arc<Instance>, name: &str, keep: usize) -> Result<Self, WorldError> {
        let mut setting: Map<String, Value> = instance.scenario.setting.clone();
        setting.entry("clock").or_insert_with(|| json!("real"));
        setting.entry("keep").or_insert_with(|| json!(keep));
        let name = format!("{:x}-{name}{}", context.seed, context.nonce);
        let mut place = Place::open_with(&context, &instance, name, &setting).await?;
        // To ask the world after every iteration whether something is under way would measure the asking.
        place.world = Box::new(Unsettled(place.world));
        Ok(Self { context, instance, place, first: First::default() })
    }

    /// Plays the steps that are played only once; what they keep stays.
    pub(crate) async fn begin(&mut self) -> Played {
        let mut session = Session::new(&self.context, &self.instance, &self.place);
        let stop = session.steps(|step| step.once).await.err();
        let first = First {
            variables: session.variables.clone(),
            record: session.record.clone(),
            vault: Arc::clone(&session.vault),
            tokens: std::mem::take(&mut session.tokens),
            kept: session.kept,
        };
        let played = session.into_played(stop, 0);
        self.first = first;
        played
    }

    /// Plays everything else once more.
    pub(crate) async fn play(&mut self) -> Played {
        let mut session = Session::new(&self.context, &self.instance, &self.place);
        let begun = self.first.kept;
        session.variables.clone_from(&self.first.variables);
        session.record = self.first.record.clone();
        session.vault = Arc::clone(&self.first.vault);
        session.tokens = std::mem::take(&mut self.first.tokens);
        session.kept = begun;
        let mut stop = session.steps(|step| !step.once).await.err();
        if !matches!(stop, Some(Stop::Broken(_)))
            && let Err(broken) = session.judge_rest().await
        {
            stop = Some(broken);
        }
        self.first.tokens = std::mem::take(&mut session.tokens);
        session.into_played(stop, begun)
    }

    /// What the first steps have left.
    pub(crate) fn first(&self) -> &First {
        &self.first
    }

    /// Where the calls of an API go.
    pub(crate) fn base(&self, api: &str) -> Option<&url::Url> {
        self.place.world.base(api)
    }

    /// What all instances share.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// What is played.
    pub(crate) fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Ends the world.
    pub(crate) async fn close(&self) -> Result<(), WorldError> {
        self.place.close(&self.context).await
    }
}

impl Session<'_> {
    /// What came of it. `begun` exchanges at the beginning of the record are older than that.
    fn into_played(mut self, stop: Option<Stop>, begun: usize) -> Played {
        let transitions = check::transitions(&self.context.contracts, &self.record, self.is_alone());
        let place = self.instance.scenario.path.clone();
        self.take(transitions.judgement, &place);
        let stopped = match stop {
            Some(Stop::Skipped(reason) | Stop::Broken(reason)) => Some(reason),
            Some(Stop::Failed) | None => None,
        };
        Played {
            record: self.record.exchanges().skip(begun).map(Arc::clone).collect(),
            findings: self.judgement.findings,
            unexpected: self.unexpected,
            stopped,
        }
    }
}
