//! The names that a model gives to what it knows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::source::{Entry, Node};

/// Which variables there are: of the world, and of each resource.
pub(super) struct Names {
    shared: BTreeSet<String>,
    of: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    /// A resource has the variables that its creations give it.
    pub(super) fn of(shared: &Map<String, Value>, resources: &[Entry], actions: &[Entry]) -> Self {
        let shared = shared.keys().cloned().chain(["now".to_owned()]).collect();
        let own = |resource: &Node| {
            let begins = resource.get("begins").and_then(Node::entries).unwrap_or_default();
            begins.iter().map(|entry| entry.key.clone()).chain(["id".to_owned()]).collect()
        };
        let mut of: BTreeMap<String, BTreeSet<String>> = resources.iter().map(|entry| (entry.key.clone(), own(&entry.value))).collect();
        for creation in actions.iter().flat_map(|action| creations(&action.value)) {
            let Some(variables) = creation.get("resource").and_then(Node::text).and_then(|name| of.get_mut(name)) else { continue };
            for key in ["with", "keep"] {
                let entries = creation.get(key).and_then(Node::entries).unwrap_or_default();
                variables.extend(entries.iter().map(|entry| entry.key.clone()));
            }
        }
        Self { shared, of }
    }

    /// The names of the resources.
    pub(super) fn resources(&self) -> impl Iterator<Item = &str> {
        self.of.keys().map(String::as_str)
    }

    /// What is known of the world, and of a thing of this resource.
    pub(super) fn of_thing(&self, resource: Option<&String>) -> BTreeSet<String> {
        let own = resource.and_then(|name| self.of.get(name));
        self.shared.iter().chain(own.into_iter().flatten()).cloned().collect()
    }
}

/// Every `creates` of an action's rows.
fn creations(action: &Node) -> Vec<&Node> {
    let rows = action.get("rows").and_then(Node::list).unwrap_or_default();
    let outcomes = rows.iter().flat_map(|row| {
        let several = row.get("outcomes").and_then(Node::list).unwrap_or_default();
        several.iter().chain([row])
    });
    outcomes.filter_map(|outcome| outcome.get("creates")).collect()
}
