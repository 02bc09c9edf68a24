//! One move of a sequence: what is done, to what, and how; first as it was chosen, then written out.

use serde_json::{Map, Value};

use super::model::{Action, Model, Verb};
use super::state::State;
use crate::scenario::{Call, HttpExpectation, Template, Variables};

/// A choice. It names things by the move that created them, and values by the way in which they are found, so
/// that it can be played again in another world and in a shorter sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// Unique in its sequence; the thing that it creates is named by it.
    pub(crate) key: usize,
    /// Which action of the model.
    pub(crate) action: usize,
    /// Which of its operations.
    pub(crate) operation: usize,
    /// Which of its identities.
    pub(crate) identity: usize,
    /// The thing that it is done to; none = one that does not exist, where the action is done to something.
    pub(crate) on: Option<usize>,
    /// For each field which of its values.
    pub(crate) ways: Vec<usize>,
}

/// What happens at one time: one move, or several that meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stride {
    /// One move.
    One(Move),
    /// At the same time.
    Together(Vec<Move>),
}

impl Stride {
    /// Its moves.
    pub(crate) fn moves(&self) -> &[Move] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Together(moves) => moves,
        }
    }
}

/// A move with its values.
#[derive(Clone, Debug)]
pub(crate) struct Prepared<'m> {
    /// The key of the move.
    pub(crate) key: usize,
    /// What is done.
    pub(crate) action: &'m Action,
    /// Its place in the model.
    pub(crate) index: usize,
    /// The operation, or the action of the world.
    pub(crate) name: &'m str,
    /// With whose credentials.
    pub(crate) identity: &'m str,
    /// To which thing; none where it is done to nothing that exists.
    pub(crate) on: Option<usize>,
    /// The values of its fields.
    pub(crate) inputs: Map<String, Value>,
    /// The fields that are left out.
    pub(crate) without: Vec<String>,
    /// The token to send.
    pub(crate) token: Option<Value>,
}

impl Move {
    /// The move in a world that may be so; nothing where what it is done to is not there.
    pub(crate) fn prepared<'m>(&self, model: &'m Model, state: &State) -> Result<Option<Prepared<'m>>, String> {
        let Some(action) = model.actions.get(self.action) else { return Ok(None) };
        let name = match &action.verb {
            Verb::Call(operations) => operations.get(self.operation).map(String::as_str),
            Verb::World(name) => Some(name.as_str()),
        };
        let identity = action.identities.get_index(self.identity).map(|(name, _)| name.as_str());
        let (Some(name), Some(identity)) = (name, identity) else { return Ok(None) };
        if self.on.is_some_and(|key| !state.things.contains_key(&key)) {
            return Ok(None);
        }
        let mut prepared = Prepared {
            key: self.key,
            action,
            index: self.action,
            name,
            identity,
            on: self.on,
            inputs: Map::new(),
            without: Vec::new(),
            token: None,
        };
        let known = self.known(model, action, state);
        for ((field, ways), way) in action.with.iter().zip(&self.ways) {
            let Some(template) = ways.get(*way) else { return Ok(None) };
            let value = match template.render(&known) {
                // Of something that does not exist there is nothing that could be sent.
                Err(_) if self.on.is_none() && action.on.is_some() => return Ok(None),
                rendered => rendered.map_err(|e| format!("`{}`: `{field}`: {e}", action.id))?,
            };
            match value {
                Value::Null => prepared.without.push(field.clone()),
                value => _ = prepared.inputs.insert(field.clone(), value),
            }
        }
        let token = action.token.as_ref().map(|token| token.render(&known)).transpose();
        prepared.token = token.map_err(|e| format!("`{}`: `token`: {e}", action.id))?;
        Ok(Some(prepared))
    }

    /// What the values of its fields may be made of.
    fn known(&self, model: &Model, action: &Action, state: &State) -> Variables {
        let mut known = state.shared.clone();
        match self.on.and_then(|key| state.things.get(&key)) {
            Some(thing) => known.extend(thing.variables.clone()),
            None => {
                let resource = action.on.as_ref().and_then(|name| model.resources.get(name));
                known.extend(resource.map(|resource| ("id".to_owned(), resource.unknown.clone())));
            }
        }
        known
    }
}

impl Prepared<'_> {
    /// What the rows of the model are held against: what is known of the world and of the thing, and what is sent.
    pub(crate) fn known(&self, state: &State) -> Variables {
        let mut known = state.shared.clone();
        let thing = self.on.and_then(|key| state.things.get(&key));
        if let Some(thing) = thing {
            known.extend(thing.variables.clone());
        }
        known.extend(self.inputs.clone());
        known.insert("known".to_owned(), thing.is_some().into());
        known.insert("as".to_owned(), self.identity.into());
        known.insert("call".to_owned(), self.name.into());
        known.extend(self.token.clone().map(|token| ("bearer".to_owned(), token)));
        known
    }

    /// The request as a step of a scenario sends it.
    pub(crate) fn call(&self) -> Call {
        let plain = |(name, value): (&String, &Value)| (name.clone(), Template::Plain(value.clone()));
        Call {
            operation: Template::text(self.name),
            example: self.action.example.clone(),
            with: self.inputs.iter().map(plain).collect(),
            extra: indexmap::IndexMap::new(),
            query: indexmap::IndexMap::new(),
            query_credentials: Vec::new(),
            without: self.without.clone(),
            identity: Template::text(self.identity),
            token: self.token.clone().map(Template::Plain),
            body: None,
            expect: indexmap::IndexMap::new(),
            http: HttpExpectation::default(),
            keep: Vec::new(),
            until: indexmap::IndexMap::new(),
            within: None,
        }
    }
}
