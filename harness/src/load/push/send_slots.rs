//! Send slots: each sends one push at a time over a connection of its own, so their number limits the pushes under way.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::time::Instant;

use super::duplicates::Duplicates;
use super::options::PushOptions;
use super::sender::PushSender;
use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::engine::push::message_pool::PreparedPush;
use crate::engine::responsiveness::Responsiveness;
use crate::load::finding_groups::FindingGroups;
use crate::load::meter::{Iteration, MeasuredCall, Meter, ResultCode};
use crate::load::pacer::{Due, Pacer};
use crate::load::result::{ErrorKind, NotificationResult};
use crate::load::shard::Shard;
use crate::spec::target::GiveUp;
use crate::wire::exchange::ExchangeOutcome;

/// Releases pushes when they are due.
pub(super) trait ReleaseQueue: Send + Sync + 'static {
    /// Waits for the next push; `None` after the last one.
    fn next(&self) -> impl Future<Output = Option<Due>> + Send;
}

impl ReleaseQueue for Pacer {
    fn next(&self) -> impl Future<Output = Option<Due>> + Send {
        Pacer::next(self)
    }
}

/// Judges the response to a push.
pub(super) type ResponseJudge = Box<dyn Fn(&PreparedPush, ExchangeOutcome) -> Option<Finding> + Send + Sync>;

/// The notifications that are pushed.
pub(super) struct PushedNotifications {
    /// Their names. `PreparedPush::format` is an index into these.
    pub(super) names: Vec<String>,
    /// The statuses that acknowledge each.
    pub(super) acknowledged_by: Vec<Vec<u16>>,
    pub(super) judge: ResponseJudge,
}

/// What all send slots share.
pub(super) struct SendSlots<C> {
    sender: C,
    kinds: PushedNotifications,
    /// New notifications, in their order.
    prepared: Mutex<mpsc::Receiver<PreparedPush>>,
    again: Duplicates,
    shard: Shard,
    /// A first push is late if it is acknowledged later than this after its intended start.
    late: Duration,
    pub(super) start: Instant,
    pub(super) meter: Meter,
    pub(super) findings: FindingGroups,
    pub(super) counts: PushCounts,
    /// Whether the endpoint responds at all.
    pub(super) responsiveness: Responsiveness,
}

/// Counts besides those of the meter.
#[derive(Debug, Default)]
pub(super) struct PushCounts {
    /// Slots with a push under way.
    pub(super) busy: AtomicU64,
    /// How often a push was due and no new notification was prepared yet.
    pub(super) starved: AtomicU64,
    pub(super) pushed: AtomicU64,
    pub(super) failed: AtomicU64,
    first: AtomicU64,
    in_time: AtomicU64,
    late: AtomicU64,
    lost: AtomicU64,
}

impl PushCounts {
    /// Counts of first pushes, without deliberate duplicates.
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
struct PendingPush {
    written: PreparedPush,
    /// Whether it is a deliberate duplicate.
    again: bool,
    /// How much later than intended it was sent.
    late: Duration,
    sent: Instant,
}

impl<C: PushSender> SendSlots<C> {
    /// Slots that claim new notifications from `prepared` and count time from `start`.
    pub(super) fn new(
        options: &PushOptions,
        kinds: PushedNotifications,
        sender: C,
        prepared: mpsc::Receiver<PreparedPush>,
        start: Instant,
    ) -> Self {
        let scenarios = kinds.names.iter().flat_map(|name| [format!("{name} (new)"), format!("{name} (again)")]).collect();
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            meter: Meter::new(kinds.names.clone(), scenarios, threads),
            sender,
            kinds,
            prepared: Mutex::new(prepared),
            again: Duplicates::new(options.duplicates, options.seed),
            shard: options.shard,
            late: options.deadlines.late,
            start,
            findings: FindingGroups::default(),
            counts: PushCounts::default(),
            responsiveness: Responsiveness::of_one(GiveUp::default()),
        }
    }

    /// Runs one slot: sends one push after another until the queue ends.
    pub(super) async fn run<T: ReleaseQueue>(self: Arc<Self>, queue: Arc<T>) {
        let mut free = Duration::ZERO;
        while let Some(due) = queue.next().await {
            let late = self.start.elapsed().saturating_sub(due.at);
            // If the slot was free in time, the generator caused the delay, otherwise the merchant.
            self.meter.started((free <= due.at).then_some(late), late);
            count(&self.counts.busy);
            if let Some((written, again)) = self.written(due.number).await {
                let sent = Instant::now();
                let late = sent.duration_since(self.start).saturating_sub(due.at);
                let outcome = self.sender.send(&written).await;
                self.record(PendingPush { written, again, late, sent }, outcome);
            }
            self.counts.busy.fetch_sub(1, Ordering::Relaxed);
            free = self.start.elapsed();
        }
    }

    /// The next notification, and whether it is a duplicate: one if a duplicate is wanted and some push was acknowledged, else a new one.
    async fn written(&self, number: u64) -> Option<(PreparedPush, bool)> {
        if self.again.wants(self.shard.number(number).unwrap_or(number))
            && let Some(written) = self.again.pop()
        {
            return Some((written, true));
        }
        let mut prepared = self.prepared.lock().await;
        let written = match prepared.try_recv() {
            Ok(written) => written,
            Err(_) => {
                count(&self.counts.starved);
                prepared.recv().await?
            }
        };
        Some((written, false))
    }

    fn record(&self, push: PendingPush, outcome: ExchangeOutcome) {
        let PendingPush { written, again, late, sent } = push;
        let service = sent.elapsed();
        let error = self.error(&written, &outcome);
        let status = match &outcome {
            ExchangeOutcome::Response(response) => Some(response.status),
            ExchangeOutcome::Failed(_) => None,
        };
        self.meter.call(written.format, MeasuredCall { service, late, error, status, code: ResultCode::None });
        let scenario = written.format * 2 + usize::from(again);
        self.meter.iteration(scenario, Iteration { service, late, passed: error.is_none() });
        self.count(again, service.saturating_add(late), error, &outcome);
        let Some(kind) = error else {
            if !again {
                self.again.keep(written);
            }
            return;
        };
        if let Some(mut finding) = (self.kinds.judge)(&written, outcome) {
            if again {
                // A refused duplicate is another cause than a refused first push.
                finding = finding.at(Place::Redelivery);
                finding.message.push_str(", though it was acknowledged before");
            }
            self.findings.add(finding, kind, self.start.elapsed().as_secs_f64());
        }
    }

    fn error(&self, written: &PreparedPush, outcome: &ExchangeOutcome) -> Option<ErrorKind> {
        let statuses = self.kinds.acknowledged_by.get(written.format).map(Vec::as_slice).unwrap_or_default();
        match outcome {
            ExchangeOutcome::Response(response) if statuses.contains(&response.status) => None,
            ExchangeOutcome::Response(_) => Some(ErrorKind::Contract),
            ExchangeOutcome::Failed(_) => Some(ErrorKind::Transport),
        }
    }

    fn count(&self, again: bool, response: Duration, error: Option<ErrorKind>, outcome: &ExchangeOutcome) {
        let counts = &self.counts;
        count(&counts.pushed);
        if error.is_some() {
            count(&counts.failed);
        }
        self.responsiveness.note_kind(match outcome {
            ExchangeOutcome::Failed(failure) => Some(failure.kind),
            ExchangeOutcome::Response(_) => None,
        });
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
