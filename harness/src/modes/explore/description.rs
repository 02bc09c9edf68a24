//! Executed commands in words.

use serde_json::Value;

use super::trace::{ExecutedBatch, ExecutedCommand};
use crate::spec::scenario::Template;

/// A batch on one line.
pub(super) fn describe(executed: &ExecutedBatch<'_>) -> String {
    executed.commands.iter().map(describe_command).collect::<Vec<_>>().join("   ‖   ")
}

fn describe_command(command: &ExecutedCommand<'_>) -> String {
    let bound = &command.bound;
    // A field with a single possible value, such as the entity's identifier, says nothing.
    let is_choice = |values: &Vec<Template>| values.len() > 1 || values.iter().all(|value| value.names().is_empty());
    let inputs = bound.inputs.iter().filter(|(name, _)| bound.action.with.get(*name).is_some_and(is_choice));
    let inputs: Vec<String> = inputs.map(|(name, value)| format!("{name}={}", plain(value))).collect();
    let identity = if bound.identity == crate::spec::target::MAIN { String::new() } else { format!(" as {}", bound.identity) };
    let on = bound.on.map(|key| format!(" #{key}")).unwrap_or_default();
    let created = command.created.as_ref().map(|_| format!(" → #{}", bound.key)).unwrap_or_default();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" {}", inputs.join(" ")) };
    format!("{}{on}{inputs}{identity}{created}", bound.name)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
