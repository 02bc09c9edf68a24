//! Options of `paycheck notify`.

use std::time::Duration;

use url::Url;

/// Which merchant is judged, and how.
#[derive(Clone, Debug)]
pub struct NotifyOptions {
    /// The merchant's notification endpoint.
    pub endpoint: Url,
    /// How long it may take to respond, and how long goods are awaited.
    pub within: Duration,
    /// How long the body of the slow case takes.
    pub slow: Duration,
    /// The command that prints how often goods were handed over; empty if there is none.
    pub orders: Vec<String>,
    /// Only cases whose name contains one of these texts; all if empty.
    pub filter: Vec<String>,
    /// The seed of everything random.
    pub seed: u64,
}
