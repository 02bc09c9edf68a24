//! `x-free`: what the documents leave to the target, with the reason.

use crate::source::{Fields, Node, Problems};

/// Something that the documents leave to the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freedom {
    /// Where: `HTTP status`, `header cache-control`, `delivery`; a `*` at the end stands for any end.
    place: String,
    /// Which changes; empty = all.
    changes: Vec<String>,
    /// Why.
    pub reason: String,
}

impl Freedom {
    /// Reads one entry.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::of(node, "an entry of x-free", problems)?;
        let place = fields.require_text("place", problems);
        let changes = fields.texts("changes", problems);
        let reason = fields.require_text("reason", problems);
        fields.finish(problems);
        Some(Self { place: place?, changes, reason: reason? })
    }

    /// Whether it speaks of this change at this place.
    pub fn covers(&self, place: &str, change: &str) -> bool {
        let is_place = self.place.strip_suffix('*').map_or(self.place == place, |beginning| place.starts_with(beginning));
        is_place && (self.changes.is_empty() || self.changes.iter().any(|own| own == change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_end() {
        let free = Freedom { place: "header *".into(), changes: vec!["dropped".into()], reason: String::new() };
        assert!(free.covers("header server", "dropped"));
        assert!(!free.covers("header server", "another value"));
        assert!(!free.covers("body", "dropped"));
        let all = Freedom { place: "body".into(), changes: Vec::new(), reason: String::new() };
        assert!(all.covers("body", "twice") && !all.covers("body x", "twice"));
    }
}
