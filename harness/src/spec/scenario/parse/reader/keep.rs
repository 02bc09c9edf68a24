//! Reads what a step keeps for later ones.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Reader;
use crate::base::source::{Diagnostic, Entry, Fields, Node, NodeKind};
use crate::spec::scenario::step::{Keep, Kept};

impl Reader<'_, '_> {
    pub(super) fn keep(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> Vec<Keep> {
        let entries = fields.map("keep", self.problems);
        let mut kept = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some((from, otherwise)) = self.kept_or(&entry.value, known) else { continue };
            self.known.insert(entry.key.clone());
            kept.push(Keep { name: entry.key.clone(), from, otherwise });
        }
        kept
    }

    /// What is kept, and what instead where the response has none.
    fn kept_or(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<(Kept, Option<Value>)> {
        if node.entries().is_none_or(|entries| entries.iter().all(|entry| entry.key != "otherwise")) {
            return Some((self.kept(node, known)?, None));
        }
        let mut fields = Fields::from_node(node, "what is kept", self.problems)?;
        let otherwise = fields.optional("otherwise").map(Node::to_json);
        let field = fields.require("field", self.problems);
        fields.finish(self.problems);
        Some((self.kept(field?, known)?, otherwise))
    }

    fn kept(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Kept> {
        if matches!(node.kind, NodeKind::Map(_)) {
            let mut fields = Fields::from_node(node, "what is kept", self.problems)?;
            if let Some(wanted) = fields.optional("item") {
                let list = fields.optional("in").and_then(Node::text).unwrap_or_default().to_owned();
                fields.finish(self.problems);
                return self.matcher(wanted).map(|wanted| Kept::Item { list, wanted });
            }
            if let Some(part) = fields.optional("http") {
                fields.finish(self.problems);
                return self.kept_of_http(part);
            }
            let header = fields.require_text("header", self.problems);
            fields.finish(self.problems);
            return header.map(|name| Kept::Header(name.to_ascii_lowercase()));
        }
        let Some(place) = node.text() else {
            self.problems.add(Diagnostic::at(
                node,
                "what is kept is a field of the response, a JSON Pointer, `{ field: NAME, otherwise: VALUE }`, `{ header: NAME }`, `{ item: MATCHER, in: LIST }`, or `{ http: page }`",
            ));
            return None;
        };
        let pointer = if place.starts_with('/') { place.to_owned() } else { format!("/{place}") };
        let field = Entry { key: pointer.clone(), key_span: node.span, value: node.clone() };
        self.must_be_known(
            &field,
            known,
            "the response has no documented field",
            "`paycheck contracts OPERATION` names the schema of its response, `paycheck show contracts/schemas` lists them",
        );
        Some(Kept::Body(pointer))
    }

    fn kept_of_http(&mut self, part: &Node) -> Option<Kept> {
        let is_page = part.text() == Some("page");
        if !is_page {
            self.problems.add(Diagnostic::at(part, "what is kept of the HTTP response as a whole is its `page`"));
        }
        is_page.then_some(Kept::Page)
    }
}
