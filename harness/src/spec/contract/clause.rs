//! The index of all rules: `contracts/clauses/*.yaml`.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::base::source::{Diagnostic, Fields, Problems, Source, Span};

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
    /// Why a run against a target does not check it, if it doesn't.
    pub unchecked: Option<String>,
    /// The command that checks it instead: `notify`.
    pub checked_by: Option<String>,
    pub(super) place: (Arc<Source>, Span),
}

impl Clause {
    /// Where the contracts hold it: `clauses/gateway.yaml:12`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.place.0.path, self.place.1.line)
    }
}

/// The commands that check what a run against a target can't.
const COMMANDS: [&str; 1] = ["notify"];

/// Which command checks the clause, if it is not `verify`.
fn checked_by(fields: &mut Fields<'_>, unchecked: bool, problems: &mut Problems) -> Option<String> {
    let node = fields.take("checked-by")?;
    let command = node.text().unwrap_or_default().to_owned();
    if !COMMANDS.contains(&command.as_str()) {
        problems.add(Diagnostic::at(node, format!("no command `{command}` checks clauses")).names(&command, COMMANDS));
    }
    if unchecked {
        problems.add(Diagnostic::at(node, "a clause is either `unchecked` or `checked-by` something"));
    }
    Some(command)
}

/// Reads one file into the index.
pub(super) fn read(source: &Arc<Source>, clauses: &mut IndexMap<String, Clause>, problems: &mut Problems) {
    let Some(node) = source.parse(problems) else { return };
    let Some(mut file) = Fields::of(&node, "a clause file", problems) else { return };
    let document = file.require_text("document", problems).unwrap_or_default();
    for entry in file.map("clauses", problems) {
        let Some(mut fields) = Fields::of(&entry.value, "a clause", problems) else { continue };
        let unchecked = fields.text("unchecked", problems);
        let checked_by = checked_by(&mut fields, unchecked.is_some(), problems);
        let clause = Clause {
            id: entry.key.clone(),
            document: document.clone(),
            section: fields.require_text("section", problems).unwrap_or_default(),
            says: fields.require_text("says", problems).unwrap_or_default(),
            unchecked: checked_by.as_ref().map(|command| format!("checked by `paycheck {command}`")).or(unchecked),
            checked_by,
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
