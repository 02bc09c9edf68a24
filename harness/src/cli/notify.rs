//! `paycheck notify`: plays the gateway towards a merchant's notification endpoint.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::Instant;
use url::Url;

use super::verify::{print, start_failure, stop_on_interrupt, without_skips};
use super::{Console, Failure, NotifyArguments, inputs, reports};
use crate::contract::Contracts;
use crate::exit::Exit;
use crate::notify::{self, Gateway, Options, RunError};
use crate::report::{Reporter, Tally};
use crate::target::{self, Credential, is_loopback};

/// The longest that the slow case may take.
const SLOWEST: Duration = Duration::from_secs(60);
/// How often an endpoint is tried that nobody listens at yet.
const EVERY: Duration = Duration::from_millis(50);

/// Reads everything, starts the gateway, says where, runs, reports.
pub(super) async fn run(arguments: &NotifyArguments, console: &Console) -> Result<Exit, Failure> {
    permitted(arguments)?;
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    let (credential, origin) = credential(arguments.credentials.as_deref(), &contracts)?;
    let mut reporters = reports::open(&arguments.reports, Vec::new(), console)?;
    let gateway = Gateway::start(Arc::clone(&contracts), arguments.gateway, &credential, arguments.seed).await.map_err(start_failure)?;
    announce(&gateway, &contracts, &credential, &origin)?;
    awaited(&arguments.endpoint, arguments.wait).await;
    let options = Options {
        endpoint: arguments.endpoint.clone(),
        within: arguments.within,
        slow: arguments.slow,
        orders: arguments.orders.clone(),
        filter: arguments.filter.clone(),
        seed: arguments.seed,
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let mut tally = Tally::default();
    let ended = notify::run(&contracts, &gateway, &options, stop_on_interrupt(Arc::clone(&interrupted)), |event| {
        let event = if arguments.allow_skipped { without_skips(event) } else { event.clone() };
        tally.take(&event);
        reporters.take(&event)
    })
    .await;
    gateway.stop().await;
    let ended = ended.map_err(|error| match error {
        RunError::Invalid(message) => Failure::Other(Exit::InvalidInput, message),
        RunError::Told(error) => error.into(),
    })?;
    Ok(match (interrupted.load(Ordering::Relaxed), ended.unreachable) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Unreachable,
        (false, false) => tally.exit(),
    })
}

/// What is refused before anything is sent.
fn permitted(arguments: &NotifyArguments) -> Result<(), Failure> {
    let refuse = |message: &str| Err(Failure::Other(Exit::InvalidInput, message.to_owned()));
    usable(&arguments.endpoint)?;
    if !is_loopback(&arguments.endpoint) && !arguments.allow_remote {
        return refuse(
            "the endpoint is not on this machine; it would get forged and broken notifications. `--allow-remote` lets it, \
             if it is a test installation",
        );
    }
    if arguments.slow > SLOWEST {
        return refuse("`--slow` takes at most 60s");
    }
    Ok(())
}

/// Whether an endpoint can be used at all.
pub(super) fn usable(endpoint: &Url) -> Result<(), Failure> {
    if matches!(endpoint.scheme(), "http" | "https") && endpoint.username().is_empty() && endpoint.password().is_none() {
        return Ok(());
    }
    let message = "an endpoint is http:// or https://, without user name and password";
    Err(Failure::Other(Exit::InvalidInput, message.to_owned()))
}

/// The merchant's credentials, from this file if there is one, and where they come from.
pub(super) fn credential(file: Option<&Path>, contracts: &Contracts) -> Result<(Credential, String), Failure> {
    let wanted = parts(contracts);
    if let Some(path) = file {
        let credential = target::read_credential(path)?;
        let lacking = wanted.iter().find(|part| !credential.contains_key(*part));
        let unknown = credential.keys().find(|part| !wanted.contains(*part));
        return match lacking.map(|p| ("lacks", p)).or(unknown.map(|p| ("has an unknown part", p))) {
            Some((word, part)) => Err(Failure::Other(Exit::InvalidInput, format!("{} {word} `{part}`", path.display()))),
            None => Ok((credential, format!("from {}", path.display()))),
        };
    }
    let variables: Vec<_> = wanted.iter().map(|part| (part, format!("PAYCHECK_{}", part.to_uppercase()))).collect();
    let given: Credential = variables.iter().filter_map(|(part, name)| Some(((*part).clone(), std::env::var(name).ok()?))).collect();
    if given.is_empty() {
        return Ok((made_up(), "made up; they open nothing else".to_owned()));
    }
    match variables.iter().find(|(part, _)| !given.contains_key(*part)) {
        Some((_, name)) => Err(Failure::Other(Exit::InvalidInput, format!("the environment variable {name} is not set"))),
        None => Ok((given, "from the environment".to_owned())),
    }
}

/// The parts of a credential that notifications carry.
fn parts(contracts: &Contracts) -> BTreeSet<String> {
    let fields = contracts.notifications.values().flat_map(|notification| notification.credentials.fields.values().cloned());
    fields.collect()
}

/// Credentials for a merchant that was given none. The secret is none: it stands in the guide.
fn made_up() -> Credential {
    Credential::from([("merchant".to_owned(), "100001".to_owned()), ("secret".to_owned(), "made-up-secret-of-notify".to_owned())])
}

/// What the merchant must be configured with. A secret is shown only when it is none.
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

/// Waits until somebody listens at the endpoint, at most so long.
pub(super) async fn awaited(endpoint: &Url, wait: Duration) {
    let deadline = Instant::now() + wait;
    let Ok(addresses) = endpoint.socket_addrs(|| None) else { return };
    while TcpStream::connect(addresses.as_slice()).await.is_err() && Instant::now() + EVERY < deadline {
        tokio::time::sleep(EVERY).await;
    }
}
