//! The context shared by all cases of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::BoxFuture;

use super::pending_leftovers::LeftPending;
use super::plan::Case;
use super::shown_operations::ShownOperations;
use super::turns::{Turn, Turns};
use super::unknown_paths::UnknownPaths;
use crate::engine::client;
use crate::engine::inbox::Inbox;
use crate::engine::notification_observer::NotificationObserver;
use crate::engine::recorder::Recorder;
use crate::engine::request::Guard;
use crate::engine::responsiveness::Responsiveness;
use crate::engine::transport::Transport;
use crate::engine::transport::connections::Connections;
use crate::engine::world::{Driven, Emulator, Person};
use crate::spec::contract::Contracts;
use crate::spec::target::{Target, WorldKind};

/// Cases that take turns, from which on a run is noticeably slower.
const MANY_TURNS: usize = 30;

/// What a run leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOpen {
    /// The names of the cases that were skipped or not judged.
    pub cases: BTreeSet<String>,
    /// The clauses that no case has judged, and that none of these is about: one of them may judge them in passing.
    pub clauses: BTreeSet<String>,
}

/// Finds out which clauses the left cases judge, by playing them where they can be played. Cases beyond those that show each left
/// clause may be missing.
pub type Carriers = Arc<dyn Fn(LeftOpen) -> BoxFuture<'static, BTreeMap<String, Vec<String>>> + Send + Sync>;

/// The context shared by all cases of a run.
pub struct Context {
    /// The contracts.
    pub contracts: Arc<Contracts>,
    /// The judged target.
    pub target: Target,
    /// How requests are sent.
    pub transport: Transport,
    /// Whether the target responds at all.
    pub(crate) responsiveness: Responsiveness,
    /// Which operations are known to be at their paths.
    pub(crate) shown: ShownOperations,
    /// Which answers at assumed paths are those of unknown paths.
    pub(super) unknown_paths: UnknownPaths,
    /// Opens the connections that virtual users drive themselves.
    pub(crate) connections: Connections,
    /// Decides what may be sent.
    pub(crate) guard: Guard,
    /// How exchanges are recorded.
    pub recorder: Arc<Recorder>,
    /// The merchant's endpoint, if the target can reach it.
    pub inbox: Option<Inbox>,
    /// Observes notifications while they happen.
    pub observer: Option<Arc<dyn NotificationObserver>>,
    /// Who moves the world.
    pub worlds: Worlds,
    /// The turns of cases; there are none if each case has a world of its own.
    pub(super) turns: Turns,
    /// What cases have left pending in a shared world.
    pub(super) left: LeftPending,
    /// Finds out what the cases that a run leaves open would have judged in passing, if that is to be known.
    pub carriers: Option<Carriers>,
    /// The seed of everything random.
    pub seed: u64,
    /// The unique part of the names of this run's worlds, so that runs against one emulator never share one, not even with a run
    /// that was killed. Records leave it out.
    pub(super) nonce: String,
}

/// Who moves the world.
pub enum Worlds {
    /// Every case gets a world of its own.
    Emulator(Emulator),
    /// All cases share one world.
    Driven(Driven),
}

/// Why a run can't begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The target can't be reached.
    #[error("{0}")]
    Unreachable(String),
    /// A setting of the target can't be used.
    #[error("{0}")]
    Invalid(String),
    /// This machine refuses (an address in use, say).
    #[error("{0}")]
    Internal(String),
}

impl Context {
    /// Opens the inbox and connects to the world.
    pub async fn start(contracts: Arc<Contracts>, target: Target, aliases: Vec<(String, String)>, seed: u64) -> Result<Self, StartError> {
        Self::start_observed(contracts, target, aliases, seed, None).await
    }

