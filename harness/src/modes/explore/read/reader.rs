//! What every part of a model is read with: conditions, templates, clauses, and the names that each may use.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::variables::VariableNames;
use crate::base::source::{Diagnostic, Entry, Fields, Node, NodeKind, Problems};
use crate::spec::contract::Contracts;
use crate::spec::scenario::{Matcher, Template};

/// Reads the parts of one file.
pub(super) struct Reader<'r> {
    pub(super) contracts: &'r Contracts,
    pub(super) names: VariableNames,
    /// The resources as written in the file.
    pub(super) resources: &'r [Entry],
    pub(super) problems: &'r mut Problems,
}

impl Reader<'_> {
    /// A mapping of variables to the matchers that must accept them.
    pub(super) fn conditions(&mut self, fields: &mut Fields<'_>, key: &'static str, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let mut conditions = IndexMap::new();
        for entry in fields.map(key, self.problems) {
            self.check_variable(entry, known);
            conditions.extend(self.matcher(&entry.value, known).map(|matcher| (entry.key.clone(), matcher)));
        }
        conditions
    }

    /// A mapping of variables to the templates of their values.
    pub(super) fn templates(&mut self, fields: &mut Fields<'_>, key: &'static str, known: &BTreeSet<String>) -> IndexMap<String, Template> {
        let entries = fields.map(key, self.problems);
        entries.iter().filter_map(|entry| Some((entry.key.clone(), self.template(&entry.value, known)?))).collect()
    }

    pub(super) fn matcher(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Matcher> {
        let matcher = Matcher::parse(node, self.problems)?;
        self.check_names(node, &matcher.names(), known);
        Some(matcher)
    }

    pub(super) fn template(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Template> {
        let parsed = Template::parse(&node.to_json());
        let template = parsed.map_err(|e| self.problems.add(Diagnostic::at(node, format!("this template can't be read: {e}")))).ok()?;
        self.check_names(node, &template.names(), known);
        Some(template)
    }

    /// The id of a declared clause.
    pub(super) fn clause(&mut self, node: &Node) -> Option<String> {
        let id = node.text().unwrap_or_default();
        if !self.contracts.clauses.contains_key(id) {
            let problem = Diagnostic::at(node, format!("the clause `{id}` is not declared in contracts/clauses/"));
            self.problems.add(problem.names(id, self.contracts.clauses.keys().map(String::as_str)));
        }
        (!matches!(node.kind, NodeKind::Null)).then(|| id.to_owned())
    }

    /// A positive number that may be absent.
    pub(super) fn number<N: TryFrom<u64>>(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<N> {
        let node = fields.peek(key).cloned();
        let number = fields.integer(key, self.problems)?;
        let read = N::try_from(number).ok();
        if let (None, Some(node)) = (&read, node) {
            self.problems.add(Diagnostic::at(&node, format!("{number} is too large here")));
        }
        read
    }

    /// Checks that a key names a variable.
    pub(super) fn check_variable(&mut self, entry: &Entry, known: &BTreeSet<String>) {
        if !known.contains(&entry.key) {
            let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("nothing named `{}` is known here", entry.key));
            self.problems.add(problem.names(&entry.key, known.iter().map(String::as_str)));
        }
    }

    fn check_names(&mut self, node: &Node, names: &BTreeSet<String>, known: &BTreeSet<String>) {
        for name in names.iter().filter(|name| !known.contains(*name)) {
            let problem = Diagnostic::at(node, format!("nothing named `{name}` is known here"));
            self.problems.add(problem.names(name, known.iter().map(String::as_str)));
        }
    }

    /// Checks that the model has a resource.
    pub(super) fn check_resource(&mut self, node: &Node, name: &str) {
        if !self.names.resources().any(|known| known == name) {
            let problem = Diagnostic::at(node, format!("this model has no resource `{name}`"));
            self.problems.add(problem.names(name, self.names.resources()));
        }
    }
}
