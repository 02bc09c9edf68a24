//! Transitions that time causes when a command advances the clock.

use serde_json::Value;

use super::super::command::BoundCommand;
use super::super::error::ModelError;
use super::super::model::{Model, TransitionRef};
use super::super::state::WorldState;
use super::effects::{assign, expect_notification, note_clause};
use super::guard::first_enabled;

/// A state, and the timed transitions that led there.
pub(super) type Timed<'m> = (WorldState, Vec<TransitionRef<'m>>);

impl Model {
    /// The states after a command has advanced the clock; the same state if it does not.
    pub(super) fn advance_clock<'m>(
        &'m self,
        command: &BoundCommand<'_>,
        mut state: WorldState,
        assert_assumed: bool,
    ) -> Result<Vec<Timed<'m>>, ModelError> {
        let seconds = command.action.advances_clock_by.as_ref().and_then(|field| command.inputs.get(field)).and_then(Value::as_i64);
        let Some(seconds) = seconds else { return Ok(vec![(state, Vec::new())]) };
        let now = state.shared.get("now").and_then(Value::as_i64).unwrap_or_default();
        state.shared.insert("now".to_owned(), (now + seconds).into());
        let keys: Vec<usize> = state.entities.keys().copied().collect();
        let mut reached = vec![(state, Vec::new())];
        for key in keys {
            let mut next = Vec::new();
            for timed in reached {
                next.extend(self.age(key, timed, assert_assumed)?);
            }
            reached = next;
        }
        Ok(reached)
    }

    /// The states after one entity's timed transition.
    fn age<'m>(&'m self, key: usize, (state, taken): Timed<'m>, assert_assumed: bool) -> Result<Vec<Timed<'m>>, ModelError> {
        let entity = state.entities.get(&key);
        let resource = entity.and_then(|entity| self.resources.get_key_value(&entity.resource));
        let Some((entity, (owner, resource))) = entity.zip(resource) else { return Ok(vec![(state, taken)]) };
        let variables = state.variables_of(entity);
        let Some(transition) = first_enabled(&resource.timed_transitions, &variables)? else { return Ok(vec![(state, taken)]) };
        let mut reached = Vec::new();
        for outcome in transition.allowed(&variables, assert_assumed)? {
            let mut next = state.clone();
            if let Some(entity) = next.entities.get_mut(&key) {
                assign(&mut entity.variables, &outcome.set, &variables)?;
                note_clause(entity, transition);
            }
            expect_notification(&mut next, Some(key), outcome);
            let mut taken = taken.clone();
            taken.push(TransitionRef { owner, transition });
            reached.push((next, taken));
        }
        Ok(reached)
    }
}
