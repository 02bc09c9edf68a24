//! The effects of an outcome on a state.

use indexmap::IndexMap;
use serde_json::Value;

use super::super::command::BoundCommand;
use super::super::error::ModelError;
use super::super::model::{AllowedOutcome, BulkUpdate, Creation, ModelTransition};
use super::super::state::{Entity, ExpectedNotification, WorldState};
use super::guard::holds;
use super::observation::field_of;
use crate::spec::scenario::{Template, Variables};

/// An outcome that explains the response to a command.
pub(super) struct Effects<'e> {
    command: &'e BoundCommand<'e>,
    transition: &'e ModelTransition,
    outcome: &'e AllowedOutcome,
    /// What the guard saw, and the response.
    variables: Variables,
    body: Option<&'e Value>,
}

impl<'e> Effects<'e> {
    pub(super) fn new(
        command: &'e BoundCommand<'e>,
        transition: &'e ModelTransition,
        outcome: &'e AllowedOutcome,
        variables: &Variables,
        body: Option<&'e Value>,
    ) -> Self {
        let mut variables = variables.clone();
        variables.extend(body.map(|body| ("response".to_owned(), body.clone())));
        Self { command, transition, outcome, variables, body }
    }

    /// The state that follows; none if the response lacks the identifier of what it creates.
    pub(super) fn apply(&self, state: &WorldState) -> Result<Option<WorldState>, ModelError> {
        let mut next = state.clone();
        let created = self.outcome.creates.as_ref();
        if let Some(creation) = created {
            let Some(entity) = self.create(creation)? else { return Ok(None) };
            next.entities.insert(self.command.key, entity);
        }
        if let Some(entity) = self.command.on.and_then(|key| next.entities.get_mut(&key)) {
            self.change(entity)?;
        }
        assign(&mut next.shared, &self.outcome.set_shared, &self.variables)?;
        for update in &self.outcome.set_each {
            self.change_each(&mut next, update)?;
        }
        let subject = if created.is_some() { Some(self.command.key) } else { self.command.on };
        expect_notification(&mut next, subject, self.outcome);
        Ok(Some(next))
    }

    fn create(&self, creation: &Creation) -> Result<Option<Entity>, ModelError> {
        let Some(id) = field_of(self.body, &creation.id) else { return Ok(None) };
        let mut variables = Variables::new();
        assign(&mut variables, &creation.variables, &self.variables)?;
        self.keep(&mut variables, &creation.keep);
        variables.insert("id".to_owned(), id.clone());
        let last_clause = self.transition.clause.clone().unwrap_or_default();
        Ok(Some(Entity { resource: creation.resource.clone(), variables, last_clause }))
    }

    fn change(&self, entity: &mut Entity) -> Result<(), ModelError> {
        assign(&mut entity.variables, &self.outcome.set, &self.variables)?;
        if !self.command.action.read_only {
            note_clause(entity, self.transition);
        }
        self.keep(&mut entity.variables, &self.outcome.keep);
        Ok(())
    }

    fn change_each(&self, state: &mut WorldState, update: &BulkUpdate) -> Result<(), ModelError> {
        for entity in state.entities.values_mut().filter(|entity| entity.resource == update.resource) {
            let mut variables = self.variables.clone();
            variables.extend(entity.variables.clone());
            if holds(&update.when, &variables)? {
                assign(&mut entity.variables, &update.set, &variables)?;
                note_clause(entity, self.transition);
            }
        }
        Ok(())
    }

    /// Takes variables from the response; one that it lacks becomes null.
    fn keep(&self, variables: &mut Variables, places: &IndexMap<String, String>) {
        let kept = places.iter().map(|(name, place)| (name.clone(), field_of(self.body, place).cloned().unwrap_or(Value::Null)));
        variables.extend(kept);
    }
}

/// Gives variables their new values.
pub(super) fn assign(target: &mut Variables, values: &IndexMap<String, Template>, variables: &Variables) -> Result<(), ModelError> {
    for (name, value) in values {
        target.insert(name.clone(), value.render(variables).map_err(ModelError::expression)?);
    }
    Ok(())
}

/// Notes the clause that explains the entity's state.
pub(super) fn note_clause(entity: &mut Entity, transition: &ModelTransition) {
    if let Some(clause) = &transition.clause {
        entity.last_clause.clone_from(clause);
    }
}

/// Notes the notification that an outcome asks for.
pub(super) fn expect_notification(state: &mut WorldState, entity: Option<usize>, outcome: &AllowedOutcome) {
    let expected = outcome.notify.as_ref().zip(entity);
    let expected = expected.map(|(rule, entity)| ExpectedNotification { entity, state: rule.state.clone(), clause: rule.clause.clone() });
    state.notifications.extend(expected);
}
