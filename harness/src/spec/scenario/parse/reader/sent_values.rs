//! Reads the values that a step sends, and those that it removes.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::Reader;
use crate::base::source::{Diagnostic, Fields, Node, NodeKind};
use crate::spec::scenario::template::Template;

/// The key of `extra` and `query` that names parts of the credentials.
const CREDENTIALS: &str = "$credentials";

impl Reader<'_, '_> {
    pub(super) fn values(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        known: Option<&BTreeSet<String>>,
    ) -> IndexMap<String, Template> {
        let entries = fields.map(key, self.problems);
        let mut values = IndexMap::with_capacity(entries.len());
        for entry in entries {
            if let Some(known) = known {
                self.must_be_known(entry, known, "the request has no field", "send it under `extra` if that is what you mean");
            }
            if let Some(value) = self.template(&entry.value) {
                values.insert(entry.key.clone(), value);
            }
        }
        values
    }

    /// Values, and the parts of the credentials that are sent beside them: `$credentials: [secret]`.
    pub(super) fn values_and_credentials(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
    ) -> (IndexMap<String, Template>, Vec<String>) {
        let node = fields.peek(key).and_then(Node::entries).into_iter().flatten().find(|entry| entry.key == CREDENTIALS);
        let parts = node.map(|entry| self.credential_parts(&entry.value)).unwrap_or_default();
        let mut values = self.values(fields, key, None);
        values.shift_remove(CREDENTIALS);
        (values, parts)
    }

    /// Parts of credentials. One that no call knows would never be sent, and every call without it is refused.
    fn credential_parts(&mut self, node: &Node) -> Vec<String> {
        let NodeKind::List(items) = &node.kind else {
            self.problems.add(Diagnostic::at(node, "`$credentials` takes a list of parts of the credentials").help("for example [secret]"));
            return Vec::new();
        };
        let known = &self.contracts.credential_parts;
        for item in items.iter().filter(|item| !item.text().is_some_and(|name| known.iter().any(|part| part == name))) {
            let problem = Diagnostic::at(item, "there is no such part of the credentials");
            self.problems.add(problem.names(item.text().unwrap_or_default(), known.iter().map(String::as_str)));
        }
        items.iter().filter_map(Node::text).map(str::to_owned).collect()
    }

    pub(super) fn removed(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> Vec<String> {
        let Some(node) = fields.optional("without") else { return Vec::new() };
        let items = node.list().unwrap_or(std::slice::from_ref(node));
        let names = items.iter().filter_map(|item| {
            let name = item.text()?.to_owned();
            if !known.contains(&name) {
                let problem = Diagnostic::at(item, format!("the request has no field `{name}`"));
                self.problems.add(problem.names(&name, known.iter().map(String::as_str)));
            }
            Some(name)
        });
        names.collect()
    }
}
