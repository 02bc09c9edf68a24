//! The model's state of a world, and the set of states that are possible where the documents leave something open.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::spec::scenario::Variables;

/// One possible state of a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorldState {
    /// Variables of the world as a whole.
    pub(crate) shared: Map<String, Value>,
    /// The entities, by the key of the command that created them.
    pub(crate) entities: BTreeMap<usize, Entity>,
    /// The notifications that the merchant must receive.
    pub(crate) notifications: Vec<ExpectedNotification>,
}

impl WorldState {
    /// The variables of the world and of one entity.
    pub(crate) fn variables_of(&self, entity: &Entity) -> Variables {
        let mut variables = self.shared.clone();
        variables.extend(entity.variables.clone());
        variables
    }
}

/// A payment, a refund, a device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entity {
    /// Its kind.
    pub(crate) resource: String,
    /// What the model knows of it; its identifier is `id`.
    pub(crate) variables: Map<String, Value>,
    /// The clause of its last transition.
    pub(crate) last_clause: String,
}

impl Entity {
    /// Its identifier.
    pub(crate) fn id(&self) -> &Value {
        self.variables.get("id").unwrap_or(&Value::Null)
    }
}

/// A notification that the merchant must receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedNotification {
    /// The key of the entity.
    pub(crate) entity: usize,
    /// Its state.
    pub(crate) state: String,
    /// The clause that asks for the notification.
    pub(crate) clause: String,
}

/// Every state that explains what was observed so far: one, unless the documents leave something open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PossibleStates {
    states: Vec<WorldState>,
}

/// With more possible states than this, the rest of a sequence is not judged.
const MAX_STATES: usize = 256;

impl PossibleStates {
    /// The initial state of a world.
    pub(crate) fn initial(mut shared: Map<String, Value>) -> Self {
        shared.entry("now").or_insert_with(|| Value::from(0));
        Self { states: vec![WorldState { shared, ..WorldState::default() }] }
    }

    /// The distinct states among these; none if there are more than [`MAX_STATES`].
    pub(crate) fn from_states(states: impl IntoIterator<Item = WorldState>) -> Option<Self> {
        let mut distinct: Vec<WorldState> = Vec::new();
        for state in states {
            if !distinct.contains(&state) {
                distinct.push(state);
            }
        }
        (distinct.len() <= MAX_STATES).then_some(Self { states: distinct })
    }

    /// Every possible state.
    pub(crate) fn states(&self) -> &[WorldState] {
        &self.states
    }

    /// The first possible state, for callers that need a single one.
    pub(crate) fn first(&self) -> Option<&WorldState> {
        self.states.first()
    }

    /// The entities that exist in every possible state.
    pub(crate) fn entities(&self) -> impl Iterator<Item = (usize, &Entity)> {
        let exists_everywhere = |key: usize| self.states.iter().all(|state| state.entities.contains_key(&key));
        let first = self.first().into_iter().flat_map(|state| &state.entities);
        first.filter(move |(key, _)| exists_everywhere(**key)).map(|(key, entity)| (*key, entity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_limit_of_states_is_not_judged() {
        let states = |count: usize| {
            let numbered = |number| WorldState { shared: Map::from_iter([("n".to_owned(), Value::from(number))]), ..WorldState::default() };
            (0..count).map(numbered)
        };
        assert_eq!(PossibleStates::from_states(states(256)).unwrap().states().len(), 256);
        assert_eq!(PossibleStates::from_states(states(257)), None);
    }
}
