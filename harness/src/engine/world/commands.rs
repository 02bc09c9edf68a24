//! The world of a live target, moved by the user's commands: a browser script that pays, for example.

use std::process::Stdio;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use tokio::process::Command;
use url::Url;

use super::{World, WorldError};
use crate::spec::scenario::Template;

/// The longest that a command may take; one that plays the payer may open a browser.
const LIMIT: Duration = Duration::from_secs(120);

/// The user's commands, by action. An action without one skips the scenario.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Program and arguments; `{{ transId }}` is filled in from the action's parameters.
    pub commands: IndexMap<String, Vec<String>>,
    /// Base URLs by API.
    pub bases: IndexMap<String, Url>,
}

impl World for Commands {
    fn base(&self, api: &str) -> Option<&Url> {
        self.bases.get(api).or_else(|| self.bases.get("default"))
    }

    fn cannot(&self, action: &str) -> Option<String> {
        (!self.commands.contains_key(action)).then(|| format!("the target file has no command for `{action}`"))
    }

    fn act<'a>(&'a self, action: &'a str, with: &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, WorldError>> {
        async move {
            let words = self.commands.get(action).map(Vec::as_slice).unwrap_or_default();
            let words: Vec<String> = words.iter().map(|word| filled(word, with)).collect::<Result<_, _>>()?;
            run(action, &words).await
        }
        .boxed()
    }

    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
        async { Ok(false) }.boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
        async { Ok(()) }.boxed()
    }
}

fn filled(word: &str, with: &Map<String, Value>) -> Result<String, WorldError> {
    let value = Template::parse(&Value::String(word.to_owned())).and_then(|t| t.render(with));
    let value = value.map_err(|e| WorldError(format!("the command's word `{word}`: {e}")))?;
    Ok(crate::wire::expression::text_of(&value).unwrap_or_default())
}

/// Runs a command without a shell. A JSON object that it prints is the action's result.
async fn run(action: &str, words: &[String]) -> Result<Value, WorldError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(WorldError(format!("the command for `{action}` is empty")));
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, command.output()).await;
    let output = output.map_err(|_| WorldError(format!("`{program}` for `{action}` took longer than {} s", LIMIT.as_secs())))?;
    let output = output.map_err(|e| WorldError(format!("`{program}` for `{action}` could not be run: {e}")))?;
    if !output.status.success() {
        let said: String = String::from_utf8_lossy(&output.stderr).chars().take(300).collect();
        return Err(WorldError(format!("`{program}` for `{action}` ended with {}: {}", output.status, said.trim())));
    }
    let response = serde_json::from_slice::<Value>(&output.stdout).ok().filter(Value::is_object);
    Ok(response.unwrap_or_else(|| Value::Object(Map::new())))
}
