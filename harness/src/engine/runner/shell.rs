//! Writes the command lines of findings: they run as they are printed once the variables of the secrets are set.

use std::sync::Arc;

use super::context::Context;
use crate::base::verdict::Finding;
use crate::judge::record::Record;
use crate::spec::contract::{Authorization, Operation};
use crate::wire::exchange::{Direction, Exchange, curl_with, fetching_with, variable};

/// Writes the command lines of findings with the variables that the target file names. A call that is sent with a token comes
/// after the one that returned the token.
pub(super) fn name_variables(findings: &mut [Finding], record: &Record, context: &Context) {
    for finding in findings.iter_mut().filter(|finding| finding.curl.is_some()) {
        let exchange = finding.exchange.and_then(|number| record.exchanges().find(|exchange| exchange.number == number));
        let Some(exchange) = exchange.filter(|exchange| exchange.direction == Direction::Call) else { continue };
        let line = curl_with(exchange, &|owner| context.shell_variable(&exchange.operation, owner));
        finding.curl = Some(match fetching(exchange, record, context) {
            Some(before) => format!("{before} && {line}"),
            None => line,
        });
    }
}

impl Context {
    /// The variable of a secret in a call: the one that the target file names, or else a made-up one.
    pub(crate) fn shell_variable(&self, operation: &str, owner: &str) -> String {
        let operation = self.contracts.operations.get(operation);
        let parts: Vec<&str> = operation.map(credential_parts).unwrap_or_default();
        let mut secret_parts = parts.into_iter().filter(|part| self.contracts.secret_parts.iter().any(|secret| secret == part)).peekable();
        let first = secret_parts.peek().copied().unwrap_or("secret");
        let named = secret_parts.find_map(|part| self.target.variables.get(owner)?.get(part));
        named.cloned().unwrap_or_else(|| variable(owner, first))
    }
}

/// The line that fetches the token of a call; none if the call has no token, or one that no response of the record has.
fn fetching(exchange: &Exchange, record: &Record, context: &Context) -> Option<String> {
    let operation = context.contracts.operations.get(&exchange.operation)?;
    let Authorization::Bearer(token) = &operation.credentials.header else { return None };
    let sent = exchange.request.header("authorization")?.strip_prefix("Bearer ")?;
    let returned = |earlier: &&Arc<Exchange>| {
        let mark = earlier.response_value().and_then(|body| body.get(&token.field)?.as_str());
        earlier.direction == Direction::Call && mark.is_some_and(|mark| !mark.is_empty() && sent.starts_with(mark))
    };
    let from = record.exchanges().filter(|earlier| earlier.number < exchange.number).find(returned)?;
    let mark = from.response_value()?.get(&token.field)?.as_str()?;
    let owner = mark.strip_prefix("***")?.strip_suffix("***")?;
    let line = fetching_with(from, (&token.field, &context.shell_variable(&from.operation, owner)), &|owner| {
        context.shell_variable(&from.operation, owner)
    });
    // The call that returns the token may need one itself.
    Some(match fetching(from, record, context) {
        Some(before) => format!("{before} && {line}"),
        None => line,
    })
}

/// The parts of a credential that the operation sends.
fn credential_parts(operation: &Operation) -> Vec<&str> {
    let header = match &operation.credentials.header {
        Authorization::Basic { password, .. } => Some(password.as_str()),
        Authorization::None | Authorization::Bearer(_) => None,
    };
    header.into_iter().chain(operation.credentials.fields.values().map(String::as_str)).collect()
}
