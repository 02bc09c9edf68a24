//! The documents' transition tables: `contracts/states/*.yaml`.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::success::code_texts;
use crate::base::source::{Diagnostic, Fields, Node, NodeKind, Problems};

/// The transition table of one resource.
#[derive(Clone, Debug)]
pub struct StateTable {
    /// `payment`.
    pub resource: String,
    /// Every documented state.
    pub states: IndexMap<String, State>,
    /// The clause of a change without a transition.
    pub undocumented: String,
    /// The transitions in the order of the document.
    pub rows: Vec<TransitionRow>,
}

/// One state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Whether a resource may start in it.
    pub initial: bool,
    /// Whether no transition leaves it.
    pub is_final: bool,
    /// Whether the document shows neither what leads into it nor what leads out of it: a resource may pass through it.
    pub unshown: bool,
}

/// One transition: a row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionRow {
    /// Its id within the table.
    pub id: String,
    /// Its clause.
    pub clause: String,
    /// The state before; none for a creation.
    pub from: Option<String>,
    /// Fields of the creating request that the transition requires; empty = any.
    pub when: Map<String, Value>,
    /// Its trigger.
    pub trigger: Trigger,
    /// The state after; none if the document leaves it open.
    pub to: Option<String>,
    /// Its place, for messages.
    pub place: String,
}

/// The trigger of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A call whose response has one of these codes.
    Call {
        /// The operations.
        operations: Vec<String>,
        /// The codes of the response; empty = any success.
        codes: Vec<String>,
    },
    /// An action of the world.
    World {
        /// The actions.
        actions: Vec<String>,
    },
}

/// Reads one table.
pub(super) fn read(root: &Node, problems: &mut Problems) -> Option<StateTable> {
    let mut file = Fields::from_node(root, "a transition table", problems)?;
    let _ = (file.require_text("document", problems), file.require_text("section", problems));
    let mut table = StateTable {
        resource: file.require_text("resource", problems).unwrap_or_default(),
        states: file.map("states", problems).iter().map(|e| (e.key.clone(), state(&e.value, problems))).collect(),
        undocumented: file.require_text("undocumented", problems).unwrap_or_default(),
        rows: Vec::new(),
    };
    for item in file.list("rows", problems) {
        if let Some(row) = row(item, &table.states, problems) {
            table.rows.push(row);
        }
    }
    file.finish(problems);
    Some(table)
}

fn state(node: &Node, problems: &mut Problems) -> State {
    if matches!(node.kind, NodeKind::Null) {
        return State::default();
    }
    let Some(mut fields) = Fields::from_node(node, "a state", problems) else { return State::default() };
    let state = State {
        initial: fields.flag("initial", problems),
        is_final: fields.flag("final", problems),
        unshown: fields.flag("unshown", problems),
    };
    fields.finish(problems);
    state
}

fn row(node: &Node, states: &IndexMap<String, State>, problems: &mut Problems) -> Option<TransitionRow> {
    let mut fields = Fields::from_node(node, "a row", problems)?;
    let id = fields.require_text("id", problems);
    let clause = fields.require_text("clause", problems);
    let from = state_name(fields.optional("from"), states, problems);
    let to = fields.require("to", problems);
    let open = to.and_then(Node::text) == Some("any");
    let to = if open { None } else { state_name(to, states, problems) };
    let when = fields.optional("when").and_then(|node| node.to_json().as_object().cloned()).unwrap_or_default();
    let trigger = fields.require("trigger", problems).and_then(|node| trigger(node, problems));
    fields.finish(problems);
    let place = format!("{}:{}:{}", node.source.path, node.span.line, node.span.column);
    Some(TransitionRow { id: id?, clause: clause?, from, when, trigger: trigger?, to, place })
}

fn state_name(node: Option<&Node>, states: &IndexMap<String, State>, problems: &mut Problems) -> Option<String> {
    let node = node?;
    let name = node.text().unwrap_or_default();
    if !states.contains_key(name) {
        problems.add(
            Diagnostic::at(node, format!("{} is not a state of this table", node.describe()))
                .names(name, states.keys().map(String::as_str)),
        );
    }
    Some(name.to_owned())
}

fn trigger(node: &Node, problems: &mut Problems) -> Option<Trigger> {
    let mut fields = Fields::from_node(node, "a trigger", problems)?;
    let operations = fields.texts("call", problems);
    let actions = fields.texts("world", problems);
    let codes: Vec<_> = fields.list("code", problems).iter().map(Node::to_json).collect();
    let codes = code_texts(&codes);
    fields.finish(problems);
    match (operations.is_empty(), actions.is_empty()) {
        (false, true) => Some(Trigger::Call { operations, codes }),
        (true, false) => Some(Trigger::World { actions }),
        (true, true) | (false, false) => {
            problems.add(Diagnostic::at(node, "a trigger is either `call` (with `code`) or `world`"));
            None
        }
    }
}
