//! Executes a profile against a target: one run, or one trial after another.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use goose::GooseError;

use super::drive::{DriveError, Driven, Phase, Seen, Setup, drive};
use super::engine::Dashboard;
use super::notices::Notices;
use super::part::instance;
use super::profile::{Kind, Profile, Script};
use super::prometheus::Page;
use super::resources::Resources;
use super::result::{Early, FORMAT, Generator, LoadResult, LoadVerdict, Shards, Trial};
use super::search::Search;
use super::shape::{Shape, Shard};
use super::{threshold, verdict};
use crate::contract::Contracts;
use crate::runner::{Context, Instance, StartError, unplayable};
use crate::target::Target;
use crate::watch::Watch;

/// A generator that begins free users later than this (p99) says more of its machine than of the target.
const TOO_LATE_MICROSECONDS: u64 = 10_000;
/// Parts of a load that don't begin together are not the load that was asked for.
const APART: Duration = Duration::from_millis(100);
/// A generator that uses this share of its machine's cores is the limit of closed load.
const TOO_BUSY: f64 = 0.95;

/// What is executed.
#[derive(Clone, Debug)]
pub struct Order {
    /// What the documents say.
    pub contracts: Arc<Contracts>,
    /// What is loaded.
    pub target: Target,
    /// Whether the target is in this process, so that its CPU time can't be told from the generator's.
    pub embedded: bool,
    /// Addresses that are written otherwise because they differ from run to run.
    pub aliases: Vec<(String, String)>,
    /// How it is loaded.
    pub profile: Arc<Profile>,
    /// What each part of the mix plays.
    pub scripts: Vec<Script>,
    /// The seed of everything random.
    pub seed: u64,
    /// Which part of how many.
    pub shard: Shard,
    /// Not before.
    pub start_at: Option<SystemTime>,
    /// Where goose shows what is going on.
    pub dashboard: Option<Dashboard>,
    /// The page for Prometheus, if somebody serves it.
    pub page: Option<Arc<Page>>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum LoadError {
    /// The run can't begin.
    Start(StartError),
    /// The target can't do what a part of the mix needs. Nothing was sent.
    Unplayable(String),
    /// A user could not get ready.
    Unready(String),
    /// The user ended it before it began.
    GivenUp,
    /// goose refused.
    Engine(GooseError),
    /// This program broke down while a user played.
    Broken(String),
    /// A file could not be written.
    Io(io::Error),
}

impl From<StartError> for LoadError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl From<DriveError> for LoadError {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Unready(reason) => Self::Unready(reason),
            DriveError::GivenUp => Self::GivenUp,
            DriveError::Engine(error) => Self::Engine(error),
            DriveError::Broken(reason) => Self::Broken(reason),
            DriveError::Io(error) => Self::Io(error),
        }
    }
}

/// How an execution ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// What it came to.
    pub result: LoadResult,
    /// Nobody was there for any call.
    pub unreachable: bool,
}

/// A second of a load while it goes on.
pub struct Second<'s> {
    /// Where the run is.
    pub phase: Phase,
    /// What was measured in it.
    pub interval: &'s super::meter::Interval<'s>,
    /// Notifications that are awaited.
    pub outstanding: u64,
    /// Whether some scenario waits for notifications.
    pub awaits: bool,
    /// How long is measured in all.
    pub planned: Duration,
    /// How long is played before that.
    pub warm_up: Duration,
    /// The rate of the trial, in a capacity search.
    pub trial: Option<f64>,
}

