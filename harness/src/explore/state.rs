//! What the model knows of a world, and everything that may be so.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// One way in which a world may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// What is known of the world as a whole.
    pub(crate) shared: Map<String, Value>,
    /// The things, by the move that created them.
    pub(crate) things: BTreeMap<usize, Thing>,
    /// What the merchant is to be notified of.
    pub(crate) owed: Vec<Owed>,
}

/// One payment, one refund.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thing {
    /// Of which kind.
    pub(crate) resource: String,
    /// What is known of it, its identifier as `id`.
    pub(crate) variables: Map<String, Value>,
    /// The clause of the row that was last taken on it.
    pub(crate) because: String,
}

impl Thing {
    /// Its identifier.
    pub(crate) fn id(&self) -> &Value {
        self.variables.get("id").unwrap_or(&Value::Null)
    }
}

/// A state that the merchant is to be notified of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owed {
    /// Which thing.
    pub(crate) thing: usize,
    /// Its state.
    pub(crate) state: String,
    /// The clause that asks for it.
    pub(crate) clause: String,
}

/// Everything that may be so; where the documents leave nothing open, that is one state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Belief {
    states: Vec<State>,
}

/// Where more than this is open, nothing can be said any more.
const MOST: usize = 256;

impl Belief {
    /// The world at its beginning.
    pub(crate) fn new(shared: &Map<String, Value>) -> Self {
        let mut shared = shared.clone();
        shared.entry("now").or_insert_with(|| Value::from(0));
        Self { states: vec![State { shared, ..State::default() }] }
    }

    /// What may be so after something was seen, each once; nothing where too much is open.
    pub(crate) fn of(states: impl IntoIterator<Item = State>) -> Option<Self> {
        let mut kept: Vec<State> = Vec::new();
        for state in states {
            if !kept.contains(&state) {
                kept.push(state);
            }
        }
        (kept.len() <= MOST).then_some(Self { states: kept })
    }

    /// Everything that may be so.
    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    /// One of them: the first.
    pub(crate) fn first(&self) -> Option<&State> {
        self.states.first()
    }

    /// Whether nothing explains what was seen.
    pub(crate) fn is_impossible(&self) -> bool {
        self.states.is_empty()
    }

    /// The things that are there in all of them.
    pub(crate) fn things(&self) -> impl Iterator<Item = (usize, &Thing)> {
        let everywhere = |key: usize| self.states.iter().all(|state| state.things.contains_key(&key));
        let first = self.first().into_iter().flat_map(|state| &state.things);
        first.filter(move |(key, _)| everywhere(**key)).map(|(key, thing)| (*key, thing))
    }
}
