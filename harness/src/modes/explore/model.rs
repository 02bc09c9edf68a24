//! The executable model of one API: which responses the documents allow in each state, and what each of them changes.
//! It is data, `contracts/models/*.yaml`; `docs/explore.md` describes the format.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::spec::scenario::{Matcher, Template};

/// What the initial variables may be made of.
pub(super) const SETTINGS: &str = "settings";
pub(super) const OWN_WORLD: &str = "own_world";

/// The model of one API.
#[derive(Clone, Debug)]
pub struct Model {
    /// `gateway`.
    pub api: String,
    /// The document that the rules come from.
    pub document: String,
    /// Settings of the worlds in which sequences run.
    pub setting: Map<String, Value>,
    /// Initial variables of the world as a whole, made of what is known of it (`boundary.rs`).
    pub shared: IndexMap<String, Template>,
    /// Kinds of entities, such as payments and refunds.
    pub resources: IndexMap<String, ModelResource>,
    /// Actions from which commands are generated.
    pub actions: Vec<ModelAction>,
}

/// A kind of entity.
#[derive(Clone, Debug)]
pub struct ModelResource {
    /// The most entities of this kind in one sequence.
    pub max: usize,
    /// An identifier that no entity has.
    pub unknown_id: Value,
    /// Transitions caused by time alone; the first one whose guard holds is taken.
    pub timed_transitions: Vec<ModelTransition>,
    /// The clause broken by a notification that no transition asks for; none if nothing is notified.
    pub unexpected_notification: Option<String>,
}

/// Something a sequence can do: a call, or an action of the world.
#[derive(Clone, Debug)]
pub struct ModelAction {
    /// `refund`.
    pub id: String,
    /// How it is performed.
    pub verb: CommandVerb,
    /// The kind of entity it is performed on.
    pub on: Option<String>,
    /// Whether it is sometimes tried on an entity that does not exist.
    pub try_unknown: bool,
    /// How often it is generated, relative to other actions.
    pub weight: u32,
    /// Identities whose credentials are used, with their weights.
    pub identities: IndexMap<String, u32>,
    /// The named example that the request starts from.
    pub example: Option<String>,
    /// The candidate values of each field; null leaves the field out.
    pub with: IndexMap<String, Vec<Template>>,
    /// The token to send in place of the one the runner would request.
    pub token: Option<Template>,
    /// What must hold before a command of this action may run.
    pub precondition: IndexMap<String, Matcher>,
    /// A query: it does not become the cause of the entity's state.
    pub read_only: bool,
    /// It ends an entity, so that a sequence on a shared target leaves nothing open.
    pub ends: bool,
    /// Whether it may run concurrently with other commands on the same entity.
    pub race: bool,
    /// Whether it only works in a world with the model's settings.
    pub needs_setting: bool,
    /// The field that holds by how many seconds the clock advances.
    pub advances_clock_by: Option<String>,
    /// What it leads to; the first transition whose guard holds is taken.
    pub transitions: Vec<ModelTransition>,
}

/// How an action is performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandVerb {
    /// By one of these operations, such as the two versions of a call.
    Call(Vec<String>),
    /// By an action of the world.
    World(String),
}

/// A guarded rule: the responses allowed in a state, and the state after each of them.
#[derive(Clone, Debug)]
pub struct ModelTransition {
    /// Unique in its action.
    pub id: String,
    /// The clause it stands for; none means the clause of the entity's last transition.
    pub clause: Option<String>,
    /// Clauses of single response fields, if they differ from the transition's clause.
    pub field_clauses: IndexMap<String, String>,
    /// The guard.
    pub when: IndexMap<String, Matcher>,
    /// The allowed outcomes; more than one where the document leaves the result open.
    pub outcomes: Vec<AllowedOutcome>,
    /// `contracts/models/gateway.yaml:40:7`.
    pub place: String,
}

