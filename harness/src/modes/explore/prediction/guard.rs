//! Guards and matchers, evaluated against the variables of a state.

use indexmap::IndexMap;
use serde_json::Value;

use super::super::error::ModelError;
use super::super::model::ModelTransition;
use crate::spec::scenario::{Given, Matcher, Variables};

/// The first transition whose guard holds.
pub(super) fn first_enabled<'t>(
    transitions: &'t [ModelTransition],
    variables: &Variables,
) -> Result<Option<&'t ModelTransition>, ModelError> {
    for transition in transitions {
        let holds = holds(&transition.when, variables);
        if holds.map_err(|error| ModelError::Guard { place: transition.place.clone(), reason: error.to_string() })? {
            return Ok(Some(transition));
        }
    }
    Ok(None)
}

/// Whether every condition holds.
pub(super) fn holds(conditions: &IndexMap<String, Matcher>, variables: &Variables) -> Result<bool, ModelError> {
    for (name, matcher) in conditions {
        if !matches(matcher, variables.get(name), variables)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a matcher accepts a value.
pub(super) fn matches(matcher: &Matcher, value: Option<&Value>, variables: &Variables) -> Result<bool, ModelError> {
    matcher.holds(value, &Given::uncut(variables)).map_err(ModelError::expression)
}

/// What a matcher accepts, in words.
pub(crate) fn describe(matcher: &Matcher, variables: &Variables) -> Result<Value, ModelError> {
    matcher.describe(&Given::uncut(variables)).map_err(ModelError::expression)
}
