//! `x-free`: what the documents leave open to the target, with the reason.

use crate::base::place::Place;
use crate::base::source::{Fields, Node, Problems};
use crate::base::wildcard::Wildcard;

/// An aspect that the documents leave open to the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Where: `HTTP status`, `header *`, `/rows/*/price`, `delivery`.
    place: Wildcard,
    /// Which changes; empty = all.
    changes: Vec<String>,
    /// The reason.
    pub reason: String,
}

impl Allowance {
    /// Reads one entry.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::from_node(node, "an entry of x-free", problems)?;
        let place = fields.require_text("place", problems);
        let changes = fields.texts("changes", problems);
        let reason = fields.require_text("reason", problems);
        fields.finish(problems);
        Some(Self { place: Wildcard::new(place?), changes, reason: reason? })
    }

    /// Whether it allows this change at this place.
    pub fn covers(&self, place: &Place, change: &str) -> bool {
        self.place.matches(&place.within_message().to_string()) && (self.changes.is_empty() || self.changes.iter().any(|own| own == change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::place::Message;

    #[test]
    fn it_covers_the_places_and_the_changes_that_it_names() {
        let allowance = |place: &str, changes: &[&str]| Allowance {
            place: Wildcard::new(place),
            changes: changes.iter().map(|change| (*change).to_owned()).collect(),
            reason: String::new(),
        };
        let server = Place::header(Message::Response, "server");
        let headers = allowance("header *", &["dropped"]);
        assert!(headers.covers(&server, "dropped"));
        assert!(!headers.covers(&server, "another value"));
        assert!(!headers.covers(&Place::body(Message::Response), "dropped"));
        let body = allowance("body", &[]);
        assert!(body.covers(&Place::body(Message::Notification), "twice") && !body.covers(&server, "twice"));
    }
}
