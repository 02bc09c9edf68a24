//! Reads what a step expects of a response or a notification.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::Reader;
use crate::base::source::{Entry, Fields, Node};
use crate::spec::scenario::matcher::Matcher;
use crate::spec::scenario::parse::impossible::{self, ExpectedMessage};
use crate::spec::scenario::step::HttpExpectation;

impl Reader<'_, '_> {
    /// The expectation of each field of a message. What none of the documented messages can have is a mistake.
    pub(super) fn matchers(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        known: &BTreeSet<String>,
        messages: &[ExpectedMessage<'_>],
    ) -> IndexMap<String, Matcher> {
        let entries = fields.map(key, self.problems);
        let mut matchers = IndexMap::with_capacity(entries.len());
        for entry in entries {
            let is_known = self.must_be_known(
                entry,
                known,
                "the response has no documented field",
                "`paycheck contracts OPERATION` names the schema of its response, `paycheck show contracts/schemas` lists them",
            );
            if let Some(matcher) = self.matcher(&entry.value) {
                if is_known {
                    impossible::report(messages, &pointer_of(&entry.key), &entry.value, self.problems);
                }
                matchers.insert(entry.key.clone(), matcher);
            }
        }
        matchers
    }

    /// The expectation of the response: its fields or, for a list or a single matcher, one entry with an empty name.
    pub(super) fn response_matchers(
        &mut self,
        fields: &mut Fields<'_>,
        known: &BTreeSet<String>,
        messages: &[ExpectedMessage<'_>],
    ) -> IndexMap<String, Matcher> {
        let expected = fields.peek("expect").filter(|node| {
            let of_matcher = |entries: &[Entry]| entries.first().is_some_and(|entry| entry.key.starts_with('$'));
            node.list().is_some() || node.entries().is_some_and(of_matcher)
        });
        if expected.is_none() {
            return self.matchers(fields, "expect", known, messages);
        }
        let Some(expected) = fields.optional("expect") else { return IndexMap::new() };
        let Some(matcher) = self.matcher(expected) else { return IndexMap::new() };
        impossible::report(messages, "", expected, self.problems);
        IndexMap::from([(String::new(), matcher)])
    }

    /// A matcher whose names are all known here.
    pub(super) fn matcher(&mut self, node: &Node) -> Option<Matcher> {
        let matcher = Matcher::parse(node, self.problems)?;
        self.names_known(node, &matcher.names());
        Some(matcher)
    }

    pub(super) fn http(&mut self, fields: &mut Fields<'_>) -> HttpExpectation {
        let mut expectation = HttpExpectation::default();
        let Some(mut http) = fields.optional("http").and_then(|node| Fields::from_node(node, "http", self.problems)) else {
            return expectation;
        };
        expectation.status = http.optional("status").and_then(|node| self.matcher(node));
        for entry in http.map("headers", self.problems) {
            if let Some(matcher) = self.matcher(&entry.value) {
                expectation.headers.insert(entry.key.to_ascii_lowercase(), matcher);
            }
        }
        expectation.body = http.optional("body").and_then(|node| self.matcher(node)).map(Box::new);
        expectation.page = http.optional("page").and_then(|node| self.matcher(node)).map(Box::new);
        http.finish(self.problems);
        expectation
    }
}

/// The JSON Pointer to what a key names: a field, or a pointer already.
fn pointer_of(key: &str) -> String {
    if key.starts_with('/') { key.to_owned() } else { format!("/{key}") }
}
