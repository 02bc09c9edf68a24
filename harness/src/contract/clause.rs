//! The index of all rules: `contracts/clauses/*.yaml`.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::source::{Diagnostic, Fields, Problems, Source, Span};

/// One normative rule of the documents.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Its id.
    pub id: String,
    /// The document it stands in.
    pub document: String,
    /// The section of that document.
    pub section: String,
    /// The rule in our words.
    pub says: String,
    /// Why it can't be checked from outside, if it can't.
    pub unchecked: Option<String>,
    pub(super) place: (Arc<Source>, Span),
}

/// Reads one file into the index.
pub(super) fn read(source: &Arc<Source>, clauses: &mut IndexMap<String, Clause>, problems: &mut Problems) {
    let Some(node) = source.parse(problems) else { return };
    let Some(mut file) = Fields::of(&node, "a clause file", problems) else { return };
    let document = file.require_text("document", problems).unwrap_or_default();
    for entry in file.map("clauses", problems) {
        let Some(mut fields) = Fields::of(&entry.value, "a clause", problems) else { continue };
        let clause = Clause {
            id: entry.key.clone(),
            document: document.clone(),
            section: fields.require_text("section", problems).unwrap_or_default(),
            says: fields.require_text("says", problems).unwrap_or_default(),
            unchecked: fields.text("unchecked", problems),
            place: (Arc::clone(source), entry.key_span),
        };
        fields.finish(problems);
        if let Some(first) = clauses.insert(entry.key.clone(), clause) {
            let message = format!("the clause `{}` is already declared in {}:{}", entry.key, first.place.0.path, first.place.1.line);
            problems.add(Diagnostic::new(source, entry.key_span, message));
        }
    }
    file.finish(problems);
}
