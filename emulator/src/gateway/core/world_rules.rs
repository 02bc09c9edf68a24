//! What a world adds to the rules of the document.

use crate::common::Selection;

/// The rules of the world that a request is made in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorldRules {
    /// Real clients break the rules on many fields, and are served.
    pub(crate) tolerant: bool,
    /// The length of a label is counted in UTF-16 units.
    pub(crate) labels_in_utf16: bool,
    /// The methods that are out.
    pub(crate) closed: Selection,
}

#[cfg(test)]
impl WorldRules {
    /// Those of a tolerant world.
    pub(crate) fn tolerant() -> Self {
        Self { tolerant: true, ..Self::default() }
    }
}
