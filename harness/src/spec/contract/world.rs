//! The vocabulary of the world: `contracts/world.yaml`.

use std::sync::Arc;

use indexmap::IndexMap;

use super::setting::{self, Setting};
use crate::base::source::{Diagnostic, Fields, Node, Problems, Source};

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
    /// What it does to a pending resource, if it is only for those.
    pub on_pending: Option<OnPending>,
    /// What it makes that a live target may show only later.
    pub makes: Option<Made>,
}

/// What an action makes, and how to see that it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where its response lists what it has made.
    pub list: String,
    /// The parameter of the action that names the merchant.
    pub merchant: String,
    /// The field of an item that identifies it, which is also the field of the call.
    pub id: String,
    /// The call that shows it.
    pub call: String,
}

/// What an action does to a pending resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnPending {
    /// The resource comes to its end, whatever that is.
    Ends,
    /// It comes to nothing: no money moves.
    GivesUp,
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
        let on_pending = fields.optional("pending").and_then(|node| on_pending(node, problems));
        let makes = fields.optional("makes").and_then(|node| made(node, problems));
        fields.finish(problems);
        let on = id.map(|id| (resources, id));
        let action = WorldAction { name: entry.key.clone(), says, parameters, open, fault, shared, on, on_pending, makes };
        actions.insert(entry.key.clone(), action);
    }
    file.finish(problems);
    (actions, settings)
}

fn on_pending(node: &Node, problems: &mut Problems) -> Option<OnPending> {
    let known = [("ends", OnPending::Ends), ("gives-up", OnPending::GivesUp)];
    let text = node.text().unwrap_or_default();
    let found = known.iter().find(|(name, _)| *name == text).map(|(_, found)| *found);
    if found.is_none() {
        problems.add(Diagnostic::at(node, "`pending` is `ends` or `gives-up`").names(text, known.iter().map(|(name, _)| *name)));
    }
    found
}

fn made(node: &Node, problems: &mut Problems) -> Option<Made> {
    let mut fields = Fields::from_node(node, "what an action makes", problems)?;
    let [list, merchant, id, call] = ["list", "merchant", "id", "call"].map(|key| fields.require_text(key, problems));
    fields.finish(problems);
    Some(Made { list: list?, merchant: merchant?, id: id?, call: call? })
}
