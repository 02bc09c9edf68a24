//! `paycheck contracts`: the operations of the contracts.

use std::path::PathBuf;

use clap::Args;

use super::console::print;
use super::failure::Failure;
use super::inputs;
use crate::base::exit::Exit;
use crate::base::source::nearest;
use crate::spec::contract::{Authorization, Contracts, Expected, Operation, WorldAction, violations};

#[derive(Debug, Clone, Args)]
pub(super) struct ContractsArguments {
    /// The operation or the action to show, for example `gateway.v2.status` or `payer.pays`.
    operation: Option<String>,
    /// Lists what happens outside the APIs: the actions that drivers of a target file carry out.
    #[arg(long, conflicts_with = "operation")]
    actions: bool,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
}

/// Lists the operations or the actions, or shows one.
pub(super) fn run(arguments: &ContractsArguments) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    match &arguments.operation {
        None if arguments.actions => contracts.actions.values().try_for_each(list_action)?,
        None => list(&contracts)?,
        Some(id) => match (contracts.operation(id), contracts.actions.get(id)) {
            (Some(operation), _) => show(operation)?,
            (None, Some(action)) => show_action(action)?,
            (None, None) => {
                let operations = contracts.operations.keys().chain(contracts.notifications.keys());
                let names = operations.chain(contracts.actions.keys()).map(String::as_str);
                let help = nearest(id, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(Failure::invalid(format!("there is no operation or action `{id}`{help}")));
            }
        },
    }
    Ok(Exit::Passed)
}

/// One line: what a driver is written for.
fn list_action(action: &WorldAction) -> Result<(), Failure> {
    let fault = if action.fault { "  (a fault)" } else { "" };
    print(&format!("{:<32}{}{fault}", action.name, action.says))
}

fn list(contracts: &Contracts) -> Result<(), Failure> {
    for operation in contracts.operations.values().chain(contracts.notifications.values()) {
        let assumed = if operation.assumed.is_some() { "  (path assumed)" } else { "" };
        let path = if operation.path.as_str().is_empty() { "to the merchant" } else { operation.path.as_str() };
        print(&format!("{:<26} {:<7}{path}{assumed}", operation.id, operation.method))?;
    }
    Ok(())
}

fn show(operation: &Operation) -> Result<(), Failure> {
    print(&format!("{}: {}", operation.id, operation.summary))?;
    print(&format!("  {} {}", operation.method, operation.path.as_str()))?;
    if let Some(reason) = &operation.assumed {
        print(&format!("  assumed: {reason}"))?;
    }
    print(&format!("  credentials: {}", credentials(operation)))?;
    if let Some(content) = &operation.request {
        print(&format!("  request: {} ({})", content.media_type, content.schema.name))?;
    }
    for (when, contents) in [("2xx", &operation.response), ("503", &operation.unavailable), ("else", &operation.error_response)] {
        for content in contents {
            print(&format!("  response, {when}: {} ({})", content.media_type, content.schema.name))?;
        }
    }
    for (code, meaning) in &operation.codes {
        print(&format!("  code {code:>4}  {:<58} {}", meaning.means, meaning.clause))?;
    }
    for violation in violations(operation) {
        let expected = match &violation.expected {
            Expected::Accepted => "accepted".to_owned(),
            Expected::Refused(codes) if codes.is_empty() => "refused".to_owned(),
            Expected::Refused(codes) => format!("refused with {}", codes.join(" or ")),
        };
        print(&format!("  {:<58} {expected}", violation.name))?;
    }
    Ok(())
}

fn show_action(action: &WorldAction) -> Result<(), Failure> {
    print(&format!("{}: {}", action.name, action.says))?;
    for (parameter, required) in &action.parameters {
        print(&format!("  {parameter:<20}{}", if *required { "always given" } else { "optional" }))?;
    }
    if action.open {
        print("  further parameters  any")?;
    }
    print(&format!("  carried out by a driver for `{}` under `world` in the target file", action.name))
}

fn credentials(operation: &Operation) -> String {
    let fields = operation.credentials.fields.keys().cloned().collect::<Vec<_>>().join(", ");
    let fields = (!fields.is_empty()).then(|| format!("fields {fields}"));
    let header = match &operation.credentials.header {
        Authorization::None => None,
        Authorization::Basic { username, password } => Some(format!("Basic header made of {username} and {password}")),
        Authorization::Bearer(token) => Some(format!("Bearer header with `{}` of {}", token.field, token.operation)),
    };
    let parts: Vec<_> = fields.into_iter().chain(header).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
}
