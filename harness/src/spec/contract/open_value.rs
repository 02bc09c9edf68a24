//! `x-open-values`: request fields whose values the documents do not list, so that a target may know others.

use serde_json::Value;

use crate::base::source::{Fields, Node, Problems};
use crate::wire::expression::text_of;

/// A field of a request whose values are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenValue {
    /// Its name.
    pub field: String,
    /// The values that the documents show.
    shown: Vec<String>,
    /// The codes that refuse an unknown value.
    codes: Vec<String>,
    /// The reason.
    pub reason: String,
}

impl OpenValue {
    /// Reads one entry.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::from_node(node, "an entry of x-open-values", problems)?;
        let field = fields.require_text("field", problems);
        let (shown, codes) = (fields.texts("shown", problems), fields.texts("codes", problems));
        let reason = fields.require_text("reason", problems);
        fields.finish(problems);
        Some(Self { field: field?, shown, codes, reason: reason? })
    }

    /// Whether a refusal with this code may be about this value because the documents do not show it.
    pub fn excuses(&self, sent: &Value, code: &str) -> bool {
        let value = sent.get(&self.field).and_then(text_of);
        value.is_some_and(|value| !self.shown.contains(&value)) && self.codes.iter().any(|own| own == code)
    }
}
