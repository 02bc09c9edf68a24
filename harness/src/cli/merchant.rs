//! The endpoint and the credentials of the merchant that is notified.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::console::print;
use super::failure::Failure;
use super::merchants;
use crate::base::interrupt::Interrupt;
use crate::engine::client::is_listening;
use crate::engine::push::Gateway;
use crate::spec::contract::Contracts;
use crate::spec::target::{self, Credential};

/// The pause between attempts to connect to an endpoint that is not ready.
const EVERY: Duration = Duration::from_millis(50);

/// Checks that an endpoint is usable.
pub(super) fn usable(endpoint: &Url) -> Result<(), Failure> {
    if matches!(endpoint.scheme(), "http" | "https") && endpoint.username().is_empty() && endpoint.password().is_none() {
        return Ok(());
    }
    let message = "an endpoint is http:// or https://, without user name and password";
    Err(Failure::invalid(message))
}

/// The merchant's credentials, from this file if there is one, and where they come from.
pub(super) fn credential(file: Option<&Path>, contracts: &Contracts) -> Result<(Credential, String), Failure> {
    let wanted = parts(contracts);
    if let Some(path) = file {
        let credential = target::read_credential(path, contracts)?;
        let lacking = wanted.iter().find(|part| !credential.contains_key(*part));
        let unknown = credential.keys().find(|part| !wanted.contains(*part));
        return match lacking.map(|p| ("lacks", p)).or(unknown.map(|p| ("has an unknown part", p))) {
            Some((word, part)) => Err(Failure::invalid(format!("{} {word} `{part}`", path.display()))),
            None => Ok((credential, format!("from {}", path.display()))),
        };
    }
    let variables: Vec<_> = wanted.iter().map(|part| (part, format!("PAYCHECK_{}", part.to_uppercase()))).collect();
    let given: Credential = variables
        .iter()
        .filter_map(|(part, name)| Some(((*part).clone(), std::env::var(name).ok().filter(|value| !value.is_empty())?)))
        .collect();
    if given.is_empty() {
        return Ok((made_up(), "made up; they open nothing else".to_owned()));
    }
    match variables.iter().find(|(part, _)| !given.contains_key(*part)) {
        Some((_, name)) => {
            let all: Vec<&str> = variables.iter().map(|(_, name)| name.as_str()).collect();
            let all = all.join(" and ");
            Err(Failure::invalid(format!(
                "the environment variable {name} is not set: set {all}, or unset them all to use made-up credentials, or name a file (`--credentials`)"
            )))
        }
        None => Ok((given, "from the environment".to_owned())),
    }
}

/// The parts of a credential that notifications carry.
fn parts(contracts: &Contracts) -> BTreeSet<String> {
    let fields = contracts.notifications.values().flat_map(|notification| notification.credentials.fields.values().cloned());
    fields.collect()
}

/// Credentials for a merchant without any. The secret protects nothing: it is in the guide.
fn made_up() -> Credential {
    Credential::from([
        ("merchant".to_owned(), merchants::main_id().to_owned()),
        ("secret".to_owned(), "made-up-secret-of-notify".to_owned()),
    ])
}

/// Prints what the merchant must be configured with. Only the made-up secret is shown.
pub(super) fn announce(gateway: &Gateway, contracts: &Contracts, credential: &Credential, origin: &str) -> Result<(), Failure> {
    let known = *credential == made_up();
    let shown = |(part, value): (&String, &String)| {
        let value = if contracts.secret_parts.contains(part) && !known { "***" } else { value };
        format!("{part} {value}")
    };
    let parts: Vec<String> = credential.iter().map(shown).collect();
    print(&format!("gateway      {}", gateway.base_url()))?;
    print(&format!("credentials  {} ({origin})", parts.join(", ")))
}

/// Waits until the endpoint accepts connections, at most this long, or until the user ends the command.
pub(super) async fn wait_for(endpoint: &Url, wait: Duration, interrupt: &Interrupt) {
    let deadline = Instant::now() + wait;
    let Some(address) = endpoint.host_str().zip(endpoint.port_or_known_default()).map(|(host, port)| format!("{host}:{port}")) else {
        return;
    };
    let listening = async {
        while !is_listening(&address, deadline).await && Instant::now() + EVERY < deadline {
            tokio::time::sleep(EVERY).await;
        }
    };
    tokio::select! {
        () = listening => {}
        () = interrupt.wait() => {}
    }
}
