//! A command that the user provides, such as a browser script that pays.

use std::time::Duration;

use serde_json::{Map, Value};

use super::super::WorldError;
use super::fill::filled;
use crate::engine::subprocess;
use crate::spec::scenario::Template;

/// The longest that a command may take; one that plays the payer may open a browser.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a command without a shell. A JSON object that it prints is the action's result.
pub(super) async fn run(action: &str, words: &[Template], variables: &Map<String, Value>) -> Result<Value, WorldError> {
    let words: Vec<String> = words.iter().map(|word| filled(action, word, variables)).collect::<Result<_, _>>()?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(WorldError::Driver(format!("the command for `{action}` is empty")));
    };
    let failed = |what: String| WorldError::Driver(format!("`{program}` for `{action}` {what}"));
    let output = subprocess::run(program, arguments, LIMIT).await.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("ended with {}: {}", output.status, output.complaint())));
    }
    let response = serde_json::from_slice::<Value>(&output.stdout).ok().filter(Value::is_object);
    Ok(response.unwrap_or_else(|| Value::Object(Map::new())))
}
