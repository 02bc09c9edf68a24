//! Options of a load on a notification endpoint.

use std::time::{Duration, SystemTime};

use url::Url;

use crate::load::profile::{Killswitch, NotificationDeadlines};
use crate::load::shard::Shard;
use crate::load::threshold::Threshold;

/// The title of a load on a notification endpoint.
pub const TITLE: &str = "Notifications to a merchant";

/// Options of a load on a notification endpoint.
#[derive(Clone, Debug)]
pub struct PushOptions {
    /// The merchant's notification endpoint.
    pub endpoint: Url,
    /// How long it may take to respond.
    pub within: Duration,
    /// The most connections of this part, and so the most pushes under way.
    pub connections: usize,
    /// The share of pushes, 0 to 1, that repeat an acknowledged one.
    pub duplicates: f64,
    /// The formats of the notifications; all when empty.
    pub formats: Vec<String>,
    /// How long the load is. A push that has not started by its end is dropped.
    pub duration: Duration,
    /// When an acknowledgement is late.
    pub deadlines: NotificationDeadlines,
    /// The thresholds.
    pub thresholds: Vec<Threshold>,
    /// When it is ended early.
    pub killswitch: Killswitch,
    /// The seed of everything random.
    pub seed: u64,
    /// Which part of a split load.
    pub shard: Shard,
    /// When all parts begin together.
    pub start_at: Option<SystemTime>,
}
