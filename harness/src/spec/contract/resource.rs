//! What is known of resources whatever API they are of: `resources` of `contracts/world.yaml`.

use indexmap::IndexMap;

use super::ending::{self, Ending};
use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};

/// A field of what was sent and received when a resource was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownField {
    /// What the person reads before it.
    pub label: String,
    /// Its name.
    pub field: String,
    /// How it is shown.
    pub kind: ShownKind,
}

/// How a field is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownKind {
    /// As it is.
    Text,
    /// A sum in minor units.
    Amount {
        /// The field that holds its currency.
        currency: Option<String>,
    },
    /// The address of a page, which is drawn as a QR code where the resource has no code of its own.
    Link,
    /// The text of a QR code.
    Qr,
}

/// What is known of a kind of resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What a person who is asked to act on it is shown.
    pub shown: Vec<ShownField>,
    /// When it may end by itself, if it may.
    pub ending: Option<Ending>,
}

/// Reads what is known of resources, by their kind.
pub(super) fn read(entries: &[Entry], problems: &mut Problems) -> IndexMap<String, Resource> {
    let resource = |entry: &Entry, problems: &mut Problems| {
        let mut fields = Fields::from_node(&entry.value, "a resource", problems)?;
        let shown = fields.map("shown", problems).iter().filter_map(|entry| shown_field(entry, problems)).collect();
        let ending = fields.optional("ends-by-itself").and_then(|node| ending::read(node, problems));
        fields.finish(problems);
        Some((entry.key.clone(), Resource { shown, ending }))
    };
    entries.iter().filter_map(|entry| resource(entry, problems)).collect()
}

fn shown_field(entry: &Entry, problems: &mut Problems) -> Option<ShownField> {
    let mut fields = Fields::from_node(&entry.value, "a field that is shown", problems)?;
    let field = fields.require_text("field", problems);
    let kind = fields.require("kind", problems).map(|node| (node, node.text().unwrap_or_default()));
    let kind = match kind? {
        (_, "amount") => ShownKind::Amount { currency: fields.text("currency", problems) },
        (_, "text") => ShownKind::Text,
        (_, "link") => ShownKind::Link,
        (_, "qr") => ShownKind::Qr,
        (node, other) => {
            problems.add(unknown_kind(node, other));
            return None;
        }
    };
    fields.finish(problems);
    Some(ShownField { label: entry.key.clone(), field: field?, kind })
}

fn unknown_kind(node: &Node, given: &str) -> Diagnostic {
    Diagnostic::at(node, "`kind` is `amount`, `link`, `qr` or `text`").names(given, ["amount", "link", "qr", "text"])
}
