//! A command that the user provides, such as a browser script that pays.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::process::Command;

use super::super::WorldError;
use super::fill::filled;
use crate::spec::scenario::Template;

/// The longest that a command may take; one that plays the payer may open a browser.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a command without a shell. A JSON object that it prints is the action's result.
pub(super) async fn run(action: &str, words: &[Template], variables: &Map<String, Value>) -> Result<Value, WorldError> {
    let words: Vec<String> = words.iter().map(|word| filled(action, word, variables)).collect::<Result<_, _>>()?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(WorldError::Failed(format!("the command for `{action}` is empty")));
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, command.output()).await;
    let output = output.map_err(|_| WorldError::Failed(format!("`{program}` for `{action}` took longer than {} s", LIMIT.as_secs())))?;
    let output = output.map_err(|e| WorldError::Failed(format!("`{program}` for `{action}` could not be run: {e}")))?;
    if !output.status.success() {
        let stderr: String = String::from_utf8_lossy(&output.stderr).chars().take(300).collect();
        return Err(WorldError::Failed(format!("`{program}` for `{action}` ended with {}: {}", output.status, stderr.trim())));
    }
    let response = serde_json::from_slice::<Value>(&output.stdout).ok().filter(Value::is_object);
    Ok(response.unwrap_or_else(|| Value::Object(Map::new())))
}
