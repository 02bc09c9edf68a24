//! The state that all virtual users of a run share.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::finding_groups::FindingGroups;
use super::meter::Meter;
use super::operation_index::OperationIndex;
use super::pacer::{Due, IntendedStarts, Pacer};
use super::profile::{Conservation, Profile};
use super::result::{ConnectionResult, ErrorKind, JudgedIterations};
use super::run_error::RunError;
use super::schedule::{MixOrder, Schedule};
use super::shard::Shard;
use super::systematic_sampler::SystematicSampler;
use crate::base::verdict::Finding;
use crate::engine::responsiveness::Responsiveness;
use crate::engine::runner::{Case, Context, Played};
use crate::judge::record::Record;
use crate::wire::exchange::Exchange;

/// The fewest slots of the meter: besides the worker threads, those that receive notifications record.
const FEWEST_METER_SLOTS: usize = 4;

/// The state that all virtual users of a run share.
pub(crate) struct RunState {
    pub(crate) context: Arc<Context>,
    pub(crate) profile: Arc<Profile>,
    /// The cases that the mix plays, in its order.
    pub(crate) cases: Vec<Arc<Case>>,
    pub(crate) operations: OperationIndex,
    pub(crate) meter: Meter,
    pub(crate) findings: FindingGroups,
    /// The schedule of open load.
    pub(crate) open: Option<OpenLoad>,
    pub(crate) shard: Shard,
    mix: MixOrder,
    /// The number of the next iteration of closed load.
    next: AtomicU64,
    /// One sampler for each entry of the mix.
    samples: Vec<SystematicSampler<RecheckSample>>,
    begun: OnceLock<Instant>,
    /// Opens when the run begins.
    gate: watch::Sender<bool>,
    over: AtomicBool,
    /// The number of users that are ready or play.
    pub(crate) users: AtomicUsize,
    calls: AtomicU64,
    failed: AtomicU64,
    /// Iterations that have ended, and those of them that were judged as a whole.
    played: AtomicU64,
    played_whole: AtomicU64,
    /// Whether the target responds at all.
    pub(crate) responsiveness: Responsiveness,
    /// Whether the target was given up because it no longer responded.
    given_up: AtomicBool,
    /// The first reason why a user could not get ready.
    not_ready: Mutex<Option<String>>,
    /// The first report of a panic while a user played.
    panicked: OnceLock<String>,
    /// Whether every call is reported to goose, for its dashboard.
    pub(crate) reports_to_goose: bool,
}

/// The schedule of open load, and the pacer that releases its iterations.
pub(crate) struct OpenLoad {
    pub(crate) schedule: Arc<Schedule>,
    pub(crate) pacer: Arc<Pacer>,
}

/// An iteration that is re-checked after the load.
pub(crate) struct RecheckSample {
    pub(crate) user: usize,
    /// The played entry of the mix.
    pub(crate) entry: usize,
    pub(crate) record: Record,
}

/// The intended starts of a schedule.
pub(crate) struct ScheduledStarts(pub(crate) Arc<Schedule>);

impl IntendedStarts for ScheduledStarts {
    fn due(&self, number: u64) -> Option<Duration> {
        self.0.iteration(number).map(|iteration| iteration.at)
    }
}

/// The next iteration of a free user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextIteration {
    /// The entry of the mix to play.
    pub(crate) entry: usize,
    /// The intended start, counted from the start of the run; `None` for closed load.
    pub(crate) due: Option<Duration>,
}

