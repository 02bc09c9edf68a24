//! What a case created that may end by itself.

use std::sync::Arc;
use std::time::Instant;

use crate::spec::contract::Ending;
use crate::wire::exchange::Exchange;

/// Something that a case created and that may end by itself.
#[derive(Clone, Debug)]
pub(super) struct Created {
    /// `qr-payment`.
    pub(super) resource: String,
    /// Its identifier.
    pub(super) id: String,
    /// The call that created it.
    pub(super) creation: Arc<Exchange>,
    /// When its creation was sent.
    pub(super) since: Instant,
    /// How many entries the record had with its creation.
    pub(super) entry: usize,
    /// When it may end.
    pub(super) ending: Ending,
}
