//! One load run: what all users share while it goes on.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::causes::Causes;
use super::meter::Meter;
use super::pacer::{Due, Pacer, Starts};
use super::part::Operations;
use super::profile::{Conservation, Profile};
use super::result::ErrorKind;
use super::sampler::Sampler;
use super::schedule::{Mix, Schedule};
use super::shape::Shard;
use crate::exchange::{Exchange, TransportFailureKind};
use crate::record::Record;
use crate::runner::{Context, Instance, Played};
use crate::verdict::Finding;

/// What all users share while a load goes on.
pub(crate) struct Run {
    pub(crate) context: Arc<Context>,
    pub(crate) profile: Arc<Profile>,
    /// What is played, in the order of the mix.
    pub(crate) parts: Vec<Arc<Instance>>,
    pub(crate) operations: Operations,
    pub(crate) meter: Meter,
    pub(crate) causes: Causes,
    /// Open load: what is due, and when.
    pub(crate) open: Option<Open>,
    /// Which part of how many this is.
    pub(crate) shard: Shard,
    mix: Mix,
    /// Closed load: the number of the next iteration.
    next: AtomicU64,
    samples: Vec<Mutex<Sampler<Sample>>>,
    /// Since when the load goes on.
    begun: OnceLock<Instant>,
    /// Told when the load begins.
    gate: watch::Sender<bool>,
    over: AtomicBool,
    /// Users that are ready, or at work.
    pub(crate) users: AtomicUsize,
    pub(crate) calls: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// Whether somebody was there, once at least.
    reached: AtomicBool,
    /// Why users could not get ready, if they could not.
    pub(crate) unready: Mutex<Option<String>>,
    /// How this program broke down while a user played, if it did.
    pub(crate) broken: OnceLock<String>,
    /// Whether goose is told of every call too, for its dashboard.
    pub(crate) tells_goose: bool,
}

/// Open load.
pub(crate) struct Open {
    pub(crate) schedule: Arc<Schedule>,
    pub(crate) pacer: Arc<Pacer>,
}

/// An iteration that is looked at again when the load is over.
pub(crate) struct Sample {
    pub(crate) user: usize,
    pub(crate) part: usize,
    pub(crate) record: Record,
}

/// Intended starts as the schedule has them.
pub(crate) struct Scheduled(pub(crate) Arc<Schedule>);

impl Starts for Scheduled {
    fn due(&self, number: u64) -> Option<Duration> {
        self.0.slot(number).map(|slot| slot.at)
    }
}

/// What a user is to play next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Which part of the mix.
    pub(crate) part: usize,
    /// When it was to begin, since the load began; none for closed load.
    pub(crate) due: Option<Duration>,
}

/// How many users play at a time, and so how many slots samples are taken in.
const SLOTS: usize = 4;

impl Run {
    /// A run that has not begun.
    pub(crate) fn new(
        context: Arc<Context>,
        profile: Arc<Profile>,
        parts: Vec<Arc<Instance>>,
        (schedule, shard): (Option<Schedule>, Shard),
        tells_goose: bool,
    ) -> Self {
        let operations = Operations::of(parts.iter().map(Arc::as_ref), &context.contracts);
        let scenarios = parts.iter().map(|part| part.name.to_string().replace(" / ", "/")).collect();
        let open = schedule.map(|schedule| {
            let schedule = Arc::new(schedule);
            Open { pacer: Pacer::new(Arc::new(Scheduled(Arc::clone(&schedule)))), schedule }
        });
        let most = match profile.conservation {
            Conservation::Off => 0,
            Conservation::Sampled(most) => most,
            Conservation::Complete => usize::MAX,
        };
        Self {
            meter: Meter::new(operations.names().to_vec(), scenarios, SLOTS),
            operations,
            causes: Causes::default(),
            open,
            shard,
            mix: Mix::of(&profile.mix),
            next: AtomicU64::new(0),
            samples: parts.iter().map(|_| Mutex::new(Sampler::new(most))).collect(),
            begun: OnceLock::new(),
            gate: watch::Sender::new(false),
            over: AtomicBool::new(false),
            users: AtomicUsize::new(0),
            calls: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            reached: AtomicBool::new(false),
            unready: Mutex::new(None),
            broken: OnceLock::new(),
            context,
            profile,
            parts,
            tells_goose,
        }
    }

    /// Lets the users begin.
    pub(crate) fn begin(&self) -> Instant {
        let begun = *self.begun.get_or_init(Instant::now);
        self.gate.send_replace(true);
        begun
    }