impl RunState {
    /// The state of a run that has not started.
    pub(crate) fn new(
        context: Arc<Context>,
        profile: Arc<Profile>,
        cases: Vec<Arc<Case>>,
        schedule: Option<Schedule>,
        shard: Shard,
        reports_to_goose: bool,
    ) -> Self {
        let operations = OperationIndex::from_cases(cases.iter().map(Arc::as_ref), &context.contracts);
        let scenarios = cases.iter().map(|case| case.name.to_string().replace(" / ", "/")).collect();
        let open = schedule.map(|schedule| {
            let schedule = Arc::new(schedule);
            OpenLoad { pacer: Pacer::new(Arc::new(ScheduledStarts(Arc::clone(&schedule)))), schedule }
        });
        let samples = match profile.conservation {
            Conservation::Off => 0,
            Conservation::Sampled(most) => most,
            Conservation::Complete => usize::MAX,
        };
        let weights: Vec<u32> = profile.mix.iter().map(|entry| entry.weight).collect();
        Self {
            meter: Meter::new(operations.names().to_vec(), scenarios, meter_slots()).naming(operations.code_names()),
            operations,
            findings: FindingGroups::default(),
            open,
            shard,
            mix: MixOrder::weighing(&weights),
            next: AtomicU64::new(0),
            samples: cases.iter().map(|_| SystematicSampler::new(samples)).collect(),
            begun: OnceLock::new(),
            gate: watch::Sender::new(false),
            over: AtomicBool::new(false),
            users: AtomicUsize::new(0),
            calls: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            played: AtomicU64::new(0),
            played_whole: AtomicU64::new(0),
            responsiveness: Responsiveness::of_one(context.target.give_up),
            given_up: AtomicBool::new(false),
            not_ready: Mutex::new(None),
            panicked: OnceLock::new(),
            context,
            profile,
            cases,
            reports_to_goose,
        }
    }

    /// Starts the users.
    pub(crate) fn begin(&self) -> Instant {
        let begun = *self.begun.get_or_init(Instant::now);
        self.gate.send_replace(true);
        begun
    }

