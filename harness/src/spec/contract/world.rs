//! The vocabulary of the world: `contracts/world.yaml`.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::id::capability_of;
use super::resource::{self, Resource};
use super::setting::{self, EmulatorSettings, Setting};
use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};
use crate::wire::expression::text_of;

/// An action of the world outside the API.
#[derive(Clone, Debug, Default)]
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
    /// What it may act on.
    pub on: Option<ActsOn>,
    /// What it does to a pending resource, if it is only for those.
    pub on_pending: Option<OnPending>,
    /// What it makes that a live target may show only later.
    pub makes: Option<Made>,
    /// The parameter that says how many seconds it lets pass.
    pub passes: Option<String>,
    /// The field of its result that says what time it is.
    pub reads: Option<String>,
}

/// The resources that an action may act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActsOn {
    /// Their kinds.
    pub resources: Vec<String>,
    /// The parameter that identifies one.
    pub parameter: String,
}

impl ActsOn {
    /// The identifier of the resource that an action with these parameters acts on.
    pub fn subject(&self, with: &Map<String, Value>) -> Option<String> {
        with.get(&self.parameter).and_then(text_of)
    }

    /// Whether it may act on a kind of resource.
    pub fn includes(&self, resource: &str) -> bool {
        self.resources.iter().any(|known| known == resource)
    }
}

/// How a response says why its call is refused, also where an API does not show its errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalFields {
    code: String,
    message: String,
    success: String,
}

impl RefusalFields {
    /// Whether a response has a code, and it is not that of success.
    pub fn is_code_of_refusal(&self, body: &Value) -> bool {
        body.get(&self.code).and_then(text_of).is_some_and(|code| code != self.success)
    }

    /// The code of a response that has a message too.
    pub fn explained_code(&self, body: &Value) -> Option<String> {
        body.get(&self.message).and_then(text_of)?;
        body.get(&self.code).and_then(text_of)
    }
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
        capability_of(&self.name)
    }

    /// The time that it lets pass; `None` if it lets none pass, or if its parameter is no whole number of seconds.
    pub fn time_passed(&self, with: &Map<String, Value>) -> Option<Duration> {
        let seconds = with.get(self.passes.as_ref()?).and_then(text_of)?;
        seconds.parse().ok().map(Duration::from_secs)
    }
}

/// What the file holds.
pub(super) struct Vocabulary {
    pub(super) actions: IndexMap<String, WorldAction>,
    pub(super) settings: Vec<Setting>,
    pub(super) emulator_settings: EmulatorSettings,
    pub(super) resources: IndexMap<String, Resource>,
    pub(super) refusal: Option<RefusalFields>,
}

/// Reads the vocabulary: what may happen, and what a shop may be set to.
pub(super) fn read(root: &Node, problems: &mut Problems) -> Option<Vocabulary> {
    let mut file = Fields::from_node(root, "the world's vocabulary", problems)?;
    let settings = setting::read(file.map("settings", problems), problems);
    let emulator_settings = file.optional("emulator-settings").map(|node| setting::read_of_emulators(node, problems)).unwrap_or_default();
    let refusal = file.optional("refusal").and_then(|node| refusal(node, problems));
    let resources = resource::read(file.map("resources", problems), problems);
    let actions = file.map("actions", problems);
    let actions = actions.iter().filter_map(|entry| Some((entry.key.clone(), action(entry, problems)?))).collect();
    file.finish(problems);
    Some(Vocabulary { actions, settings, emulator_settings, resources, refusal })
}

fn action(entry: &Entry, problems: &mut Problems) -> Option<WorldAction> {
    let mut fields = Fields::from_node(&entry.value, "an action", problems)?;
    let resources = fields.texts("on", problems);
    let on = fields.text("id", problems).map(|parameter| ActsOn { resources, parameter });
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
    let passes = fields.optional("passes").and_then(|node| parameter(node, &parameters, problems));
    let reads = fields.text("reads", problems);
    fields.finish(problems);
    Some(WorldAction { name: entry.key.clone(), says, parameters, open, fault, shared, on, on_pending, makes, passes, reads })
}

/// The name of a parameter of the action.
fn parameter(node: &Node, parameters: &IndexMap<String, bool>, problems: &mut Problems) -> Option<String> {
    let name = node.text().unwrap_or_default();
    if !parameters.contains_key(name) {
        let problem = Diagnostic::at(node, "this names a parameter of the action");
        problems.add(problem.names(name, parameters.keys().map(String::as_str)));
        return None;
    }
    Some(name.to_owned())
}

fn refusal(node: &Node, problems: &mut Problems) -> Option<RefusalFields> {
    let mut fields = Fields::from_node(node, "how a call is refused", problems)?;
    let [code, message, success] = ["code", "message", "success"].map(|key| fields.require_text(key, problems));
    fields.finish(problems);
    Some(RefusalFields { code: code?, message: message?, success: success? })
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
