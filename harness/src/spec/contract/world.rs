//! The vocabulary of the world: `contracts/world.yaml`.

use std::sync::Arc;

use indexmap::IndexMap;

use super::setting::{self, Setting};
use crate::base::source::{Fields, Problems, Source};

/// An action of the world outside the API.
#[derive(Clone, Debug)]
pub struct WorldAction {
    /// `payer.pays`.
    pub name: String,
    /// What it does.
    pub says: String,
    /// Its parameters: name → whether it is required.
    pub parameters: IndexMap<String, bool>,
    /// Whether further parameters are taken (settings).
    pub open: bool,
    /// Whether it breaks something on purpose: refused against live targets unless allowed.
    pub fault: bool,
    /// Whether it changes what other cases see in a shared world.
    pub shared: bool,
    /// The resources it may act on and the parameter that identifies one.
    pub on: Option<(Vec<String>, String)>,
}

impl WorldAction {
    /// The capability that a target needs: the first word of the name.
    pub fn capability(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

/// Reads the vocabulary: what may happen, and what a shop may be set to.
pub(super) fn read(source: &Arc<Source>, problems: &mut Problems) -> (IndexMap<String, WorldAction>, Vec<Setting>) {
    let mut actions = IndexMap::new();
    let Some(node) = source.parse(problems) else { return (actions, Vec::new()) };
    let Some(mut file) = Fields::from_node(&node, "the world's vocabulary", problems) else { return (actions, Vec::new()) };
    let settings = setting::read(file.map("settings", problems), problems);
    for entry in file.map("actions", problems) {
        let Some(mut fields) = Fields::from_node(&entry.value, "an action", problems) else { continue };
        let resources = fields.texts("on", problems);
        let id = fields.text("id", problems);
        let mut parameters = IndexMap::new();
        for parameter in fields.map("with", problems) {
            let Some(mut inner) = Fields::from_node(&parameter.value, "a parameter", problems) else { continue };
            parameters.insert(parameter.key.clone(), inner.flag("required", problems));
            let _ = inner.text("says", problems);
            inner.finish(problems);
        }
        let says = fields.require_text("says", problems).unwrap_or_default();
        let open = fields.flag("open", problems);
        let fault = fields.flag("fault", problems);
        let shared = fields.flag("shared", problems);
        fields.finish(problems);
        let on = id.map(|id| (resources, id));
        actions.insert(entry.key.clone(), WorldAction { name: entry.key.clone(), says, parameters, open, fault, shared, on });
    }
    file.finish(problems);
    (actions, settings)
}
