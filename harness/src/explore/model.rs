//! An executable model of what the documents say of one API: which answer a call may get, and what has
//! changed then. It is data, `contracts/models/*.yaml`, described in `docs/explore.md`.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::scenario::{Matcher, Template};

/// The model of one API.
#[derive(Clone, Debug)]
pub struct Model {
    /// `gateway`.
    pub api: String,
    /// Where the rules stand, for readers.
    pub document: String,
    /// Settings of the worlds it is played in.
    pub setting: Map<String, Value>,
    /// What is known of the world as a whole, at the beginning.
    pub shared: Map<String, Value>,
    /// What there can be many of: payments, refunds.
    pub resources: IndexMap<String, Resource>,
    /// What can be done.
    pub actions: Vec<Action>,
}

/// A kind of thing.
#[derive(Clone, Debug)]
pub struct Resource {
    /// So many of them in one sequence, at most.
    pub most: usize,
    /// An identifier that none of them has.
    pub unknown: Value,
    /// What becomes of one when time passes; the first row that fits applies.
    pub time: Vec<Row>,
    /// The clause of a notification that nothing has brought about; none where nothing is notified.
    pub unnotified: Option<String>,
}

/// Something that can be done: a call, or an action of the world.
#[derive(Clone, Debug)]
pub struct Action {
    /// `refund`.
    pub id: String,
    /// What is done.
    pub verb: Verb,
    /// What it is done to.
    pub on: Option<String>,
    /// Whether it may be tried on something that does not exist.
    pub unknown: bool,
    /// How much more often than others.
    pub often: u32,
    /// With whose credentials, and how often.
    pub identities: IndexMap<String, u32>,
    /// The named example that the request starts from.
    pub example: Option<String>,
    /// For each field the values that it may have; null leaves the field out.
    pub with: IndexMap<String, Vec<Template>>,
    /// The token that is sent instead of the one that is got on the way.
    pub token: Option<Template>,
    /// What must hold for it to be done at all.
    pub may: IndexMap<String, Matcher>,
    /// It only asks: the last word on a thing stays that of the row before.
    pub reads: bool,
    /// It may meet others on the same thing at the same time.
    pub race: bool,
    /// Only in a world with the settings of the model.
    pub needs_setting: bool,
    /// Time passes by this field, in seconds.
    pub passes: Option<String>,
    /// What comes of it; the first row that fits applies.
    pub rows: Vec<Row>,
}

/// How something is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// By one of these operations, such as those of two versions.
    Call(Vec<String>),
    /// By an action of the world.
    World(String),
}

/// One rule: what is answered, and what has changed then.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unique in its action.
    pub id: String,
    /// The clause that it is; none = that of the row that was last taken on the thing.
    pub clause: Option<String>,
    /// The clauses of fields that the answer is expected to have, where they differ from that of the row.
    pub about: IndexMap<String, String>,
    /// When it applies.
    pub when: IndexMap<String, Matcher>,
    /// What may come of it; where the document leaves that open, there are several.
    pub outcomes: Vec<Outcome>,
    /// `contracts/models/gateway.yaml:40:7`.
    pub place: String,
}

/// One thing that may come of an action.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What is answered.
    pub answer: Answer,
    /// What the answer says besides.
    pub expect: IndexMap<String, Matcher>,
    /// What it says besides where something more is so.
    pub tells: Vec<Tell>,
    /// Variables of the thing that the answer tells: variable → its place in the answer.
    pub keep: IndexMap<String, String>,
    /// Variables of the thing that change.
    pub set: IndexMap<String, Template>,
    /// Variables of the world that change.
    pub share: IndexMap<String, Template>,
    /// What is there then.
    pub creates: Option<Creation>,
    /// What changes of every thing of a kind.
    pub each: Vec<Each>,
    /// The state that is notified.
    pub notify: Option<Notify>,
    /// Not documented, but assumed: where assumptions are asserted, nothing else may come of it.
    pub assumed: bool,
}

/// What an answer says where something is so. One answer may tell many things that change one by one, such as the versions
/// of all that a device has stored.
#[derive(Clone, Debug)]
pub struct Tell {
    /// The clause that asks for it.
    pub clause: String,
    /// When it is told.
    pub when: IndexMap<String, Matcher>,
    /// What is told.
    pub expect: IndexMap<String, Matcher>,
}

/// What is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// Success.
    #[default]
    Accepted,
    /// Anything but success.
    Refused,
    /// Anything.
    Any,
    /// One of these codes.
    Codes(Vec<String>),
}

/// A thing that an accepted call creates.
#[derive(Clone, Debug)]
pub struct Creation {
    /// Of which kind.
    pub resource: String,
    /// Where its identifier is answered, as a JSON Pointer.
    pub id: String,
    /// What else of the answer is known of it: variable → JSON Pointer.
    pub keep: IndexMap<String, String>,
    /// Its variables.
    pub variables: IndexMap<String, Template>,
}

/// A change of every thing of a kind.
#[derive(Clone, Debug)]
pub struct Each {
    /// Of which kind.
    pub resource: String,
    /// Of which of them.
    pub when: IndexMap<String, Matcher>,
    /// Variables that change.
    pub set: IndexMap<String, Template>,
}

/// A state that the merchant is notified of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notify {
    /// The state.
    pub state: String,
    /// The clause that asks for it.
    pub clause: String,
}

impl Model {
    /// How many rows there are.
    pub(crate) fn rows(&self) -> impl Iterator<Item = RowId<'_>> {
        let of_actions = self.actions.iter().flat_map(|action| action.rows.iter().map(|row| (action.id.as_str(), row)));
        let of_time = self.resources.iter().flat_map(|(name, resource)| resource.time.iter().map(|row| (name.as_str(), row)));
        of_actions.chain(of_time)
    }
}

/// A row and the action, or the resource, that it belongs to.
pub(crate) type RowId<'m> = (&'m str, &'m Row);
