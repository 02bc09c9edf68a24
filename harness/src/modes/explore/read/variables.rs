//! The variables that a model declares.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::source::{Entry, Node};

/// The variables of the world, and of each resource.
pub(super) struct VariableNames {
    shared: BTreeSet<String>,
    by_resource: BTreeMap<String, BTreeSet<String>>,
}

impl VariableNames {
    /// Collects the variables that resources begin with and that creations add.
    pub(super) fn collect(shared: &[Entry], resources: &[Entry], actions: &[Entry]) -> Self {
        let shared = shared.iter().map(|entry| entry.key.clone()).chain(["now".to_owned()]).collect();
        let initial = |resource: &Node| {
            let initial = resource.get("initial").and_then(Node::entries).unwrap_or_default();
            initial.iter().map(|entry| entry.key.clone()).chain(["id".to_owned()]).collect::<BTreeSet<_>>()
        };
        let mut by_resource: BTreeMap<_, _> = resources.iter().map(|entry| (entry.key.clone(), initial(&entry.value))).collect();
        for creation in actions.iter().flat_map(|action| creations(&action.value)) {
            let resource = creation.get("resource").and_then(Node::text);
            let Some(variables) = resource.and_then(|name| by_resource.get_mut(name)) else { continue };
            for key in ["with", "keep"] {
                let entries = creation.get(key).and_then(Node::entries).unwrap_or_default();
                variables.extend(entries.iter().map(|entry| entry.key.clone()));
            }
        }
        Self { shared, by_resource }
    }

    /// The names of the resources.
    pub(super) fn resources(&self) -> impl Iterator<Item = &str> {
        self.by_resource.keys().map(String::as_str)
    }

    /// The variables of the world and of an entity of this resource.
    pub(super) fn of_entity(&self, resource: Option<&String>) -> BTreeSet<String> {
        let own = resource.and_then(|name| self.by_resource.get(name));
        self.shared.iter().chain(own.into_iter().flatten()).cloned().collect()
    }
}

/// Every `creates` of an action's transitions.
fn creations(action: &Node) -> Vec<&Node> {
    let transitions = action.get("transitions").and_then(Node::list).unwrap_or_default();
    let outcomes = transitions.iter().flat_map(|transition| {
        let several = transition.get("outcomes").and_then(Node::list).unwrap_or_default();
        several.iter().chain([transition])
    });
    outcomes.filter_map(|outcome| outcome.get("creates")).collect()
}
