//! The result of a load on a notification endpoint.

use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;

use super::options::{PushOptions, TITLE};
use super::send_slots::SendSlots;
use crate::load::generator_limit::{ADVICE, late_starts};
use crate::load::meter::MeasuredTotals;
use crate::load::profile::GeneratorBounds;
use crate::load::resources::Resources;
use crate::load::result::{Early, FORMAT, Generator, LoadResult, LoadVerdict, NotificationResult, Shards};
use crate::load::start_at::began_late;
use crate::load::{threshold, verdict};

/// The share of pushes that may wait for their notification without the generator being the limit.
const STARVED: f64 = 0.001;

/// The end of a push loop.
pub(super) struct PushLoopEnd {
    /// Why it ended before its time.
    pub(super) early: Option<Early>,
    /// How long pushes were started, without the time until the last ones ended.
    pub(super) measured: Duration,
}

/// Facts for the result besides the measurements.
pub(super) struct RunInfo {
    /// The name of the merchant.
    pub(super) target: String,
    pub(super) started: Timestamp,
    /// CPU time that this process had used when the load started.
    pub(super) cpu: Option<Duration>,
    /// How much later than `--start-at` the load started.
    pub(super) begun_late: Duration,
}

/// The result of a load that has ended.
pub(super) fn result<C>(slots: &SendSlots<C>, options: &PushOptions, played: &PushLoopEnd, about: &RunInfo) -> LoadResult {
    let measured = slots.meter.finish(played.measured);
    let resources = Resources::now();
    let cpu = resources.cpu.unwrap_or_default().saturating_sub(about.cpu.unwrap_or_default());
    let generator = Generator {
        limit: began_late(about.begun_late, "its notifications were")
            .or_else(|| limit(&measured, slots.counts.starved.load(Ordering::Relaxed))),
        scheduling: measured.scheduling,
        cpu_seconds: cpu.as_secs_f64(),
        cores: u32::try_from(resources.cores.map_or(1, NonZero::get)).unwrap_or(u32::MAX),
        peak_memory: resources.peak_memory.unwrap_or_default(),
    };
    let mut result = LoadResult {
        format: FORMAT,
        profile: "notification".to_owned(),
        title: TITLE.to_owned(),
        kind: "constant-arrival-rate".to_owned(),
        target: about.target.clone(),
        seed: options.seed,
        shards: Shards { of: options.shard.parts(), parts: vec![options.shard.part()] },
        warm_up: 0.0,
        started: about.started.to_string(),
        seconds: played.measured.as_secs_f64(),
        ended_early: played.early.clone(),
        arrivals: measured.arrivals,
        iterations: measured.iterations,
        operations: measured.operations,
        scenarios: measured.scenarios,
        timeline: measured.timeline,
        notifications: Some(NotificationResult { lag: measured.lag, ..slots.counts.notifications() }),
        judged: None,
        conservation: None,
        findings: slots.findings.causes(),
        connections: Vec::new(),
        generator,
        trials: Vec::new(),
        thresholds: Vec::new(),
        verdict: LoadVerdict::Inconclusive,
        reasons: Vec::new(),
    };
    result.thresholds = threshold::evaluate(&options.thresholds, &result);
    (result.verdict, result.reasons) = verdict::verdict(&result);
    result
}

/// Why the load is generator-limited, if it is.
fn limit(measured: &MeasuredTotals, starved: u64) -> Option<String> {
    let begun = measured.arrivals.as_ref().map_or(0, |arrivals| arrivals.started);
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let share = starved as f64 / begun.max(1) as f64;
    if share > STARVED {
        return Some(format!(
            "{starved} of {begun} pushes had to wait until the gateway had created a payment to notify of: this machine was too busy; \
             {ADVICE}"
        ));
    }
    late_starts("pushes", "connections", &measured.scheduling, GeneratorBounds::default().late)
}
