//! What a case created that may end by itself.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::spec::contract::Ending;

/// Something that a case created and that may end by itself.
#[derive(Clone, Debug)]
pub(super) struct Created {
    /// `qr-payment`.
    pub(super) resource: String,
    /// Its identifier.
    pub(super) id: String,
    /// The path parameters of its creation: a refund is below its payment.
    pub(super) path: Map<String, Value>,
    /// Whose credentials created it.
    pub(super) identity: String,
    /// When its creation was sent.
    pub(super) since: Instant,
    /// How many entries the record had with its creation.
    pub(super) entry: usize,
    /// When it may end.
    pub(super) ending: Ending,
}
