//! Drives one run from the first user to the last: begins it, reads the meter every second, ends it.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures::StreamExt;
use goose::{GooseError, is_killswitch_triggered, trigger_killswitch};

use super::engine::{self, Crowd, Dashboard, Users};
use super::lanes::Lanes;
use super::meter::{Interval, Measured, Tick};
use super::notices::Notices;
use super::pacer::RealClock;
use super::profile::Profile;
use super::prometheus::Page;
use super::resources::Resources;
use super::result::{Cause, ConservationResult, Early, ErrorKind, NotificationResult};
use super::run::{Run, Sample};
use super::shape::{Shape, Shard};
use crate::runner::{Context, Instance};
use crate::verdict::Finding;

/// How often the driver looks up.
const LOOK: Duration = Duration::from_millis(50);
/// The meter is read so often.
const STRETCH: Duration = Duration::from_secs(1);
/// A stretch is not shorter: the last one has what ended while users were waited for, too.
const LEAST: Duration = Duration::from_millis(1);
/// Users may take this long to get ready.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// How many iterations are looked at again at a time.
const EXAMINED_AT_ONCE: usize = 16;

/// What is driven.
pub(crate) struct Setup {
    pub(crate) context: Arc<Context>,
    pub(crate) notices: Arc<Notices>,
    pub(crate) profile: Arc<Profile>,
    pub(crate) parts: Vec<Arc<Instance>>,
    pub(crate) shape: Shape,
    pub(crate) shard: Shard,
    pub(crate) start_at: Option<SystemTime>,
    pub(crate) dashboard: Option<Dashboard>,
    pub(crate) page: Option<Arc<Page>>,
}

/// What came of it.
pub(crate) struct Driven {
    pub(crate) measured: Measured,
    pub(crate) seconds: f64,
    pub(crate) ended_early: Option<Early>,
    /// Nobody was there for any call.
    pub(crate) unreachable: bool,
    pub(crate) notifications: Option<NotificationResult>,
    pub(crate) conservation: Option<ConservationResult>,
    pub(crate) findings: Vec<Cause>,
    /// CPU time that this process used while measuring.
    pub(crate) cpu: Duration,
    /// When the measuring began.
    pub(crate) started: SystemTime,
    /// How much later than it was to begin it began.
    pub(crate) late: Duration,
}

/// Why nothing was driven, or not to its end.
#[derive(Debug)]
pub(crate) enum DriveError {
    /// A user could not get ready: nobody is there, or the target can't do what the scenario needs.
    Unready(String),
    /// The user ended it before it began.
    GivenUp,
    /// goose refused.
    Engine(GooseError),
    /// This program broke down while a user played.
    Broken(String),
    /// A file could not be written, or a thread not be started.
    Io(io::Error),
}

impl From<io::Error> for DriveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<GooseError> for DriveError {
    fn from(error: GooseError) -> Self {
        Self::Engine(error)
    }
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Played, but not measured.
    WarmUp,
    /// Measured.
    Measuring,
    /// Nothing is begun any more.
    Draining,
}

/// What a second of a run is told with.
pub(crate) struct Seen<'s> {
    pub(crate) phase: Phase,
    pub(crate) interval: &'s Interval<'s>,
    pub(crate) outstanding: u64,
    pub(crate) awaits: bool,
}

