//! `soak`: a fixed arrival rate over a long time. The end must not be much slower than the beginning.

use std::sync::Arc;
use std::time::Duration;

use super::constant_arrival_rate::ConstantArrivalRate;
use super::kind::{KindDefinition, LoadKind, Runs};
use crate::load::keys::Keys;
use crate::load::shard::Shard;
use crate::load::threshold::Threshold;

pub(super) const KIND: KindDefinition = KindDefinition {
    name: "soak",
    about: "A constant rate over a long time; the end must not be much slower than the beginning.",
    read: |keys| Some(Arc::new(Soak::read(keys)?)),
};

/// The default limit of the drift.
const DRIFT: f64 = 1.5;

/// A constant arrival rate over a long time.
#[derive(Clone, Debug, PartialEq)]
pub struct Soak {
    /// The load.
    pub load: ConstantArrivalRate,
    /// The p99 response time of the last tenth may be this many times that of the first tenth.
    pub drift: f64,
}

impl Soak {
    fn read(keys: &mut Keys<'_, '_>) -> Option<Self> {
        let load = ConstantArrivalRate::read(keys, "How long: `2h`.");
        let about = "The p99 response time of the last tenth may be this many times that of the first tenth; default 1.5.";
        let drift = keys.number_or("drift", DRIFT, 1.0..=100.0, about);
        Some(Self { load: load?, drift: drift? })
    }
}

impl LoadKind for Soak {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn duration(&self) -> Duration {
        self.load.duration
    }

    fn users(&self) -> usize {
        self.load.users
    }

    fn highest_rate(&self) -> Option<f64> {
        Some(self.load.rate)
    }

    fn runs(&self, warm_up: Duration, shard: Shard) -> Box<dyn Runs> {
        self.load.runs(warm_up, shard)
    }

    fn thresholds(&self) -> Vec<Threshold> {
        vec![Threshold::drift(self.drift)]
    }
}
