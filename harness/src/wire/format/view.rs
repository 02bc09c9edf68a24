//! The content of a file, in the form that a schema describes.

use serde_json::Value;

use super::places::Places;
use crate::wire::exchange::BodyFault;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The value that a schema can describe.
    pub value: Value,
    /// What is wrong with its spelling, although it can be read.
    pub faults: Vec<BodyFault>,
    /// Where its parts are.
    pub places: Places,
}