    /// The same, with an observer of every notification.
    pub async fn start_observed(
        contracts: Arc<Contracts>,
        target: Target,
        aliases: Vec<(String, String)>,
        seed: u64,
        observer: Option<Arc<dyn NotificationObserver>>,
    ) -> Result<Self, StartError> {
        let transport = Transport::new(&target).map_err(|error| StartError::Invalid(error.to_string()))?;
        let connector = client::Connector::new(&target).map_err(|error| StartError::Invalid(error.to_string()))?;
        connector.check_http(target.bases.values()).await.map_err(|error| StartError::Invalid(error.to_string()))?;
        let moving = client::for_world(&target).map_err(|error| StartError::Invalid(error.to_string()))?;
        let guard = Guard::new(Arc::clone(&contracts), &target);
        let nonce = nonce();
        let aliases = aliases.into_iter().chain([(nonce.clone(), String::new())]).collect();
        let recorder = Arc::new(Recorder::new(target.masker(&contracts), aliases));
        let inbox = open_inbox(&target, &contracts, &recorder, observer.clone()).await?;
        let worlds = Worlds::connect(&target, &contracts, moving).await?;
        let shared = matches!(worlds, Worlds::Driven(_)).then(|| Turns::shared(contracts.one_at_a_time.iter().cloned()));
        let turns = shared.unwrap_or_default();
        let responsiveness = Responsiveness::new(&contracts, target.give_up);
        let shown = ShownOperations::new(&contracts);
        Ok(Self {
            contracts,
            target,
            transport,
            responsiveness,
            shown,
            unknown_paths: UnknownPaths::default(),
            connections: Connections::own(connector),
            guard,
            recorder,
            inbox,
            observer,
            worlds,
            turns,
            left: LeftPending::default(),
            carriers: None,
            seed,
            nonce,
        })
    }
}

impl Context {
    /// Sets the person who carries out actions; without one, cases that need a person are skipped.
    #[must_use]
    pub fn with_person(mut self, person: Arc<dyn Person>) -> Self {
        if let Worlds::Driven(driven) = &mut self.worlds {
            driven.set_person(person);
        }
        self
    }

    /// Whether a case has to wait for others.
    pub(super) fn takes_turns(&self, case: &Case) -> bool {
        self.plays_alone(case) || self.turns.are_needed(case)
    }

    /// Why more jobs would make a run no faster, if many of its cases wait for each other.
    pub fn slowness(&self, plan: &[Case], jobs: usize) -> Option<String> {
        let waiting = plan.iter().filter(|case| self.takes_turns(case) && super::blockers(self, case).is_empty()).count();
        (jobs > 1 && waiting >= MANY_TURNS).then(|| {
            format!(
                "{waiting} of {} cases take turns, whatever `--jobs` says: a case calls their API alone, or changes what the others see",
                plan.len()
            )
        })
    }

    /// Waits until a case may play.
    pub(super) async fn turn(&self, case: &Case) -> Turn<'_> {
        self.turns.wait(case, self.plays_alone(case)).await
    }

    /// Whether a case changes what others would see.
    fn plays_alone(&self, case: &Case) -> bool {
        match &self.worlds {
            Worlds::Driven(driven) => case.actions().any(|action| driven.disturbs(&action)),
            Worlds::Emulator(_) => false,
        }
    }
}

impl Worlds {
    async fn connect(target: &Target, contracts: &Arc<Contracts>, moving: reqwest::Client) -> Result<Self, StartError> {
        match &target.world {
            WorldKind::Emulator(base) => {
                target.may_control().map_err(|refusal| StartError::Invalid(refusal.to_string()))?;
                let connector = client::Connector::for_world(target).map_err(|error| StartError::Invalid(error.to_string()))?;
                // Only where the control API is reached as the target is.
                let direct = client::proxy(target).is_none() && target.bases.values().any(|known| known.scheme() == base.scheme());
                let connected = Emulator::connect(moving, direct.then(|| Connections::own(connector)), base.clone()).await;
                Ok(Self::Emulator(connected.map_err(|error| StartError::Unreachable(error.to_string()))?))
            }
            WorldKind::Drivers(drivers) => Ok(Self::Driven(Driven::new(drivers.clone(), target, contracts, moving))),
        }
    }
}

/// Opens the merchant's endpoint, if the target file has an address for it.
async fn open_inbox(
    target: &Target,
    contracts: &Arc<Contracts>,
    recorder: &Arc<Recorder>,
    observer: Option<Arc<dyn NotificationObserver>>,
) -> Result<Option<Inbox>, StartError> {
    let Some(address) = target.notifications.listen else { return Ok(None) };
    let is_shared = matches!(target.world, WorldKind::Drivers(_));
    let opened = Inbox::open(address, is_shared, Arc::clone(contracts), Arc::clone(recorder), observer).await;
    opened.map(Some).map_err(|error| StartError::Invalid(format!("the inbox can't listen on {address}: {error}")))
}

/// Different for every run on every machine that could share an emulator. Of one length, or the lengths of responses that name the
/// world would differ between runs of one seed.
fn nonce() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map(|since| since.as_nanos()).unwrap_or_default();
    format!("-r{:08x}x{now:016x}", std::process::id())
}
