//! Reading models strictly: operations, actions of the world, resources, clauses and every name in a template are
//! known before the first request, and all mistakes of all files are told together.

mod names;
mod row;

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::model::{Action, Model, Resource, Verb};
use crate::contract::{Contracts, Files};
use crate::scenario::{Matcher, Template};
use crate::source::{Diagnostic, Entry, Fields, Kind, Node, Problems, Source};
use crate::target::MAIN;
use names::Names;

/// Reads every model of a set, in the order of their files.
pub fn read_all(files: &Files, contracts: &Contracts) -> Result<Vec<Model>, Problems> {
    let mut problems = Problems::new();
    let sources = files.matching(|path| path.starts_with("models/"));
    let models = sources.filter_map(|(_, source)| read(source, contracts, &mut problems)).collect();
    problems.or(models)
}

/// Reads one model.
fn read(source: &Arc<Source>, contracts: &Contracts, problems: &mut Problems) -> Option<Model> {
    let node = source.parse(problems)?;
    let mut file = Fields::of(&node, "a model", problems)?;
    let api = file.require_text("api", problems);
    let document = file.require_text("document", problems);
    let setting = plain(file.map("setting", problems));
    let shared = plain(file.map("shared", problems));
    let resources = file.map("resources", problems);
    let actions = file.map("actions", problems);
    file.finish(problems);
    let mut reader = Reader { contracts, names: Names::of(&shared, resources, actions), resources, problems };
    let resources = resources.iter().filter_map(|entry| Some((entry.key.clone(), reader.resource(entry)?))).collect();
    let actions = actions.iter().filter_map(|entry| reader.action(entry)).collect();
    Some(Model { api: api?, document: document?, setting, shared, resources, actions })
}

fn plain(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect()
}

/// Reads the parts of one file.
struct Reader<'r> {
    contracts: &'r Contracts,
    names: Names,
    /// The resources as they stand in the file.
    resources: &'r [Entry],
    problems: &'r mut Problems,
}

