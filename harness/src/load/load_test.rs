//! One load test: plays the runs of a profile's kind of load and computes the result.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::time::SystemTime;

use goose::GooseError;
use thiserror::Error;

use super::generator_limit::{PlayedLoad, limit};
use super::goose_adapter::GooseDashboard;
use super::metrics::MetricsPage;
use super::notification_accounting::NotificationAccounting;
use super::outcome::LoadOutcome;
use super::profile::{GeneratorBounds, Profile, Script};
use super::resources::Resources;
use super::result::{Early, FORMAT, Generator, LoadResult, LoadVerdict, Shards};
use super::run_error::RunError;
use super::run_loop::{CompletedRun, LoadObserver, Observed, RunSetup, play};
use super::run_plan::RunPlan;
use super::shard::Shard;
use super::start_at::began_late;
use super::{threshold, verdict};
use crate::base::interrupt::Interrupt;
use crate::engine::notification_observer::NotificationObserver;
use crate::engine::runner::{Case, Context, StartError, unplayable};
use crate::spec::contract::Contracts;
use crate::spec::target::Target;

/// The inputs of a load test.
#[derive(Clone, Debug)]
pub struct LoadTest {
    /// What the documents say.
    pub contracts: Arc<Contracts>,
    /// The target.
    pub target: Target,
    /// Whether the target runs in this process, so that its CPU time is part of the generator's.
    pub embedded: bool,
    /// Replacements in reports for addresses that differ from run to run.
    pub aliases: Vec<(String, String)>,
    /// The profile.
    pub profile: Arc<Profile>,
    /// The script of each entry of the mix.
    pub scripts: Vec<Script>,
    /// The seed of everything random.
    pub seed: u64,
    /// Which part of a split load.
    pub shard: Shard,
    /// When all shards begin together. Of several runs only the first waits.
    pub start_at: Option<SystemTime>,
    /// The address of goose's dashboard.
    pub goose_dashboard: Option<GooseDashboard>,
    /// The page for Prometheus, where one is served.
    pub page: Option<Arc<MetricsPage>>,
    /// Raised when the user ends the load.
    pub interrupt: Interrupt,
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum LoadTestError {
    /// The run can't begin.
    #[error("the run can't begin: {0:?}")]
    Start(StartError),
    /// The target lacks what an entry of the mix needs. Nothing was sent.
    #[error("this target lacks what the profile plays: {0}")]
    Unplayable(String),
    /// A virtual user could not get ready.
    #[error("the load can't begin: {0}")]
    NotReady(String),
    /// The user ended the load before it started.
    #[error("ended by the user before the load began; nothing was measured")]
    Interrupted,
    /// goose refused its configuration.
    #[error("goose, which runs the users, refused its configuration: {0}")]
    Goose(GooseError),
    /// This program panicked while a virtual user played.
    #[error("paycheck broke down while it played {0}")]
    Panicked(String),
    /// A file could not be written, or a thread could not be started.
    #[error(transparent)]
    Io(io::Error),
}

impl From<StartError> for LoadTestError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl From<RunError> for LoadTestError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::NotReady(reason) => Self::NotReady(reason),
            RunError::Interrupted => Self::Interrupted,
            RunError::Goose(error) => Self::Goose(error),
            RunError::Panicked(reason) => Self::Panicked(reason),
            RunError::Io(error) => Self::Io(error),
        }
    }
}

impl LoadTest {
    /// Plays all runs and reports every second to `observer`.
    ///
    /// # Errors
    /// When a run can't begin, or this program fails.
    pub async fn run(&self, observer: &mut dyn LoadObserver) -> Result<LoadOutcome, LoadTestError> {
        let mut runs = self.profile.kind.runs(self.profile.warm_up, self.shard);
        // A later run would count as begun too late.
        let mut start_at = self.start_at;
        while let Some(plan) = runs.next() {
            let outcome = self.run_once(plan, start_at.take(), observer).await?;
            let interrupted = outcome.result.ended_early == Some(Early::Interrupted);
            runs.finished(outcome);
            if interrupted {
                break;
            }
        }
        runs.conclude().ok_or_else(|| LoadTestError::NotReady("the search tried no rate".to_owned()))
    }

