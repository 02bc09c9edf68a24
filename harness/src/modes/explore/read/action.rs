//! Reads resources and actions.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::reader::Reader;
use crate::base::source::{Diagnostic, Entry, Fields, Node};
use crate::modes::explore::model::{CommandVerb, ModelAction, ModelResource, ModelTransition};
use crate::spec::scenario::{Template, request_fields};
use crate::spec::target::MAIN;

impl Reader<'_> {
    pub(super) fn resource(&mut self, entry: &Entry) -> Option<ModelResource> {
        let mut fields = Fields::from_node(&entry.value, "a resource", self.problems)?;
        let max = self.number(&mut fields, "max").unwrap_or(2);
        let unknown_id = fields.optional("unknown-id").map_or(Value::Null, Node::to_json);
        let known = self.names.of_entity(Some(&entry.key));
        // The initial variables are read with each creation, which knows what is sent.
        let _ = fields.map("initial", self.problems);
        let timed_transitions = fields.list("timed-transitions", self.problems);
        let timed_transitions = self.transitions(timed_transitions, &known);
        let unexpected_notification = fields.optional("unexpected-notification").and_then(|node| self.clause(node));
        fields.finish(self.problems);
        Some(ModelResource { max, unknown_id, timed_transitions, unexpected_notification })
    }

    pub(super) fn action(&mut self, entry: &Entry) -> Option<ModelAction> {
        let node = &entry.value;
        let mut fields = Fields::from_node(node, "an action", self.problems)?;
        let on = fields.text("on", self.problems);
        if let (Some(name), Some(place)) = (&on, fields.peek("on")) {
            self.check_resource(place, name);
        }
        let verb = self.verb(&mut fields, node);
        let of_entity = self.names.of_entity(on.as_ref());
        let with = self.inputs(&mut fields, &of_entity, verb.as_ref());
        let token = fields.optional("token").and_then(|node| self.template(node, &of_entity));
        let mut known = of_entity;
        known.extend(with.keys().cloned());
        known.extend(["known", "as", "call"].map(str::to_owned));
        known.extend(token.is_some().then(|| "bearer".to_owned()));
        let precondition = self.conditions(&mut fields, "precondition", &known);
        let identities = self.identities(&mut fields);
        let transitions = fields.require("transitions", self.problems).and_then(Node::list).unwrap_or_default();
        let transitions = self.transitions(transitions, &known);
        self.check_transitions(&entry.key, &transitions, node);
        let advances_clock_by = fields.text("advances-clock-by", self.problems);
        let action = ModelAction {
            id: entry.key.clone(),
            verb: verb?,
            on,
            try_unknown: fields.flag("try-unknown", self.problems),
            weight: self.number(&mut fields, "weight").unwrap_or(1),
            identities,
            example: fields.text("example", self.problems),
            with,
            token,
            precondition,
            read_only: fields.flag("read-only", self.problems),
            ends: fields.flag("ends", self.problems),
            race: fields.flag("race", self.problems),
            needs_setting: fields.flag("needs-setting", self.problems),
            advances_clock_by,
            transitions,
        };
        fields.finish(self.problems);
        Some(action)
    }

    fn transitions(&mut self, nodes: &[Node], known: &BTreeSet<String>) -> Vec<ModelTransition> {
        nodes.iter().filter_map(|node| self.transition(node, known)).collect()
    }

    fn check_transitions(&mut self, action: &str, transitions: &[ModelTransition], node: &Node) {
        let mut seen = BTreeSet::new();
        for transition in transitions.iter().filter(|transition| !seen.insert(transition.id.as_str())) {
            self.problems.add(Diagnostic::at(node, format!("two transitions of `{action}` are named `{}`", transition.id)));
        }
        if transitions.is_empty() {
            self.problems.add(Diagnostic::at(node, "an action has at least one transition"));
        }
    }

    fn verb(&mut self, fields: &mut Fields<'_>, node: &Node) -> Option<CommandVerb> {
        let (call_node, world_node) = (fields.peek("call"), fields.peek("world"));
        let operations = fields.texts("call", self.problems);
        let action = fields.text("world", self.problems);
        self.check_operations(&operations, call_node.unwrap_or(node));
        match (operations.is_empty(), action) {
            (false, None) => Some(CommandVerb::Call(operations)),
            (true, Some(action)) => {
                self.check_world_action(&action, world_node.unwrap_or(node));
                Some(CommandVerb::World(action))
            }
            (true, None) | (false, Some(_)) => {
                self.problems.add(Diagnostic::at(node, "an action has either `call` or `world`"));
                None
            }
        }
    }

    fn check_operations(&mut self, names: &[String], node: &Node) {
        let operations = &self.contracts.operations;
        for name in names.iter().filter(|name| !operations.contains_key(*name)) {
            let problem = Diagnostic::at(node, format!("there is no operation `{name}`"));
            self.problems.add(problem.names(name, operations.keys().map(String::as_str)));
        }
    }

    fn check_world_action(&mut self, name: &str, node: &Node) {
        let actions = &self.contracts.actions;
        if !actions.contains_key(name) {
            let problem = Diagnostic::at(node, format!("there is no world action `{name}`"));
            self.problems.add(problem.names(name, actions.keys().map(String::as_str)));
        }
    }

    /// The fields that are sent, each with the list of values it may have.
    fn inputs(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>, verb: Option<&CommandVerb>) -> IndexMap<String, Vec<Template>> {
        let sent = self.field_names(verb);
        let mut inputs = IndexMap::new();
        for entry in fields.map("with", self.problems) {
            if sent.as_ref().is_some_and(|sent| !sent.contains(&entry.key)) {
                let message = format!("what is sent has no field `{}`", entry.key);
                let problem = Diagnostic::new(&entry.value.source, entry.key_span, message);
                self.problems.add(problem.names(&entry.key, sent.iter().flatten().map(String::as_str)));
            }
            // A field `id` may hide the entity's identifier; transitions then cannot name that.
            if known.contains(&entry.key) && entry.key != "id" {
                let message = format!("`{}` is a variable of the model; what is sent needs another name for it", entry.key);
                self.problems.add(Diagnostic::new(&entry.value.source, entry.key_span, message));
            }
            let values = entry.value.list().unwrap_or(std::slice::from_ref(&entry.value));
            inputs.insert(entry.key.clone(), values.iter().filter_map(|value| self.template(value, known)).collect());
        }
        inputs
    }

    /// The names of the fields that may be sent; none if any name may be.
    fn field_names(&self, verb: Option<&CommandVerb>) -> Option<BTreeSet<String>> {
        match verb? {
            CommandVerb::Call(operations) => {
                let operations = operations.iter().filter_map(|name| self.contracts.operations.get(name));
                Some(operations.flat_map(request_fields).collect())
            }
            CommandVerb::World(name) => {
                let action = self.contracts.actions.get(name).filter(|action| !action.open)?;
                Some(action.parameters.keys().cloned().collect())
            }
        }
    }

    fn identities(&mut self, fields: &mut Fields<'_>) -> IndexMap<String, u32> {
        let mut identities = IndexMap::new();
        for entry in fields.map("as", self.problems) {
            match entry.value.to_json().as_u64().and_then(|weight| u32::try_from(weight).ok()) {
                Some(weight) => _ = identities.insert(entry.key.clone(), weight),
                None => self.problems.add(Diagnostic::at(&entry.value, "the weight of an identity is a whole number")),
            }
        }
        if identities.is_empty() {
            identities.insert(MAIN.to_owned(), 1);
        }
        identities
    }
}