    /// How long it has gone on.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.get().map(Instant::elapsed).unwrap_or_default()
    }

    /// Seconds since the measuring began; negative ones are the warm-up.
    pub(crate) fn second(&self) -> f64 {
        self.elapsed().as_secs_f64() - self.profile.warm_up.as_secs_f64()
    }

    /// Nothing is begun any more.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.gate.send_replace(true);
        if let Some(open) = &self.open {
            open.pacer.end();
        }
    }

    /// Whether nothing is begun any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// What a free user is to play next, when it is due. None when nothing is begun any more.
    pub(crate) async fn next(&self, seed: u64) -> Option<Turn> {
        // Where it goes on, all cores only read this; to look at the gate would be to lock it.
        if self.begun.get().is_none() && !*self.gate.borrow() {
            self.gate.subscribe().wait_for(|open| *open).await.ok()?;
        }
        if self.is_over() {
            return None;
        }
        let Some(open) = &self.open else {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            return Some(Turn { part: self.mix.part(seed, number), due: None });
        };
        let free = self.elapsed();
        let Due { number, at } = open.pacer.next().await?;
        let number = open.schedule.slot(number).map_or(number, |slot| slot.number);
        let late = self.elapsed().saturating_sub(at);
        // A user that was free in time shows what the generator is good for; one that was not, what the target is.
        self.meter.begun((free <= at).then_some(late), late);
        Some(Turn { part: self.mix.part(seed, number), due: Some(at) })
    }

    /// Whether an iteration of a part is to be looked at again.
    pub(crate) fn samples_next(&self, part: usize) -> bool {
        // Where nothing is, the lock is not one for all users to meet at.
        self.profile.conservation != Conservation::Off
            && self.samples.get(part).is_some_and(|sampler| sampler.lock().unwrap_or_else(PoisonError::into_inner).takes_next())
    }

    /// Keeps an iteration that is to be looked at again.
    pub(crate) fn keep_sample(&self, sample: Sample) {
        if let Some(sampler) = self.samples.get(sample.part) {
            sampler.lock().unwrap_or_else(PoisonError::into_inner).keep(sample);
        }
    }

    /// Everything that is to be looked at again.
    pub(crate) fn take_samples(&self) -> Vec<Sample> {
        let take = |sampler: &Mutex<Sampler<Sample>>| {
            let mut sampler = sampler.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *sampler, Sampler::new(0)).into_kept()
        };
        self.samples.iter().flat_map(take).collect()
    }

    /// Takes in what was found.
    pub(crate) fn found(&self, played: &Played) {
        let second = self.second();
        for finding in &played.findings {
            self.causes.add(finding.clone(), kind_of(finding, &played.record), second);
        }
        for finding in &played.unexpected {
            self.causes.add(finding.clone(), ErrorKind::Business, second);
        }
        if let Some(reason) = &played.stopped {
            self.causes.add(Finding::new("", "", reason.clone()), ErrorKind::Transport, second);
        }
    }

    /// Counts a call for the killswitch.
    pub(crate) fn count(&self, error: Option<ErrorKind>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if error.is_some() {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes note of whether somebody was there: of how a call failed that was not answered.
    pub(crate) fn heard(&self, failure: Option<TransportFailureKind>) {
        if failure != Some(TransportFailureKind::Connect) && !self.reached.load(Ordering::Relaxed) {
            self.reached.store(true, Ordering::Relaxed);
        }
    }

    /// Whether there were calls, and nobody was there for any of them.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > 0 && !self.reached.load(Ordering::Relaxed)
    }

    /// Why the killswitch ends the run, if it does.
    pub(crate) fn is_pointless(&self) -> bool {
        let (calls, failed) = (self.calls.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed));
        let switch = self.profile.killswitch;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
        let share = failed as f64 / calls.max(1) as f64;
        calls >= switch.after && share > switch.errors
    }

    /// Notes how this program broke down while a user played; the first report stays.
    pub(crate) fn broke(&self, user: usize, reason: &str) {
        self.broken.get_or_init(|| format!("user {user}: {reason}"));
    }

    /// Notes why a user could not get ready; the first reason stays.
    pub(crate) fn not_ready(&self, reason: String) {
        self.unready.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
    }
}

/// A finding about a call that was not answered at all is the transport's.
fn kind_of(finding: &Finding, record: &Record) -> ErrorKind {
    let exchange = finding.exchange.and_then(|number| record.exchanges().find(|exchange| exchange.number == number));
    match exchange {
        Some(exchange) if exchange.answer().is_none() => ErrorKind::Transport,
        Some(_) | None => ErrorKind::Contract,
    }
}

/// Why a call of an iteration failed, if it did.
pub(crate) fn error_of(exchange: &Exchange, played: &Played) -> Option<ErrorKind> {
    let about = |finding: &Finding| finding.exchange == Some(exchange.number);
    if exchange.answer().is_none() {
        Some(ErrorKind::Transport)
    } else if played.findings.iter().any(about) {
        Some(ErrorKind::Contract)
    } else {
        played.unexpected.iter().any(about).then_some(ErrorKind::Business)
    }
}