    /// The time since the run started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.get().map(Instant::elapsed).unwrap_or_default()
    }

    /// Seconds since measuring began; negative during the warm-up.
    pub(crate) fn second(&self) -> f64 {
        self.elapsed().as_secs_f64() - self.profile.warm_up.as_secs_f64()
    }

    /// Ends the run: no iteration starts any more.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.gate.send_replace(true);
        if let Some(open) = &self.open {
            open.pacer.end();
        }
    }

    /// Waits until the next iteration of a free user is due; `None` when no further iteration starts.
    pub(crate) async fn next_iteration(&self, seed: u64) -> Option<NextIteration> {
        // During the run this is a read that all cores share; borrowing the gate would lock it.
        if self.begun.get().is_none() && !*self.gate.borrow() {
            self.gate.subscribe().wait_for(|open| *open).await.ok()?;
        }
        if self.over.load(Ordering::Relaxed) {
            return None;
        }
        let Some(open) = &self.open else {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            self.meter.started(None, Duration::ZERO);
            return Some(NextIteration { entry: self.mix.entry(seed, number), due: None });
        };
        let free = self.elapsed();
        let Due { number, at } = open.pacer.next().await?;
        let number = open.schedule.iteration(number).map_or(number, |iteration| iteration.number);
        let late = self.elapsed().saturating_sub(at);
        // If the user was free in time, the generator caused the delay, otherwise the target.
        self.meter.started((free <= at).then_some(late), late);
        Some(NextIteration { entry: self.mix.entry(seed, number), due: Some(at) })
    }

    /// Counts the next iteration of an entry of the mix; returns whether it is to be re-checked.
    pub(crate) fn samples_next(&self, entry: usize) -> bool {
        // Without re-checks, users must not contend for the sampler's counter.
        self.profile.conservation != Conservation::Off && self.samples.get(entry).is_some_and(SystematicSampler::selects_next)
    }

    /// Keeps an iteration that is to be re-checked.
    pub(crate) fn keep_sample(&self, sample: RecheckSample) {
        if let Some(sampler) = self.samples.get(sample.entry) {
            sampler.keep(sample);
        }
    }

    /// Removes and returns all iterations that are to be re-checked.
    pub(crate) fn take_samples(&self) -> Vec<RecheckSample> {
        self.samples.iter().flat_map(SystematicSampler::take_samples).collect()
    }

    /// The connections that were opened so far.
    pub(crate) fn connections(&self) -> Vec<ConnectionResult> {
        let spoken = self.context.connections.spoken().into_iter();
        spoken
            .map(|spoken| ConnectionResult { protocol: spoken.http.name().to_owned(), opened: spoken.opened, streams: spoken.streams })
            .collect()
    }

    /// Groups the findings of an iteration.
    pub(crate) fn record_findings(&self, played: &Played) {
        let second = self.second();
        for finding in &played.findings {
            self.findings.add(finding.clone(), kind_of(finding, &played.record), second);
        }
        for finding in &played.unexpected {
            self.findings.add(finding.clone(), ErrorKind::Business, second);
        }
        if let Some(reason) = &played.stopped {
            self.findings.add(Finding::new("", "", reason.clone()), ErrorKind::Transport, second);
        }
    }

    /// Counts a call for the killswitch.
    pub(crate) fn count_call(&self, error: Option<ErrorKind>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if error.is_some() {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an iteration that has ended, by whether it was judged as a whole.
    pub(crate) fn count_judged(&self, whole: bool) {
        self.played.fetch_add(1, Ordering::Relaxed);
        if whole {
            self.played_whole.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How deeply iterations were judged so far.
    pub(crate) fn judged(&self) -> JudgedIterations {
        JudgedIterations { iterations: self.played.load(Ordering::Relaxed), whole: self.played_whole.load(Ordering::Relaxed) }
    }

    /// Gives the target up, as it no longer responds.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether the target was given up.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Whether no call got a response, or the target was given up.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.is_given_up() || self.responsiveness.never_responded().is_some()
    }

    /// Whether so large a share of the calls failed that the killswitch ends the run.
    pub(crate) fn killswitch_triggers(&self) -> bool {
        self.profile.killswitch.triggers(self.calls.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed))
    }

    /// Reports that this program panicked while a user played; the first report stays.
    pub(crate) fn report_panic(&self, user: usize, reason: &str) {
        self.panicked.get_or_init(|| format!("user {user}: {reason}"));
    }

    /// Reports why a user could not get ready; the first reason stays.
    pub(crate) fn report_not_ready(&self, reason: String) {
        self.not_ready.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
    }

    /// Fails when a user could not get ready, or this program panicked while one played.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        self.check_not_panicked()?;
        match self.not_ready.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(reason) => Err(RunError::NotReady(reason)),
            None => Ok(()),
        }
    }

    /// Fails when this program panicked while a user played.
    pub(crate) fn check_not_panicked(&self) -> Result<(), RunError> {
        self.panicked.get().map_or(Ok(()), |reason| Err(RunError::Panicked(reason.clone())))
    }
}

/// A slot of the meter for each worker thread.
fn meter_slots() -> usize {
    std::thread::available_parallelism().map_or(FEWEST_METER_SLOTS, NonZero::get).max(FEWEST_METER_SLOTS)
}

/// The kind of a finding: one about a call without a response is a transport failure.
fn kind_of(finding: &Finding, record: &Record) -> ErrorKind {
    let exchange = finding.exchange.and_then(|number| record.exchanges().find(|exchange| exchange.number == number));
    match exchange {
        Some(exchange) if exchange.response().is_none() => ErrorKind::Transport,
        Some(_) | None => ErrorKind::Contract,
    }
}

/// Why a call of an iteration failed, if it did.
pub(crate) fn error_of(exchange: &Exchange, played: &Played) -> Option<ErrorKind> {
    let about = |finding: &Finding| finding.exchange == Some(exchange.number);
    let is_last = || played.record.exchanges().last().is_some_and(|last| last.number == exchange.number);
    // A call that can't be judged, because nothing is at an assumed path, is no success.
    if exchange.response().is_none() || (played.stopped.is_some() && is_last()) {
        Some(ErrorKind::Transport)
    } else if played.findings.iter().any(about) {
        Some(ErrorKind::Contract)
    } else {
        played.unexpected.iter().any(about).then_some(ErrorKind::Business)
    }
}