/// Drives a run; every second of it is shown.
pub(crate) async fn drive(setup: Setup, mut see: impl FnMut(Seen<'_>) -> io::Result<()>) -> Result<Driven, DriveError> {
    let Setup { context, notices, profile, parts, shape, shard, start_at, dashboard, page } = setup;
    let Shape { crowd, schedule, duration } = shape;
    let awaits = parts.iter().any(|part| part.steps.iter().any(|step| matches!(step.verb, crate::scenario::Verb::Notification(_))));
    let run = Arc::new(Run::new(context, Arc::clone(&profile), parts, (schedule, shard), dashboard.is_some()));
    notices.belong_to(Arc::downgrade(&run));
    // They outlive the users: connections that were opened on them are used until the last world is closed.
    let lanes = Arc::new(Lanes::open(cores())?);
    let (attack, users) = engine::attack(&run, &lanes, &crowd, dashboard)?;
    // What ended the run before, in a search, does not end this one.
    goose::reset_killswitch();
    let mut goose = tokio::spawn(attack.execute());
    let ready = gather(&run, &crowd, &mut goose).await;
    if let Err(error) = ready {
        give_up(&run, goose, &users).await;
        return Err(error);
    }
    let late = wait_until(start_at).await;
    if is_killswitch_triggered() {
        give_up(&run, goose, &users).await;
        return Err(DriveError::GivenUp);
    }
    let (begun, started) = (run.begin(), SystemTime::now() + profile.warm_up);
    if let Some(open) = &run.open {
        // It ends by itself, or with the run.
        drop(open.pacer.start(RealClock(begun))?);
    }
    let mut driver = Driver {
        run: &run,
        notices: &notices,
        warm_up: profile.warm_up,
        measuring: profile.warm_up.is_zero(),
        cpu: Resources::now().cpu,
        last: Duration::ZERO,
        origin: Duration::ZERO,
        awaits,
        page,
    };
    let ended_early = match driver.watch(duration, &mut see).await {
        Ok(ended_early) => ended_early,
        Err(error) => {
            give_up(&run, goose, &users).await;
            return Err(error);
        }
    };
    // What ends later was begun in time; it is measured, and the time is not.
    let ended = run.elapsed();
    dismiss(&run);
    // Users end what they have begun; every call has a time limit of its own.
    let _ = goose.await;
    if let Err(error) = whole(&run) {
        leave(&run, &users).await;
        return Err(error);
    }
    driver.tick(Phase::Draining, ended.max(driver.origin + driver.last + LEAST), &mut see)?;
    let cpu = Resources::now().cpu.zip(driver.cpu).map(|(now, then)| now.saturating_sub(then)).unwrap_or_default();
    let seconds = ended.saturating_sub(driver.origin);
    let measured = run.meter.finish(seconds);
    // What is told here of a state tells of the notification of it, too.
    let conservation = conserve(&run, &users).await;
    let notifications = account(&run, &notices, awaits).await;
    leave(&run, &users).await;
    Ok(Driven {
        measured,
        seconds: seconds.as_secs_f64(),
        ended_early,
        unreachable: run.is_unreachable(),
        notifications,
        conservation,
        findings: run.causes.all(),
        cpu,
        started,
        late,
    })
}

type Goose = tokio::task::JoinHandle<Result<goose::metrics::GooseMetrics, GooseError>>;

/// Waits until all users are ready. Where they come one after the other, nobody is waited for.
async fn gather(run: &Run, crowd: &Crowd, goose: &mut Goose) -> Result<(), DriveError> {
    let wanted = match crowd {
        Crowd::Constant(users) => *users,
        Crowd::Ramping(_) => 0,
    };
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        sound(run)?;
        if is_killswitch_triggered() {
            return Err(DriveError::GivenUp);
        }
        let ready = run.users.load(Ordering::Relaxed);
        if ready >= wanted {
            return Ok(());
        }
        if goose.is_finished() {
            return match goose.await {
                Ok(Err(error)) => Err(DriveError::Engine(error)),
                Ok(Ok(_)) | Err(_) => Err(DriveError::Unready("the engine ended before its users were ready".to_owned())),
            };
        }
        if Instant::now() > deadline {
            return Err(DriveError::Unready(format!("only {ready} of {wanted} users were ready after {READY_WITHIN:?}")));
        }
        tokio::time::sleep(LOOK / 10).await;
    }
}

/// A lane for each core that this process may use.
fn cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// The error is that a user could not get ready, or that this program broke down while one played.
fn sound(run: &Run) -> Result<(), DriveError> {
    whole(run)?;
    match run.unready.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(reason) => Err(DriveError::Unready(reason)),
        None => Ok(()),
    }
}

/// The error is that this program broke down while a user played.
fn whole(run: &Run) -> Result<(), DriveError> {
    run.broken.get().map_or(Ok(()), |reason| Err(DriveError::Broken(reason.clone())))
}

/// Waits until then, or until somebody ends it; tells how much later than that it is.
async fn wait_until(start_at: Option<SystemTime>) -> Duration {
    let Some(at) = start_at else { return Duration::ZERO };
    while let Ok(left) = at.duration_since(SystemTime::now())
        && !left.is_zero()
        && !is_killswitch_triggered()
    {
        tokio::time::sleep(left.min(LOOK)).await;
    }
    at.elapsed().unwrap_or_default()
}

/// Nothing is begun any more, and goose sends the users home.
fn dismiss(run: &Run) {
    run.end();
    trigger_killswitch("the load is over");
}

/// Ends a run that comes to nothing.
async fn give_up(run: &Run, goose: Goose, users: &Users) {
    dismiss(run);
    let _ = goose.await;
    leave(run, users).await;
}

async fn leave(run: &Run, users: &Users) {
    if run.tells_goose {
        engine::clear();
    }
    let users = (0..users.len()).filter_map(|number| engine::stand_up(users, number));
    futures::stream::iter(users).for_each_concurrent(EXAMINED_AT_ONCE, |user| user.leave()).await;
}

