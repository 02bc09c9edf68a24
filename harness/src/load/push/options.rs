//! What is pushed, where to, and how it is counted.

use std::time::{Duration, SystemTime};

use url::Url;

use crate::load::profile::{Killswitch, NotificationDeadlines};
use crate::load::shard::Shard;
use crate::load::threshold::Threshold;

/// What a load on a notification endpoint is called.
pub const TITLE: &str = "Notifications to a merchant";

/// What is pushed where, and how it is counted.
#[derive(Clone, Debug)]
pub struct PushOptions {
    /// The merchant's notification endpoint.
    pub endpoint: Url,
    /// How long it may take to respond.
    pub within: Duration,
    /// The most connections of this part, and so the most pushes at a time.
    pub connections: usize,
    /// The share of pushes, 0 to 1, that are sent a second time after they were acknowledged.
    pub duplicates: f64,
    /// Which notifications; all when empty.
    pub formats: Vec<String>,
    /// How long the load is. A push that could not start until then is dropped.
    pub duration: Duration,
    /// When an acknowledgement is late.
    pub deadlines: NotificationDeadlines,
    /// What must hold of the numbers.
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
