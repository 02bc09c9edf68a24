//! What a load came to, as a result.

use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;

use super::Options;
use super::lanes::Lanes;
use super::play::Played;
use crate::load::meter::Measured;
use crate::load::resources::Resources;
use crate::load::result::{FORMAT, Generator, LoadResult, LoadVerdict, NotificationResult, Shards};
use crate::load::{threshold, verdict};

/// A generator that is later than this once in a hundred pushes measures itself.
const PUNCTUAL: Duration = Duration::from_millis(10);
/// The share of pushes that may wait for their notification to be written.
const STARVED: f64 = 0.001;

/// What the load itself does not know.
pub(super) struct About {
    /// The merchant's title.
    pub(super) target: String,
    pub(super) started: Timestamp,
    /// CPU time that this process had used before.
    pub(super) cpu: Option<Duration>,
}

/// Everything.
pub(super) fn result<C>(lanes: &Lanes<C>, options: &Options, played: &Played, about: About) -> LoadResult {
    let measured = lanes.meter.finish(played.measured);
    let resources = Resources::now();
    let cpu = resources.cpu.unwrap_or_default().saturating_sub(about.cpu.unwrap_or_default());
    let generator = Generator {
        limit: limit(&measured, lanes.counts.starved.load(Ordering::Relaxed)),
        scheduling: measured.scheduling,
        cpu_seconds: cpu.as_secs_f64(),
        cores: u32::try_from(resources.cores.map_or(1, NonZero::get)).unwrap_or(u32::MAX),
        peak_memory: resources.peak_memory.unwrap_or_default(),
    };
    let mut result = LoadResult {
        format: FORMAT,
        profile: "notification".to_owned(),
        title: "Notifications to a merchant".to_owned(),
        kind: "constant-arrival-rate".to_owned(),
        target: about.target,
        seed: options.seed,
        shards: Shards { of: 1, parts: vec![1] },
        started: about.started.to_string(),
        seconds: played.measured.as_secs_f64(),
        ended_early: played.early.clone(),
        arrivals: measured.arrivals,
        operations: measured.operations,
        scenarios: measured.scenarios,
        timeline: measured.timeline,
        notifications: Some(NotificationResult { lag: measured.lag, ..lanes.counts.notifications() }),
        conservation: None,
        findings: lanes.causes.all(),
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

/// Why the numbers say more of the generator than of the merchant.
fn limit(measured: &Measured, starved: u64) -> Option<String> {
    let begun = measured.arrivals.as_ref().map_or(0, |arrivals| arrivals.begun);
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let share = starved as f64 / begun.max(1) as f64;
    if share > STARVED {
        return Some(format!("{starved} of {begun} pushes had to wait until a payment to tell of was made"));
    }
    let late = Duration::from_micros(measured.scheduling.p99);
    (late > PUNCTUAL).then(|| format!("one push of a hundred was released {late:?} late or later though there was room for it"))
}
