//! The index of all rules: `contracts/clauses/*.yaml`.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::base::source::{Diagnostic, Fields, Node, Problems, Source, Span};

/// One normative rule of the documents.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Its id.
    pub id: String,
    /// Its document.
    pub document: String,
    /// The section of that document.
    pub section: String,
    /// The line of that document that holds the rule.
    pub line: Option<usize>,
    /// The field that the rule is about, where a step names clauses of several fields and only those of the fields that differ are
    /// to be reported.
    pub about: Option<String>,
    /// The rule in our words, as a sentence.
    pub says: String,
    /// Why a run against a target does not check it, if it doesn't.
    pub unchecked: Option<String>,
    /// The command that checks it instead: `notify`.
    pub checked_by: Option<String>,
    pub(super) place: (Arc<Source>, Span),
}

impl Clause {
    /// Where the contracts declare it: `clauses/gateway.yaml:12`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.place.0.path, self.place.1.line)
    }
}

/// The commands that check what a run against a target cannot.
const COMMANDS: [&str; 1] = ["notify"];

/// The command that checks the clause, if it is not `verify`.
fn checked_by(fields: &mut Fields<'_>, unchecked: bool, problems: &mut Problems) -> Option<String> {
    let node = fields.optional("checked-by")?;
    let command = node.text().unwrap_or_default().to_owned();
    if !COMMANDS.contains(&command.as_str()) {
        problems.add(Diagnostic::at(node, format!("no command `{command}` checks clauses")).names(&command, COMMANDS));
    }
    if unchecked {
        problems.add(Diagnostic::at(node, "a clause is either `unchecked` or `checked-by` something"));
    }
    Some(command)
}

/// The line of the document, counted from 1.
fn line(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<usize> {
    let node = fields.optional("line")?;
    let line = node.to_json().as_u64().and_then(|line| usize::try_from(line).ok()).filter(|line| *line > 0);
    if line.is_none() {
        problems.add(Diagnostic::at(node, "a line is a whole number from 1"));
    }
    line
}

/// Reads one file into the index.
pub(super) fn read(root: &Node, clauses: &mut IndexMap<String, Clause>, problems: &mut Problems) {
    let Some(mut file) = Fields::from_node(root, "a clause file", problems) else { return };
    let document = file.require_text("document", problems).unwrap_or_default();
    for entry in file.map("clauses", problems) {
        let Some(mut fields) = Fields::from_node(&entry.value, "a clause", problems) else { continue };
        let unchecked = fields.text("unchecked", problems);
        let checked_by = checked_by(&mut fields, unchecked.is_some(), problems);
        let clause = Clause {
            id: entry.key.clone(),
            document: document.clone(),
            section: fields.require_text("section", problems).unwrap_or_default(),
            line: line(&mut fields, problems),
            about: fields.text("about", problems),
            says: fields.require_text("says", problems).unwrap_or_default(),
            unchecked: checked_by.as_ref().map(|command| format!("checked by `paycheck {command}`")).or(unchecked),
            checked_by,
            place: (Arc::clone(&root.source), entry.key_span),
        };
        fields.finish(problems);
        if let Some(first) = clauses.insert(entry.key.clone(), clause) {
            let message = format!("the clause `{}` is already declared in {}:{}", entry.key, first.place.0.path, first.place.1.line);
            problems.add(Diagnostic::new(&root.source, entry.key_span, message));
        }
    }
    file.finish(problems);
}
