//! Lanes: so many pushes can be under way at the same time, each over a connection of its own.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::time::Instant;

use super::Options;
use super::again::Again;
use super::carrier::Carrier;
use crate::exchange::{Outcome, TransportFailureKind};
use crate::load::causes::Causes;
use crate::load::meter::{Call, Iteration, Meter};
use crate::load::pacer::{Due, Pacer};
use crate::load::result::{ErrorKind, NotificationResult};
use crate::notify::Written;
use crate::verdict::Finding;

/// Says when the next push is due.
pub(super) trait Turns: Send + Sync + 'static {
    /// The next push, once it is due; none when there is no more.
    fn next(&self) -> impl Future<Output = Option<Due>> + Send;
}

impl Turns for Pacer {
    fn next(&self) -> impl Future<Output = Option<Due>> + Send {
        Pacer::next(self)
    }
}

/// What is wrong with an answer.
pub(super) type Judging = Box<dyn Fn(&Written, Outcome) -> Option<Finding> + Send + Sync>;

/// The notifications that are pushed.
pub(super) struct Kinds {
    /// Their names; a notification tells which one it is by its place here.
    pub(super) names: Vec<String>,
    /// The statuses that acknowledge each.
    pub(super) acknowledged_by: Vec<Vec<u16>>,
    pub(super) judge: Judging,
}

/// What all lanes share.
pub(super) struct Lanes<C> {
    carrier: C,
    kinds: Kinds,
    /// New notifications, in their order.
    stock: Mutex<mpsc::Receiver<Written>>,
    again: Again,
    /// A first push that is acknowledged later than this after its intended start is late.
    late: Duration,
    pub(super) start: Instant,
    pub(super) meter: Meter,
    pub(super) causes: Causes,
    pub(super) counts: Counts,
}

/// What the meter does not count.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Lanes that are on their way.
    pub(super) busy: AtomicU64,
    /// How often no new notification was ready when one was due.
    pub(super) starved: AtomicU64,
    pub(super) pushed: AtomicU64,
    pub(super) failed: AtomicU64,
    first: AtomicU64,
    in_time: AtomicU64,
    late: AtomicU64,
    lost: AtomicU64,
    /// Whether anybody was there to connect to.
    reached: AtomicBool,
}

impl Counts {
    /// Whether pushes were made and nobody listened.
    pub(super) fn nobody_listens(&self) -> bool {
        !self.reached.load(Ordering::Relaxed) && self.pushed.load(Ordering::Relaxed) > 0
    }

    /// First pushes: acknowledged in time, late, never. Duplicates on purpose are not among them.
    pub(super) fn notifications(&self) -> NotificationResult {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        NotificationResult {
            expected: read(&self.first),
            once: read(&self.in_time),
            late: read(&self.late),
            lost: read(&self.lost),
            ..NotificationResult::default()
        }
    }
}

/// A push under way.
struct Push {
    written: Written,
    /// It is sent the second time.
    again: bool,
    /// How much later than intended it was sent.
    late: Duration,
    sent: Instant,
}

impl<C: Carrier> Lanes<C> {
    /// Lanes that take new notifications from a stock, and count time from `start`.
    pub(super) fn new(options: &Options, kinds: Kinds, carrier: C, stock: mpsc::Receiver<Written>, start: Instant) -> Self {
        let scenarios = kinds.names.iter().flat_map(|name| [format!("{name} (new)"), format!("{name} (again)")]).collect();
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            meter: Meter::new(kinds.names.clone(), scenarios, threads),
            carrier,
            kinds,
            stock: Mutex::new(stock),
            again: Again::new(options.duplicates, options.seed),
            late: options.accounting.late,
            start,
            causes: Causes::default(),
            counts: Counts::default(),
        }
    }

    /// Pushes one after the other, until there is no more.
    pub(super) async fn drive<T: Turns>(self: Arc<Self>, turns: Arc<T>) {
        let mut free = Duration::ZERO;
        while let Some(due) = turns.next().await {
            let late = self.start.elapsed().saturating_sub(due.at);
            // Of a lane that came back too late the target is the cause, not the generator.
            self.meter.begun((free <= due.at).then_some(late), late);
            count(&self.counts.busy);
            if let Some((written, again)) = self.written(due.number).await {
                let sent = Instant::now();
                let late = sent.duration_since(self.start).saturating_sub(due.at);
                let outcome = self.carrier.carry(&written).await;
                self.took(Push { written, again, late, sent }, outcome);
            }
            self.counts.busy.fetch_sub(1, Ordering::Relaxed);
            free = self.start.elapsed();
        }
    }

    /// What is pushed: a duplicate where the lot says so and something was acknowledged already, else a new one.
    async fn written(&self, number: u64) -> Option<(Written, bool)> {
        if self.again.wants(number)
            && let Some(written) = self.again.take()
        {
            return Some((written, true));
        }
        let mut stock = self.stock.lock().await;
        let written = match stock.try_recv() {
            Ok(written) => written,
            Err(_) => {
                count(&self.counts.starved);
                stock.recv().await?
            }
        };
        Some((written, false))
    }

    fn took(&self, push: Push, outcome: Outcome) {
        let Push { written, again, late, sent } = push;
        let service = sent.elapsed();
        let error = self.error(&written, &outcome);
        self.meter.call(written.format, Call { service, late, error });
        let scenario = written.format * 2 + usize::from(again);
        self.meter.iteration(scenario, Iteration { service, late, passed: error.is_none() });
        self.count(again, service.saturating_add(late), error, &outcome);
        let Some(kind) = error else {
            if !again {
                self.again.offer(written);
            }
            return;
        };
        if let Some(mut finding) = (self.kinds.judge)(&written, outcome) {
            if again {
                // Another cause than the first refusal of a notification.
                finding = finding.at("answer, to what was acknowledged before");
                finding.message.push_str(", though it was acknowledged before");
            }
            self.causes.add(finding, kind, self.start.elapsed().as_secs_f64());
        }
    }

    fn error(&self, written: &Written, outcome: &Outcome) -> Option<ErrorKind> {
        let statuses = self.kinds.acknowledged_by.get(written.format).map(Vec::as_slice).unwrap_or_default();
        match outcome {
            Outcome::Answer(answer) if statuses.contains(&answer.status) => None,
            Outcome::Answer(_) => Some(ErrorKind::Contract),
            Outcome::Failed(_) => Some(ErrorKind::Transport),
        }
    }

    fn count(&self, again: bool, response: Duration, error: Option<ErrorKind>, outcome: &Outcome) {
        let counts = &self.counts;
        count(&counts.pushed);
        if error.is_some() {
            count(&counts.failed);
        }
        match outcome {
            Outcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {}
            Outcome::Failed(_) | Outcome::Answer(_) => counts.reached.store(true, Ordering::Relaxed),
        }
        if again {
            return;
        }
        count(&counts.first);
        if error.is_some() {
            return count(&counts.lost);
        }
        self.meter.lag(response);
        count(if response > self.late { &counts.late } else { &counts.in_time });
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
