//! What a file says, in the form that a schema describes.

use serde_json::Value;

use super::places::Places;
use crate::wire::exchange::BodyFault;

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The value that a schema can describe.
    pub value: Value,
    /// What is wrong with its spelling, although it can be read.
    pub faults: Vec<BodyFault>,
    /// Where its parts stand.
    pub places: Places,
}
