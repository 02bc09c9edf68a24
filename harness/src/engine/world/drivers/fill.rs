//! The variables of a driver's templates, and how they are filled in.

use serde_json::{Map, Value};

use super::super::WorldError;
use crate::spec::contract::Contracts;
use crate::spec::scenario::Template;
use crate::spec::target::Target;
use crate::wire::expression::text_of;

/// The variables that are the same for every action: base URLs by API, and the credentials.
pub(super) fn of_target(target: &Target, contracts: &Contracts) -> Map<String, Value> {
    let apis = contracts.operations.values().map(|operation| operation.api.as_str()).chain(["default"]);
    let bases = apis.filter_map(|api| Some((api.to_owned(), target.base(api)?.as_str().trim_end_matches('/').into())));
    let credentials = target.credentials.iter().map(|(identity, parts)| {
        let parts = parts.iter().map(|(part, value)| (part.clone(), Value::String(value.clone())));
        (identity.clone(), Value::Object(parts.collect()))
    });
    let names = [("base", Value::Object(bases.collect())), ("credentials", Value::Object(credentials.collect()))];
    names.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Fills in a text.
pub(super) fn filled(action: &str, template: &Template, variables: &Map<String, Value>) -> Result<String, WorldError> {
    let value = template.render(variables).map_err(|error| WorldError::Driver(format!("the driver of `{action}`: {error}")))?;
    // All parameters at once are JSON.
    Ok(text_of(&value).unwrap_or_else(|| if value.is_null() { String::new() } else { value.to_string() }))
}
