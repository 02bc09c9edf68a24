//! Options of `paycheck notify`.

use std::time::Duration;

use url::Url;

use crate::base::name_filter::NameFilter;

/// Which merchant is judged, and how.
#[derive(Clone, Debug)]
pub struct NotifyOptions {
    /// The merchant's notification endpoint.
    pub endpoint: Url,
    /// A further certificate (PEM) that is trusted where the endpoint shows it, or one that it has signed.
    pub certificate: Option<Vec<u8>>,
    /// How long it may take to respond, and how long goods are awaited.
    pub within: Duration,
    /// How long the body of the slow case takes.
    pub slow: Duration,
    /// The command that prints how often goods were handed over; empty if there is none.
    pub orders: Vec<String>,
    /// Only cases with these names.
    pub filter: NameFilter,
    /// The seed of everything random.
    pub seed: u64,
}