/// Executes a profile; every second of it is shown.
pub async fn execute(order: &Order, mut see: impl FnMut(&Second<'_>) -> io::Result<()>) -> Result<Ended, LoadError> {
    let profile = &order.profile;
    match Shape::of(&profile.kind, profile.warm_up, order.shard) {
        Some(shape) => once(order, shape, None, &mut see).await,
        None => search(order, &mut see).await,
    }
}

/// Runs a shape once.
async fn once(
    order: &Order,
    shape: Shape,
    trial: Option<f64>,
    see: &mut impl FnMut(&Second<'_>) -> io::Result<()>,
) -> Result<Ended, LoadError> {
    let profile = &order.profile;
    let notices = Arc::new(Notices::new(profile.notifications));
    let mut target = order.target.clone();
    // One that is late is counted as late; only one that is lost fails the iteration that waits for it.
    target.notifications.within = profile.notifications.lost;
    let watch: Arc<dyn Watch> = Arc::clone(&notices) as _;
    let context = Context::start_watched(Arc::clone(&order.contracts), target, order.aliases.clone(), order.seed, Some(watch)).await?;
    let parts: Vec<Arc<Instance>> = order.scripts.iter().cloned().map(|script| Arc::new(instance(script))).collect();
    if let Some(reason) = parts.iter().find_map(|part| unplayable(&context, part).map(|reason| format!("{}: {reason}", part.name))) {
        return Err(LoadError::Unplayable(reason));
    }
    let planned = shape.duration;
    let open = shape.schedule.is_some();
    let setup = Setup {
        context: Arc::new(context),
        notices,
        profile: Arc::clone(profile),
        parts,
        shape,
        shard: order.shard,
        start_at: order.start_at,
        dashboard: order.dashboard,
        page: order.page.clone(),
    };
    let show = |seen: Seen<'_>| {
        let Seen { phase, interval, outstanding, awaits } = seen;
        see(&Second { phase, interval, outstanding, awaits, planned, warm_up: profile.warm_up, trial })
    };
    let driven = drive(setup, show).await?;
    let unreachable = driven.unreachable;
    Ok(Ended { result: result(order, driven, open), unreachable })
}

/// Looks for the highest rate at which all thresholds hold.
async fn search(order: &Order, see: &mut impl FnMut(&Second<'_>) -> io::Result<()>) -> Result<Ended, LoadError> {
    let Kind::CapacitySearch { from, to, hold, precision, users } = order.profile.kind else {
        return Err(LoadError::Unready("this kind of load has no shape".to_owned()));
    };
    let mut search = Search::new(from, to, precision);
    let (mut trials, mut best, mut last, mut interrupted) = (Vec::new(), None, None, None);
    while let Some(rate) = search.rate() {
        let Some(shape) = Shape::trial(rate, hold, users, order.profile.warm_up, order.shard) else { break };
        let trial = once(order, shape, Some(rate), see).await?;
        let result = &trial.result;
        let held = result.verdict == LoadVerdict::Passed;
        let note = result.reasons.first().cloned().unwrap_or_else(|| "all thresholds held".to_owned());
        trials.push(Trial { rate, held, note });
        search.tried(held);
        interrupted = result.ended_early.clone().filter(|early| *early == Early::Interrupted);
        if held {
            best = Some(trial)
        } else {
            last = Some(trial)
        }
        if interrupted.is_some() {
            break;
        }
    }
    let mut ended = best.or(last).ok_or_else(|| LoadError::Unready("nothing was tried".to_owned()))?;
    let result = &mut ended.result;
    result.trials = trials;
    // A search that the user ended has not found the highest rate, however well its best trial went.
    result.ended_early = interrupted.or_else(|| result.ended_early.take());
    (result.verdict, result.reasons) = verdict::verdict(result);
    Ok(ended)
}

fn result(order: &Order, driven: Driven, open: bool) -> LoadResult {
    let profile = &order.profile;
    let Driven { measured, seconds, ended_early, notifications, conservation, findings, cpu, started, late, .. } = driven;
    let resources = Resources::now();
    let cores = resources.cores.map_or(1, std::num::NonZero::get);
    let mut generator = Generator {
        scheduling: measured.scheduling,
        cpu_seconds: cpu.as_secs_f64(),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        peak_memory: resources.peak_memory.unwrap_or_default(),
        limit: None,
    };
    generator.limit = too_late(late).or_else(|| limit(&generator, seconds, open, order.embedded));
    let mut result = LoadResult {
        format: FORMAT,
        profile: profile.name.clone(),
        title: profile.title.clone(),
        kind: profile.kind.name().to_owned(),
        target: order.target.title.clone(),
        seed: order.seed,
        shards: Shards { of: order.shard.of, parts: vec![order.shard.part] },
        started: jiff::Timestamp::try_from(started).unwrap_or_default().to_string(),
        seconds,
        ended_early,
        arrivals: measured.arrivals,
        operations: measured.operations,
        scenarios: measured.scenarios,
        timeline: measured.timeline,
        notifications,
        conservation,
        findings,
        generator,
        trials: Vec::new(),
        thresholds: Vec::new(),
        verdict: LoadVerdict::Inconclusive,
        reasons: Vec::new(),
    };
    result.thresholds = thresholds(profile, &result);
    (result.verdict, result.reasons) = verdict::verdict(&result);
    result
}

/// What a profile asks of the numbers.
pub fn thresholds(profile: &Profile, result: &LoadResult) -> Vec<super::result::ThresholdResult> {
    let mut thresholds = threshold::evaluate(&profile.thresholds, result);
    if let Kind::Soak { drift, .. } = profile.kind {
        thresholds.push(threshold::drift(&result.timeline, drift));
    }
    thresholds
}

fn too_late(late: Duration) -> Option<String> {
    (late > APART).then(|| format!("it began {:.1} s after `--start-at`: its users were not ready by then", late.as_secs_f64()))
}

/// Why the numbers say more of the generator than of the target, if they do.
fn limit(generator: &Generator, seconds: f64, open: bool, embedded: bool) -> Option<String> {
    let late = generator.scheduling.p99;
    if late > TOO_LATE_MICROSECONDS {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a run are far below 2^52")]
        let milliseconds = late as f64 / 1000.0;
        return Some(format!("free users were told to begin up to {milliseconds:.1} ms late (p99): this machine was too busy"));
    }
    let share = generator.cpu_seconds / (seconds * f64::from(generator.cores)).max(f64::MIN_POSITIVE);
    let saturated = !open && !embedded && share >= TOO_BUSY;
    saturated.then(|| format!("the generator itself used {:.0} % of this machine's cores", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_begins_after_the_others_is_the_limit() {
        assert_eq!(too_late(Duration::from_millis(90)), None);
        let why = too_late(Duration::from_millis(1_240)).unwrap();
        assert_eq!(why, "it began 1.2 s after `--start-at`: its users were not ready by then");
    }
}
