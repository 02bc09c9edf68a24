//! Guards and matchers, evaluated against the variables of a state.

use indexmap::IndexMap;
use serde_json::Value;

use super::super::error::ModelError;
use super::super::model::{AllowedOutcome, ModelTransition};
use crate::spec::scenario::{Given, Matcher, Variables};

/// The first transition whose guard holds.
pub(super) fn first_enabled<'t>(
    transitions: &'t [ModelTransition],
    variables: &Variables,
) -> Result<Option<&'t ModelTransition>, ModelError> {
    for transition in transitions {
        if transition.guard_holds(&transition.when, variables)? {
            return Ok(Some(transition));
        }
    }
    Ok(None)
}

impl ModelTransition {
    /// The outcomes that count: those whose condition holds, and only the assumed ones where the target asserts assumptions and there
    /// are any.
    pub(crate) fn allowed(&self, variables: &Variables, assert_assumed: bool) -> Result<Vec<&AllowedOutcome>, ModelError> {
        let only_assumed = assert_assumed && self.outcomes.iter().any(|outcome| outcome.assumed);
        let mut allowed = Vec::new();
        for outcome in self.outcomes.iter().filter(|outcome| !only_assumed || outcome.assumed) {
            if self.guard_holds(&outcome.when, variables)? {
                allowed.push(outcome);
            }
        }
        Ok(allowed)
    }

    /// Whether a guard of this transition holds; an error names its place.
    fn guard_holds(&self, guard: &IndexMap<String, Matcher>, variables: &Variables) -> Result<bool, ModelError> {
        holds(guard, variables).map_err(|error| ModelError::Guard { place: self.place.clone(), reason: error.to_string() })
    }
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
