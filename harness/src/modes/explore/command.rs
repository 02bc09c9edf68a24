//! Commands: one is generated as a list of choices, then bound to a state, which gives its values.

use serde_json::{Map, Value};

use super::error::ModelError;
use super::model::{CommandVerb, Model, ModelAction};
use super::state::WorldState;
use crate::spec::scenario::{Call, Template, Variables};

/// A symbolic command. It names entities by the command that created them, and values by their index in the model, so
/// that it can run again in another world and in a shorter sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// Unique in its sequence; names the entity that the command creates.
    pub(crate) key: usize,
    /// The index of its action in the model.
    pub(crate) action: usize,
    /// The index of the operation among those of the action.
    pub(crate) operation: usize,
    /// The index of the identity among those of the action.
    pub(crate) identity: usize,
    /// The entity it is performed on; none means one that does not exist, if the action needs one.
    pub(crate) on: Option<usize>,
    /// For each field of the action the index of its value.
    pub(crate) choices: Vec<usize>,
}

/// Commands that start at the same time: usually one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    /// One command.
    Single(Command),
    /// Several commands that race each other.
    Concurrent(Vec<Command>),
}

impl Batch {
    /// Its commands.
    pub(crate) fn commands(&self) -> &[Command] {
        match self {
            Self::Single(command) => std::slice::from_ref(command),
            Self::Concurrent(commands) => commands,
        }
    }

    /// Whether its commands race each other.
    pub(crate) fn is_concurrent(&self) -> bool {
        matches!(self, Self::Concurrent(_))
    }
}

/// A command with the values that it has in one state.
#[derive(Clone, Debug)]
pub(crate) struct BoundCommand<'m> {
    /// The key of the command.
    pub(crate) key: usize,
    /// Its action.
    pub(crate) action: &'m ModelAction,
    /// The action's index in the model.
    pub(crate) index: usize,
    /// The operation, or the action of the world.
    pub(crate) name: &'m str,
    /// The identity whose credentials are used.
    pub(crate) identity: &'m str,
    /// The key of the entity; none where there is none.
    pub(crate) on: Option<usize>,
    /// The values of its fields.
    pub(crate) inputs: Map<String, Value>,
    /// The fields that are left out.
    pub(crate) without: Vec<String>,
    /// The token to send.
    pub(crate) token: Option<Value>,
}

impl Command {
    /// Binds the command to a state; none if the entity does not exist there, or the model has no such action.
    pub(crate) fn bind<'m>(&self, model: &'m Model, state: &WorldState) -> Result<Option<BoundCommand<'m>>, ModelError> {
        let Some(action) = model.actions.get(self.action) else { return Ok(None) };
        let name = match &action.verb {
            CommandVerb::Call(operations) => operations.get(self.operation).map(String::as_str),
            CommandVerb::World(name) => Some(name.as_str()),
        };
        let identity = action.identities.get_index(self.identity).map(|(name, _)| name.as_str());
        let (Some(name), Some(identity)) = (name, identity) else { return Ok(None) };
        if self.on.is_some_and(|key| !state.entities.contains_key(&key)) {
            return Ok(None);
        }
        let variables = self.variables(model, action, state);
        let Some((inputs, without)) = self.inputs(action, &variables)? else { return Ok(None) };
        let token = action.token.as_ref().map(|token| token.render(&variables)).transpose();
        let token = token.map_err(|reason| field_error(action, "token", reason))?;
        Ok(Some(BoundCommand { key: self.key, action, index: self.action, name, identity, on: self.on, inputs, without, token }))
    }

    /// The values of the fields, and the fields that are left out; none if a value needs an entity that does not exist.
    #[allow(clippy::type_complexity, reason = "the two lists of a request")]
    fn inputs(&self, action: &ModelAction, variables: &Variables) -> Result<Option<(Map<String, Value>, Vec<String>)>, ModelError> {
        let (mut inputs, mut without) = (Map::new(), Vec::new());
        for ((field, candidates), choice) in action.with.iter().zip(&self.choices) {
            let Some(template) = candidates.get(*choice) else { return Ok(None) };
            let value = match template.render(variables) {
                Err(_) if self.on.is_none() && action.on.is_some() => return Ok(None),
                rendered => rendered.map_err(|reason| field_error(action, field, reason))?,
            };
            match value {
                Value::Null => without.push(field.clone()),
                value => _ = inputs.insert(field.clone(), value),
            }
        }
        Ok(Some((inputs, without)))
    }

    /// The variables that the values are made of.
    fn variables(&self, model: &Model, action: &ModelAction, state: &WorldState) -> Variables {
        if let Some(entity) = self.on.and_then(|key| state.entities.get(&key)) {
            return state.variables_of(entity);
        }
        let mut variables = state.shared.clone();
        let resource = action.on.as_ref().and_then(|name| model.resources.get(name));
        variables.extend(resource.map(|resource| ("id".to_owned(), resource.unknown_id.clone())));
        variables
    }
}

fn field_error(action: &ModelAction, field: &str, reason: impl ToString) -> ModelError {
    ModelError::Field { action: action.id.clone(), field: field.to_owned(), reason: reason.to_string() }
}

impl BoundCommand<'_> {
    /// The variables that guards and expectations see: those of the world and of the entity, and what is sent.
    pub(crate) fn variables(&self, state: &WorldState) -> Variables {
        let entity = self.on.and_then(|key| state.entities.get(&key));
        let mut variables = entity.map_or_else(|| state.shared.clone(), |entity| state.variables_of(entity));
        variables.extend(self.inputs.clone());
        variables.insert("known".to_owned(), entity.is_some().into());
        variables.insert("as".to_owned(), self.identity.into());
        variables.insert("call".to_owned(), self.name.into());
        variables.extend(self.token.clone().map(|token| ("bearer".to_owned(), token)));
        variables
    }

    /// The request as a step of a scenario would send it.
    pub(crate) fn call(&self) -> Call {
        let plain = |(name, value): (&String, &Value)| (name.clone(), Template::Plain(value.clone()));
        Call {
            example: self.action.example.clone(),
            with: self.inputs.iter().map(plain).collect(),
            without: self.without.clone(),
            identity: Template::text(self.identity),
            token: self.token.clone().map(|token| Box::new(Template::Plain(token))),
            ..Call::new(self.name)
        }
    }
}
