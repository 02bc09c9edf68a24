//! Reads transitions and their outcomes.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::reader::Reader;
use crate::base::source::{Diagnostic, Fields, Node};
use crate::modes::explore::model::{
    AllowedOutcome, BulkUpdate, ConditionalExpectation, Creation, ExpectedResponse, ModelTransition, NotificationRule,
};
use crate::spec::scenario::{Matcher, Template};
use crate::wire::expression::text_of;

impl Reader<'_> {
    pub(super) fn transition(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<ModelTransition> {
        let mut fields = Fields::from_node(node, "a transition", self.problems)?;
        let id = fields.require_text("id", self.problems);
        let clause = fields.optional("clause").and_then(|node| self.clause(node));
        let when = self.conditions(&mut fields, "when", known);
        let field_clauses = fields.map("field-clauses", self.problems);
        let field_clauses = field_clauses.iter().filter_map(|entry| Some((entry.key.clone(), self.clause(&entry.value)?))).collect();
        let outcomes = match fields.optional("outcomes") {
            None => vec![self.outcome(&mut fields, known)],
            Some(list) => list.list().unwrap_or_default().iter().filter_map(|node| self.listed_outcome(node, known)).collect(),
        };
        fields.finish(self.problems);
        if outcomes.is_empty() {
            self.problems.add(Diagnostic::at(node, "`outcomes` is a list of at least one"));
        }
        let place = format!("{}:{}:{}", node.source.path, node.span.line, node.span.column);
        Some(ModelTransition { id: id?, clause, field_clauses, when, outcomes, place })
    }

    fn listed_outcome(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<AllowedOutcome> {
        let mut fields = Fields::from_node(node, "an outcome", self.problems)?;
        let when = self.conditions(&mut fields, "when", known);
        let outcome = self.outcome(&mut fields, known);
        fields.finish(self.problems);
        Some(AllowedOutcome { when, ..outcome })
    }

    fn outcome(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> AllowedOutcome {
        let response = fields.optional("response").map_or(ExpectedResponse::Accepted, |node| self.response(node));
        let expect = self.expected_fields(fields, known);
        let expect_when = fields.list("expect-when", self.problems);
        let expect_when = expect_when.iter().filter_map(|node| self.conditional_expectation(node, known)).collect();
        let keep = self.kept_variables(fields, known);
        let mut known = known.clone();
        known.insert("response".to_owned());
        let known = &known;
        AllowedOutcome {
            when: IndexMap::new(),
            response,
            expect,
            expect_when,
            keep,
            set: self.templates(fields, "set", known),
            set_shared: self.templates(fields, "set-shared", known),
            creates: fields.optional("creates").and_then(|node| self.creation(node, known)),
            set_each: fields.list("set-each", self.problems).iter().filter_map(|node| self.bulk_update(node, known)).collect(),
            notify: fields.optional("notify").and_then(|node| self.notification_rule(node)),
            assumed: fields.flag("assumed", self.problems),
        }
    }

    fn expected_fields(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let expect = fields.map("expect", self.problems);
        expect.iter().filter_map(|entry| Some((entry.key.clone(), self.matcher(&entry.value, known)?))).collect()
    }

    fn conditional_expectation(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<ConditionalExpectation> {
        let mut fields = Fields::from_node(node, "an item of `expect-when`", self.problems)?;
        let clause = fields.require("clause", self.problems).and_then(|node| self.clause(node));
        let when = self.conditions(&mut fields, "when", known);
        let expect = self.expected_fields(&mut fields, known);
        fields.finish(self.problems);
        Some(ConditionalExpectation { clause: clause?, when, expect })
    }

    /// Variables that the response gives new values; every entity must have them from the beginning.
    fn kept_variables(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> IndexMap<String, String> {
        let mut kept = IndexMap::new();
        for entry in fields.map("keep", self.problems) {
            self.check_variable(entry, known);
            kept.extend(entry.value.text().map(|place| (entry.key.clone(), place.to_owned())));
        }
        kept
    }

    fn response(&mut self, node: &Node) -> ExpectedResponse {
        match node.text() {
            Some("accepted") => ExpectedResponse::Accepted,
            Some("refused") => ExpectedResponse::Refused,
            Some("any") => ExpectedResponse::Any,
            _ => ExpectedResponse::Codes(self.codes(node)),
        }
    }

    fn codes(&mut self, node: &Node) -> Vec<String> {
        let items = node.list().unwrap_or(std::slice::from_ref(node));
        let codes: Vec<String> = items.iter().filter_map(|item| text_of(&item.to_json())).collect();
        let is_word = |text: &str| text.chars().all(|c| c.is_ascii_lowercase());
        if codes.len() != items.len() || node.text().is_some_and(is_word) {
            let message = "a response is `accepted`, `refused`, `any`, a code, or a list of codes";
            self.problems.add(Diagnostic::at(node, message));
        }
        codes
    }

    fn creation(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Creation> {
        let mut fields = Fields::from_node(node, "`creates`", self.problems)?;
        let resource = self.resource_name(&mut fields);
        let id = fields.require_text("id", self.problems);
        let keep = fields.map("keep", self.problems);
        let keep = keep.iter().filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned()))).collect();
        let own = self.templates(&mut fields, "with", known);
        let mut variables = self.initial_variables(resource.as_deref(), &own, known);
        variables.extend(own);
        fields.finish(self.problems);
        Some(Creation { resource: resource?, id: id?, keep, variables })
    }

    /// The initial variables of a resource that the creation does not set itself. Their templates may need fields that only
    /// other actions send.
    fn initial_variables(
        &mut self,
        resource: Option<&str>,
        own: &IndexMap<String, Template>,
        known: &BTreeSet<String>,
    ) -> IndexMap<String, Template> {
        let resource = self.resources.iter().find(|entry| Some(entry.key.as_str()) == resource);
        let initial = resource.and_then(|entry| entry.value.get("initial")).and_then(Node::entries).unwrap_or_default();
        let initial = initial.iter().filter(|entry| !own.contains_key(&entry.key));
        initial.filter_map(|entry| Some((entry.key.clone(), self.template(&entry.value, known)?))).collect()
    }

    fn bulk_update(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<BulkUpdate> {
        let mut fields = Fields::from_node(node, "an item of `set-each`", self.problems)?;
        let resource = self.resource_name(&mut fields);
        let mut known = known.clone();
        known.extend(self.names.of_entity(resource.as_ref()));
        let when = self.conditions(&mut fields, "when", &known);
        let set = self.templates(&mut fields, "set", &known);
        fields.finish(self.problems);
        Some(BulkUpdate { resource: resource?, when, set })
    }

    /// The name of a resource that the model has.
    fn resource_name(&mut self, fields: &mut Fields<'_>) -> Option<String> {
        let name = fields.require_text("resource", self.problems);
        if let (Some(name), Some(place)) = (&name, fields.peek("resource")) {
            self.check_resource(place, name);
        }
        name
    }

    fn notification_rule(&mut self, node: &Node) -> Option<NotificationRule> {
        let mut fields = Fields::from_node(node, "`notify`", self.problems)?;
        let state = fields.require_text("state", self.problems);
        let clause = fields.require("clause", self.problems).and_then(|node| self.clause(node));
        fields.finish(self.problems);
        Some(NotificationRule { state: state?, clause: clause? })
    }
}
