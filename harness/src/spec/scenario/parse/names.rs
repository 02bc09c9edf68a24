//! What a script may name: the clauses and fields of the contracts.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use crate::base::source::{Diagnostic, Node, Problems};
use crate::spec::contract::{Contracts, Operation};

/// The clauses that a script or a step names, one or several.
pub(super) fn clauses(node: Option<&Node>, contracts: &Contracts, problems: &mut Problems) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    let items = node.list().unwrap_or(std::slice::from_ref(node));
    let ids = items.iter().filter_map(|item| {
        let id = item.text().unwrap_or_default();
        match contracts.clauses.get(id) {
            Some(clause) if clause.unchecked.is_some() => {
                problems.add(Diagnostic::at(item, format!("the clause `{id}` is declared as `unchecked`, but this checks it")));
                None
            }
            Some(_) => Some(id.to_owned()),
            None => {
                let problem = Diagnostic::at(item, format!("the clause `{id}` is not declared in contracts/clauses/"));
                problems.add(problem.names(id, contracts.clauses.keys().map(String::as_str)));
                None
            }
        }
    });
    ids.collect()
}

/// The fields of each operation. A set of scripts asks for those of the same few operations thousands of times.
pub(super) struct FieldNames<'c> {
    contracts: &'c Contracts,
    requests: HashMap<&'c str, Rc<BTreeSet<String>>>,
    responses: HashMap<&'c str, Rc<BTreeSet<String>>>,
    notifications: Option<Rc<BTreeSet<String>>>,
}

impl<'c> FieldNames<'c> {
    pub(super) fn new(contracts: &'c Contracts) -> Self {
        Self { contracts, requests: HashMap::new(), responses: HashMap::new(), notifications: None }
    }

    /// Every field that a request of one of these operations may have.
    pub(super) fn of_requests(&mut self, operations: &[&'c Operation]) -> Rc<BTreeSet<String>> {
        let fields = |operation: &'c Operation| request_fields(operation).into_iter().collect::<BTreeSet<_>>();
        union(operations.iter().map(|o| Rc::clone(self.requests.entry(&o.id).or_insert_with(|| Rc::new(fields(o))))))
    }

    /// Every field that a notification may have.
    pub(super) fn of_notifications(&mut self) -> Rc<BTreeSet<String>> {
        let contracts = self.contracts;
        let fields = || Rc::new(contracts.notifications.values().flat_map(request_fields).collect());
        Rc::clone(self.notifications.get_or_insert_with(fields))
    }

    /// Every field that a response of one of these operations may have.
    pub(super) fn of_responses(&mut self, operations: &[&'c Operation]) -> Rc<BTreeSet<String>> {
        let contracts = self.contracts;
        let fields = |operation: &'c Operation| response_fields(operation, contracts).into_iter().collect::<BTreeSet<_>>();
        union(operations.iter().map(|o| Rc::clone(self.responses.entry(&o.id).or_insert_with(|| Rc::new(fields(o))))))
    }
}

fn union(mut sets: impl Iterator<Item = Rc<BTreeSet<String>>>) -> Rc<BTreeSet<String>> {
    let mut all = sets.next().unwrap_or_default();
    sets.for_each(|set| Rc::make_mut(&mut all).extend(set.iter().cloned()));
    all
}

/// Every field that a request may have: path parameters, body fields, fields of examples.
pub(crate) fn request_fields(operation: &Operation) -> Vec<String> {
    let mut names: Vec<String> = operation.parameters().map(str::to_owned).collect();
    names.extend(operation.examples.values().flat_map(|e| e.keys().cloned()));
    if let Some(content) = &operation.request {
        property_names(&content.schema.expanded, &mut names);
    }
    names
}

/// Every field that a response may have, including those that it may echo from the creation.
fn response_fields(operation: &Operation, contracts: &Contracts) -> Vec<String> {
    let mut names = Vec::new();
    for content in operation.response.iter().chain(&operation.unavailable).chain(&operation.error_response) {
        property_names(&content.schema.expanded, &mut names);
    }
    let shown = operation.shows.as_ref().map(|shows| shows.about.resource.as_str());
    let creating = contracts.operations.values().filter(|o| o.creates.as_ref().map(|c| c.resource.as_str()) == shown && shown.is_some());
    names.extend(creating.flat_map(request_fields));
    names
}

fn property_names(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            for (key, below) in map {
                if key == "properties" {
                    names.extend(below.as_object().into_iter().flatten().map(|(name, _)| name.clone()));
                } else {
                    property_names(below, names);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| property_names(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