/// Watches a run while it goes on.
struct Driver<'d> {
    run: &'d Run,
    notices: &'d Notices,
    warm_up: Duration,
    measuring: bool,
    /// Since when stretches are counted: from the beginning, then from when the measuring really began.
    origin: Duration,
    /// What this process had used when the measuring began.
    cpu: Option<Duration>,
    /// Until when the meter was read, since the measuring began.
    last: Duration,
    /// Whether some scenario waits for notifications.
    awaits: bool,
    page: Option<Arc<Page>>,
}

impl Driver<'_> {
    async fn watch(&mut self, duration: Duration, see: &mut impl FnMut(Seen<'_>) -> io::Result<()>) -> Result<Option<Early>, DriveError> {
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            looks.tick().await;
            let elapsed = self.run.elapsed();
            self.begin_measuring(elapsed);
            let phase = if self.measuring { Phase::Measuring } else { Phase::WarmUp };
            if elapsed.saturating_sub(self.origin) >= self.last + STRETCH {
                self.tick(phase, elapsed, see)?;
            }
            // Where users come one after the other, that one can't get ready turns out on the way.
            sound(self.run)?;
            // Whoever presses Ctrl-C tells goose, too.
            if is_killswitch_triggered() {
                return Ok(Some(Early::Interrupted));
            }
            if self.run.is_pointless() {
                return Ok(Some(Early::Killswitch));
            }
            if elapsed >= self.warm_up + duration {
                return Ok(None);
            }
        }
    }

    fn begin_measuring(&mut self, elapsed: Duration) {
        if !self.measuring && elapsed >= self.warm_up {
            self.run.meter.forget();
            self.measuring = true;
            self.origin = elapsed;
            self.cpu = Resources::now().cpu;
            self.last = Duration::ZERO;
        }
    }

    fn tick(&mut self, phase: Phase, elapsed: Duration, see: &mut impl FnMut(Seen<'_>) -> io::Result<()>) -> io::Result<()> {
        let begun = self.origin;
        let (from, at) = (self.last, elapsed.saturating_sub(begun));
        let intended = self.run.open.as_ref().map(|open| open.schedule.intended_between(begun + from, begun + at));
        self.last = at;
        let users = u64::try_from(self.run.users.load(Ordering::Relaxed)).unwrap_or(u64::MAX);
        let (outstanding, awaits) = (self.notices.outstanding(), self.awaits);
        let shown = self.run.meter.tick(Tick { at, users, intended }, |interval| see(Seen { phase, interval, outstanding, awaits }));
        if let Some(page) = &self.page {
            page.show(&self.run.meter.snapshot());
        }
        shown
    }
}

/// Waits for what is still under way, and counts it all.
async fn account(run: &Run, notices: &Notices, awaits: bool) -> Option<NotificationResult> {
    if !awaits {
        return None;
    }
    let deadline = Instant::now() + run.profile.notifications.lost;
    while notices.outstanding() > 0 && Instant::now() < deadline {
        tokio::time::sleep(LOOK).await;
    }
    let closed = notices.close();
    let mut told = BTreeSet::new();
    for trouble in &closed.troubles {
        let Some(sentence) = trouble.kind.sentence() else { continue };
        let examples = closed.troubles.iter().filter(|other| other.kind == trouble.kind).count();
        let rest = trouble.kind.count(&closed.result).saturating_sub(u64::try_from(examples).unwrap_or(u64::MAX));
        let times = if told.insert(trouble.kind) { rest + 1 } else { 1 };
        let finding = Finding::new("", "notification", sentence).compare(serde_json::Value::Null, trouble.to_string());
        run.causes.add_times(finding, ErrorKind::Contract, run.second(), times);
    }
    Some(closed.result)
}

/// Looks at the samples again.
async fn conserve(run: &Run, users: &Users) -> Option<ConservationResult> {
    let samples = run.take_samples();
    if samples.is_empty() {
        return None;
    }
    let examined = futures::stream::iter(&samples).map(|sample| examine(run, users, sample)).buffer_unordered(EXAMINED_AT_ONCE);
    let held: Vec<Option<bool>> = examined.collect().await;
    let complete = run.profile.conservation == super::profile::Conservation::Complete;
    let count = |wanted: bool| held.iter().flatten().filter(|held| **held == wanted).count();
    let (held, broken) = (count(true), count(false));
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Some(ConservationResult { complete, examined: number(held + broken), held: number(held) })
}

async fn examine(run: &Run, users: &Users, sample: &Sample) -> Option<bool> {
    let stand = {
        let seat = users.get(sample.user)?.lock().unwrap_or_else(PoisonError::into_inner);
        seat.as_ref()?.stand(sample.part)?
    };
    let played = stand.examine(&sample.record).await;
    run.found(&played);
    Some(played.passed())
}

#[cfg(test)]
mod tests;