impl Reader<'_> {
    fn resource(&mut self, entry: &Entry) -> Option<Resource> {
        let mut fields = Fields::of(&entry.value, "a resource", self.problems)?;
        let most = fields.whole("most", self.problems).and_then(|most| usize::try_from(most).ok()).unwrap_or(2);
        let unknown = fields.take("unknown").map_or(Value::Null, Node::to_json);
        let known = self.names.of_thing(Some(&entry.key));
        // What it begins with is read with every creation, which knows what is sent.
        let _ = fields.map("begins", self.problems);
        let time = fields.list("time", self.problems).iter().filter_map(|node| self.row(node, &known)).collect();
        let unnotified = fields.take("unnotified").and_then(|node| self.clause(node));
        fields.finish(self.problems);
        Some(Resource { most, unknown, time, unnotified })
    }

    fn action(&mut self, entry: &Entry) -> Option<Action> {
        let node = &entry.value;
        let mut fields = Fields::of(node, "an action", self.problems)?;
        let on = fields.text("on", self.problems);
        if let (Some(name), Some(place)) = (&on, fields.peek("on")) {
            self.known_resource(place, name);
        }
        let verb = self.verb(&mut fields, node);
        let of_thing = self.names.of_thing(on.as_ref());
        let with = self.inputs(&mut fields, &of_thing, verb.as_ref());
        let token = fields.take("token").and_then(|node| self.template(node, &of_thing));
        let mut known = of_thing;
        known.extend(with.keys().cloned());
        known.extend(["known", "as", "call"].map(str::to_owned));
        known.extend(token.is_some().then(|| "bearer".to_owned()));
        let may = self.conditions(&mut fields, "may", &known);
        let identities = self.identities(&mut fields);
        let rows_node = fields.require("rows", self.problems);
        let rows = rows_node.and_then(Node::list).unwrap_or_default().iter().filter_map(|node| self.row(node, &known)).collect::<Vec<_>>();
        let passes = fields.text("passes", self.problems);
        let action = Action {
            id: entry.key.clone(),
            verb: verb?,
            on,
            unknown: fields.flag("unknown", self.problems),
            often: fields.whole("often", self.problems).and_then(|often| u32::try_from(often).ok()).unwrap_or(1),
            identities,
            example: fields.text("example", self.problems),
            with,
            token,
            may,
            reads: fields.flag("reads", self.problems),
            race: fields.flag("race", self.problems),
            needs_setting: fields.flag("needs-setting", self.problems),
            passes,
            rows,
        };
        fields.finish(self.problems);
        self.unique_rows(&action, node);
        Some(action)
    }

    fn unique_rows(&mut self, action: &Action, node: &Node) {
        let mut seen = BTreeSet::new();
        for row in action.rows.iter().filter(|row| !seen.insert(row.id.as_str())) {
            self.problems.add(Diagnostic::at(node, format!("two rows of `{}` are named `{}`", action.id, row.id)));
        }
        if action.rows.is_empty() {
            self.problems.add(Diagnostic::at(node, "an action has at least one row"));
        }
    }

    fn verb(&mut self, fields: &mut Fields<'_>, node: &Node) -> Option<Verb> {
        let calls = fields.peek("call");
        let names = fields.texts("call", self.problems);
        let world = fields.peek("world");
        let action = fields.text("world", self.problems);
        let operations: Vec<&str> = self.contracts.operations.keys().map(String::as_str).collect();
        for name in names.iter().filter(|name| !operations.contains(&name.as_str())) {
            let problem = Diagnostic::at(calls.unwrap_or(node), format!("there is no operation `{name}`"));
            self.problems.add(problem.names(name, operations.iter().copied()));
        }
        match (names.is_empty(), action) {
            (false, None) => Some(Verb::Call(names)),
            (true, Some(action)) => {
                if !self.contracts.actions.contains_key(&action) {
                    let problem = Diagnostic::at(world.unwrap_or(node), format!("there is no world action `{action}`"));
                    self.problems.add(problem.names(&action, self.contracts.actions.keys().map(String::as_str)));
                }
                Some(Verb::World(action))
            }
            (true, None) | (false, Some(_)) => {
                self.problems.add(Diagnostic::at(node, "an action is either `call` or `world`"));
                None
            }
        }
    }

    /// The fields that are sent: a list has the values that one may have.
    fn inputs(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>, verb: Option<&Verb>) -> IndexMap<String, Vec<Template>> {
        let sent = self.fields_of(verb);
        let mut inputs = IndexMap::new();
        for entry in fields.map("with", self.problems) {
            if sent.as_ref().is_some_and(|sent| !sent.contains(&entry.key)) {
                let message = format!("what is sent has no field `{}`", entry.key);
                let problem = Diagnostic::new(&entry.value.source, entry.key_span, message);
                self.problems.add(problem.names(&entry.key, sent.iter().flatten().map(String::as_str)));
            }
            // An `id` that is sent is another one than that of the thing, which rows then can't name.
            if known.contains(&entry.key) && entry.key != "id" {
                let message = format!("`{}` is a variable of the model; what is sent needs another name for it", entry.key);
                self.problems.add(Diagnostic::new(&entry.value.source, entry.key_span, message));
            }
            let ways = entry.value.list().unwrap_or(std::slice::from_ref(&entry.value));
            inputs.insert(entry.key.clone(), ways.iter().filter_map(|way| self.template(way, known)).collect());
        }
        inputs
    }

    /// The names of what may be sent; none where anything may.
    fn fields_of(&self, verb: Option<&Verb>) -> Option<BTreeSet<String>> {
        match verb? {
            Verb::Call(operations) => {
                let known = operations.iter().filter_map(|name| self.contracts.operations.get(name));
                Some(known.flat_map(crate::scenario::request_fields).collect())
            }
            Verb::World(name) => {
                let action = self.contracts.actions.get(name).filter(|action| !action.open)?;
                Some(action.parameters.keys().cloned().collect())
            }
        }
    }

    fn identities(&mut self, fields: &mut Fields<'_>) -> IndexMap<String, u32> {
        let mut identities = IndexMap::new();
        for entry in fields.map("as", self.problems) {
            match entry.value.to_json().as_u64().and_then(|often| u32::try_from(often).ok()) {
                Some(often) => _ = identities.insert(entry.key.clone(), often),
                None => self.problems.add(Diagnostic::at(&entry.value, "how often is a whole number")),
            }
        }
        if identities.is_empty() {
            identities.insert(MAIN.to_owned(), 1);
        }
        identities
    }

    fn conditions(&mut self, fields: &mut Fields<'_>, key: &'static str, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let mut conditions = IndexMap::new();
        for entry in fields.map(key, self.problems) {
            if !known.contains(&entry.key) {
                let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("nothing named `{}` is known here", entry.key));
                self.problems.add(problem.names(&entry.key, known.iter().map(String::as_str)));
            }
            conditions.extend(self.matcher(&entry.value, known).map(|matcher| (entry.key.clone(), matcher)));
        }
        conditions
    }

    fn matcher(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Matcher> {
        let matcher = Matcher::parse(node, self.problems)?;
        self.names_known(node, &matcher.names(), known);
        Some(matcher)
    }

    fn template(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Template> {
        let parsed = Template::parse(&node.to_json());
        let template = parsed.map_err(|e| self.problems.add(Diagnostic::at(node, format!("this template can't be read: {e}")))).ok()?;
        self.names_known(node, &template.names(), known);
        Some(template)
    }

    fn names_known(&mut self, node: &Node, names: &BTreeSet<String>, known: &BTreeSet<String>) {
        for name in names.iter().filter(|name| !known.contains(*name)) {
            let problem = Diagnostic::at(node, format!("nothing named `{name}` is known here"));
            self.problems.add(problem.names(name, known.iter().map(String::as_str)));
        }
    }

    fn known_resource(&mut self, node: &Node, name: &str) {
        if !self.names.resources().any(|known| known == name) {
            let problem = Diagnostic::at(node, format!("this model has no resource `{name}`"));
            self.problems.add(problem.names(name, self.names.resources()));
        }
    }

    fn clause(&mut self, node: &Node) -> Option<String> {
        let id = node.text().unwrap_or_default();
        if !self.contracts.clauses.contains_key(id) {
            let problem = Diagnostic::at(node, format!("the clause `{id}` is not declared in contracts/clauses/"));
            self.problems.add(problem.names(id, self.contracts.clauses.keys().map(String::as_str)));
        }
        (!matches!(node.kind, Kind::Null)).then(|| id.to_owned())
    }
}

#[cfg(test)]
mod tests;
