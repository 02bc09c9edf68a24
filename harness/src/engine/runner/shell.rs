//! Names the shell variables for secrets in the command lines of findings.

use super::context::Context;
use crate::base::verdict::Finding;
use crate::judge::record::Record;
use crate::spec::contract::{Authorization, Operation};
use crate::wire::exchange::{Direction, curl_with, variable};

/// Writes the command lines of findings with the variables that the target file names.
pub(super) fn name_variables(findings: &mut [Finding], record: &Record, context: &Context) {
    for finding in findings.iter_mut().filter(|finding| finding.curl.is_some()) {
        let exchange = finding.exchange.and_then(|number| record.exchanges().find(|exchange| exchange.number == number));
        let Some(exchange) = exchange.filter(|exchange| exchange.direction == Direction::Call) else { continue };
        let operation = context.contracts.operations.get(&exchange.operation);
        let parts: Vec<&str> = operation.map(credential_parts).unwrap_or_default();
        let secret_parts: Vec<&str> = parts.into_iter().filter(|part| context.contracts.secret_parts.iter().any(|s| s == part)).collect();
        finding.curl = Some(curl_with(exchange, &|owner| {
            let named = secret_parts.iter().find_map(|part| context.target.variables.get(owner)?.get(*part));
            named.cloned().unwrap_or_else(|| variable(owner, secret_parts.first().copied().unwrap_or("secret")))
        }));
    }
}

/// The parts of a credential that the operation sends.
fn credential_parts(operation: &Operation) -> Vec<&str> {
    let header = match &operation.credentials.header {
        Authorization::Basic { password, .. } => Some(password.as_str()),
        Authorization::None | Authorization::Bearer(_) => None,
    };
    header.into_iter().chain(operation.credentials.fields.values().map(String::as_str)).collect()
}