    async fn run_once(
        &self,
        plan: RunPlan,
        start_at: Option<SystemTime>,
        observer: &mut dyn LoadObserver,
    ) -> Result<LoadOutcome, LoadTestError> {
        let notifications = Arc::new(NotificationAccounting::new(self.profile.notifications));
        let context = self.context(Arc::clone(&notifications) as _).await?;
        let cases: Vec<Arc<Case>> = self.scripts.iter().cloned().map(|script| Arc::new(script.into_case())).collect();
        if let Some(reason) = cases.iter().find_map(|case| unplayable(&context, case).map(|reason| format!("{}: {reason}", case.name))) {
            return Err(LoadTestError::Unplayable(reason));
        }
        let open = plan.schedule.is_some();
        let setup = RunSetup {
            context: Arc::new(context),
            notifications,
            profile: Arc::clone(&self.profile),
            cases,
            plan,
            shard: self.shard,
            start_at,
            goose_dashboard: self.goose_dashboard,
            page: self.page.clone(),
            interrupt: self.interrupt.clone(),
        };
        let run = play(setup, Observed { observer, result: &|run| self.result(run, open) }).await?;
        let unreachable = run.unreachable;
        Ok(LoadOutcome { result: self.result(run, open), unreachable })
    }

    async fn context(&self, watch: Arc<dyn NotificationObserver>) -> Result<Context, StartError> {
        let mut target = self.target.clone();
        // A late notification is counted as late; only a lost one fails the iteration that waits for it.
        target.notifications.within = self.profile.notifications.lost;
        target.http = self.profile.http.unwrap_or(target.http);
        let mut context =
            Context::start_observed(Arc::clone(&self.contracts), target, self.aliases.clone(), self.seed, Some(watch)).await?;
        if let Some(shared) = self.profile.connections {
            context.connections.share(shared);
        }
        Ok(context)
    }

    fn result(&self, run: CompletedRun, open: bool) -> LoadResult {
        let profile = &self.profile;
        let played = PlayedLoad { seconds: run.seconds, open, embedded: self.embedded };
        let generator = generator(&run, played, profile.generator);
        let CompletedRun { measured, seconds, ended_early, notifications, judged, conservation, findings, started, connections, .. } = run;
        let mut result = LoadResult {
            format: FORMAT,
            profile: profile.name.clone(),
            title: profile.title.clone(),
            kind: profile.kind.name().to_owned(),
            target: self.target.title.clone(),
            seed: self.seed,
            shards: Shards { of: self.shard.parts(), parts: vec![self.shard.part()] },
            warm_up: profile.warm_up.as_secs_f64(),
            started: jiff::Timestamp::try_from(started).unwrap_or_default().to_string(),
            seconds,
            ended_early,
            arrivals: measured.arrivals,
            iterations: measured.iterations,
            operations: measured.operations,
            scenarios: measured.scenarios,
            timeline: measured.timeline,
            notifications,
            judged: Some(judged),
            conservation,
            findings,
            connections,
            generator,
            trials: Vec::new(),
            thresholds: Vec::new(),
            verdict: LoadVerdict::Inconclusive,
            reasons: Vec::new(),
        };
        let thresholds: Vec<_> = profile.thresholds.iter().cloned().chain(profile.kind.thresholds()).collect();
        result.thresholds = threshold::evaluate(&thresholds, &result);
        (result.verdict, result.reasons) = verdict::verdict(&result);
        result
    }
}

/// The generator's own numbers in a run.
fn generator(run: &CompletedRun, played: PlayedLoad, bounds: GeneratorBounds) -> Generator {
    let resources = Resources::now();
    let cores = resources.cores.map_or(1, NonZero::get);
    let mut generator = Generator {
        scheduling: run.measured.scheduling.clone(),
        cpu_seconds: run.cpu.as_secs_f64(),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        peak_memory: resources.peak_memory.unwrap_or_default(),
        limit: None,
    };
    generator.limit = began_late(run.late, "its users were").or_else(|| limit(&generator, played, bounds));
    generator
}