/// One outcome that a transition allows: the expected response and its effects.
#[derive(Clone, Debug, Default)]
pub struct AllowedOutcome {
    /// When it is allowed, beyond the guard of its transition.
    pub when: IndexMap<String, Matcher>,
    /// Whether the response accepts or refuses, or its code.
    pub response: ExpectedResponse,
    /// Expected fields of the response.
    pub expect: IndexMap<String, Matcher>,
    /// Fields that are expected under a further condition.
    pub expect_when: Vec<ConditionalExpectation>,
    /// Variables of the entity that are taken from the response: variable → place in the response.
    pub keep: IndexMap<String, String>,
    /// New values of the entity's variables.
    pub set: IndexMap<String, Template>,
    /// New values of the world's variables.
    pub set_shared: IndexMap<String, Template>,
    /// The entity that comes into being.
    pub creates: Option<Creation>,
    /// Changes to every entity of a kind.
    pub set_each: Vec<BulkUpdate>,
    /// The notification that must follow.
    pub notify: Option<NotificationRule>,
    /// An assumption of ours, not documented; a target that asserts assumptions allows only these outcomes.
    pub assumed: bool,
}

/// Response fields that are expected under a condition, with a clause of their own. One response can show many facts that
/// change independently, such as the versions of everything a device has stored.
#[derive(Clone, Debug)]
pub struct ConditionalExpectation {
    /// The clause that asks for the fields.
    pub clause: String,
    /// The condition.
    pub when: IndexMap<String, Matcher>,
    /// The expected fields.
    pub expect: IndexMap<String, Matcher>,
}

/// The class of response that an outcome expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExpectedResponse {
    /// Success.
    #[default]
    Accepted,
    /// Anything but success.
    Refused,
    /// Any response.
    Any,
    /// One of these codes.
    Codes(Vec<String>),
}

/// An entity that an accepted command creates.
#[derive(Clone, Debug)]
pub struct Creation {
    /// Its kind.
    pub resource: String,
    /// Where the response holds its identifier, as a name or a JSON Pointer.
    pub id: String,
    /// Variables taken from the response: variable → place in the response.
    pub keep: IndexMap<String, String>,
    /// Its initial variables.
    pub variables: IndexMap<String, Template>,
}

/// A change to every entity of a kind.
#[derive(Clone, Debug)]
pub struct BulkUpdate {
    /// The kind.
    pub resource: String,
    /// Which entities change.
    pub when: IndexMap<String, Matcher>,
    /// New values of their variables.
    pub set: IndexMap<String, Template>,
}

/// A state of which the merchant must be notified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationRule {
    /// The state.
    pub state: String,
    /// The clause that asks for the notification.
    pub clause: String,
}

/// A transition with the action, or the resource, that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransitionRef<'m> {
    /// The action or the resource.
    pub(crate) owner: &'m str,
    /// The transition.
    pub(crate) transition: &'m ModelTransition,
}

impl TransitionRef<'_> {
    /// `refund/beyond`: unique in the model.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.owner, self.transition.id)
    }
}

impl Model {
    /// Every transition of every action, then those that time causes.
    pub(crate) fn transitions(&self) -> impl Iterator<Item = TransitionRef<'_>> {
        let actions = self.actions.iter().map(|action| (action.id.as_str(), &action.transitions));
        let resources = self.resources.iter().map(|(name, resource)| (name.as_str(), &resource.timed_transitions));
        let owners = actions.chain(resources);
        owners.flat_map(|(owner, transitions)| transitions.iter().map(move |transition| TransitionRef { owner, transition }))
    }
}

impl ModelAction {
    /// Whether it creates an entity without acting on another one.
    pub(crate) fn is_initial(&self) -> bool {
        self.on.is_none() && self.creates().next().is_some()
    }

    /// The kinds of entities that it may create.
    pub(crate) fn creates(&self) -> impl Iterator<Item = &str> {
        self.creations().map(|creation| creation.resource.as_str())
    }

    /// The creations of all its outcomes.
    pub(crate) fn creations(&self) -> impl Iterator<Item = &Creation> {
        self.outcomes().filter_map(|outcome| outcome.creates.as_ref())
    }

    /// All outcomes of all its transitions.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = &AllowedOutcome> {
        self.transitions.iter().flat_map(|transition| &transition.outcomes)
    }
}

impl ModelTransition {
    /// Whether one of its outcomes accepts the command.
    pub(crate) fn may_accept(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome.response, ExpectedResponse::Accepted))
    }
}
