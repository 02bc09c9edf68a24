//! The target of a command: the named one, or the emulator in this binary.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use emulator::{Config, Emulator};
use futures::FutureExt as _;
use indexmap::IndexMap;
use url::Url;

use super::arguments::Source;
use super::ask::AtTerminal;
use super::failure::Failure;
use super::{inputs, interrupt, merchants};
use crate::base::text::all_of;
use crate::engine::client;
use crate::engine::outcome::EMBEDDED_ADDRESS;
use crate::engine::runner::{Carriers, Case, Context, LeftOpen, Limits};
use crate::modes::reach::ClausesByCase;
use crate::modes::verify;
use crate::spec::contract::Contracts;
use crate::spec::target::{Notifications, Target};

/// A running emulator and the target that leads to it.
pub(super) struct Embedded {
    pub(super) emulator: Emulator,
    pub(super) target: Target,
    pub(super) aliases: Vec<(String, String)>,
}

/// A target that is ready to be called.
pub(super) struct Opened {
    pub(super) target: Target,
    pub(super) aliases: Vec<(String, String)>,
    /// The emulator that was started for the command, if no target file is named.
    pub(super) emulator: Option<Emulator>,
}

/// Reads the named target file, or starts an emulator.
pub(super) async fn open(path: Option<&Path>, contracts: &Contracts) -> Result<Opened, Failure> {
    let Some(path) = path else {
        let Embedded { emulator, target, aliases } = start().await?;
        return Ok(Opened { target, aliases, emulator: Some(emulator) });
    };
    Ok(Opened { target: inputs::read_target(path, contracts)?, aliases: Vec::new(), emulator: None })
}

/// Starts the emulator on a free port of this machine.
pub(super) async fn start() -> Result<Embedded, Failure> {
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = Config { listen: here, ..Config::default() };
    let emulator = Emulator::start(config).await.map_err(|e| Failure::internal(format!("the emulator can't start: {e}")))?;
    let base = emulator.base_url();
    let url = Url::parse(&base).map_err(|e| Failure::internal(format!("the emulator's address {base}: {e}")))?;
    let aliases =
        vec![(base.trim_end_matches('/').to_owned(), EMBEDDED_ADDRESS.to_owned()), (client::authority(&url), "emulator".to_owned())];
    Ok(Embedded { emulator, target: target(url, here), aliases })
}

/// Connects to the named target, or to an emulator that is started for the command and lives as long as the result. A command that
/// waits for no notification needs no inbox, so one whose address is taken does not end it.
pub(super) async fn connect(source: &Source, contracts: Arc<Contracts>, needs_inbox: bool) -> Result<(Context, Option<Emulator>), Failure> {
    let Opened { mut target, aliases, emulator } = open(source.target.as_deref(), &contracts).await?;
    if emulator.is_none() {
        announce(&target, &contracts)?;
    }
    if let (false, Some(address)) = (needs_inbox, target.notifications.listen)
        && let Err(error) = std::net::TcpListener::bind(address)
    {
        target.notifications.listen = None;
        note(&[format!("there is no inbox: it can't listen on {address} ({error}), and no case of this run waits for a notification")])?;
    }
    let context = Context::start(contracts, target, aliases, source.seed).await?;
    Ok((context.with_person(Arc::new(AtTerminal::default())), emulator))
}

/// Prints what could not be checked before the run.
pub(super) fn note(unchecked: &[String]) -> Result<(), Failure> {
    let mut out = io::stderr().lock();
    for sentence in unchecked {
        writeln!(out, "note: {sentence}")?;
    }
    Ok(())
}

/// Prints notes about a target that a user may not expect.
pub(super) fn announce(target: &Target, contracts: &Contracts) -> Result<(), Failure> {
    let mut out = io::stderr().lock();
    if let Some(note) = note_on_ordinary(target.ordinary_secrets(contracts)) {
        writeln!(out, "note: {note}")?;
    }
    if let Some(proxy) = client::proxy(target) {
        writeln!(out, "note: all calls go through the proxy {proxy} that the environment names")?;
    }
    Ok(())
}

/// One sentence about all secrets, by owner and part, that are not masked everywhere.
fn note_on_ordinary<'s>(secrets: impl Iterator<Item = (&'s str, &'s str)>) -> Option<String> {
    let mut by_owner: IndexMap<&str, Vec<String>> = IndexMap::new();
    secrets.for_each(|(owner, part)| by_owner.entry(owner).or_default().push(part.to_owned()));
    let are = match by_owner.values().map(Vec::len).sum() {
        0 => return None,
        1 => "is so short or so common that it is",
        _ => "are so short or so common that they are",
    };
    let named: Vec<String> = by_owner.iter().map(|(owner, parts)| format!("{} of `{owner}`", all_of(parts))).collect();
    Some(format!("{} {are} masked only where credentials are expected", named.join(", ")))
}

/// The clauses that each case judges, as the emulator in this binary shows, with or without an inbox. Nothing is sent elsewhere.
pub(super) async fn carriers(contracts: Arc<Contracts>, plan: Vec<Case>, jobs: usize, inbox: bool) -> Result<ClausesByCase, Failure> {
    carriers_until(contracts, plan, jobs, inbox, std::future::pending(), |_| false).await
}

/// The same, until the clauses of one more case are `enough`, or `stop`.
async fn carriers_until(
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
    jobs: usize,
    inbox: bool,
    stop: impl Future<Output = ()>,
    mut enough: impl FnMut(&[String]) -> bool,
) -> Result<ClausesByCase, Failure> {
    let Embedded { emulator, mut target, aliases } = start().await?;
    target.notifications.listen = target.notifications.listen.filter(|_| inbox);
    let context = Context::start(contracts, target, aliases, 1).await?;
    let mut carriers = ClausesByCase::default();
    let (Ok(_) | Err(Enough)) = verify::play(Arc::new(context), plan, BTreeSet::new(), Limits { jobs }, stop, |event| {
        if enough(carriers.collect(event)) { Err(Enough) } else { Ok(()) }
    })
    .await;
    emulator.stop().await;
    Ok(carriers)
}

/// Ends a run that has shown what was to be known.
struct Enough;

/// Plays those cases of a plan on the emulator in this binary that a run on another target leaves open, until each clause that it
/// leaves open is found in one.
pub(super) fn carriers_of_some(contracts: Arc<Contracts>, plan: Vec<Case>, jobs: usize) -> Carriers {
    Arc::new(move |LeftOpen { cases, mut clauses }| {
        let left: Vec<Case> = plan.iter().filter(|case| cases.contains(&case.name.to_string())).cloned().collect();
        let all_found = move |judged: &[String]| {
            for clause in judged {
                clauses.remove(clause);
            }
            clauses.is_empty()
        };
        let stop = interrupt::handle_gracefully().wait();
        let played = carriers_until(Arc::clone(&contracts), one_of_each_first(left), jobs, true, stop, all_found);
        played.map(|carriers| carriers.map(ClausesByCase::into_cases).unwrap_or_else(|failure| without(&failure))).boxed()
    })
}

/// A plan that begins with one case of each scenario: its further ones judge little else in passing.
fn one_of_each_first(plan: Vec<Case>) -> Vec<Case> {
    let mut seen = HashSet::new();
    let (first, further): (Vec<_>, Vec<_>) = plan.into_iter().partition(|case| seen.insert(Arc::as_ptr(&case.scenario)));
    [first, further].concat()
}

/// Says why it is not known what the cases that were left open judge in passing; the run has its result without that.
fn without(failure: &Failure) -> BTreeMap<String, Vec<String>> {
    let why = format!("what the skipped cases judge beside what they are about is not counted: {failure}");
    // Nothing is left to do if standard error can't be written.
    let _ = note(&[why]);
    BTreeMap::new()
}

fn target(base: Url, inbox: SocketAddr) -> Target {
    let notifications = Notifications { listen: Some(inbox), public: None, within: Duration::from_secs(5) };
    Target::emulated("emulator (embedded)", base, merchants::credentials().clone(), notifications)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_secrets_that_are_not_masked_everywhere_are_in_one_note() {
        let note = |secrets: &[(&'static str, &'static str)]| note_on_ordinary(secrets.iter().copied());
        assert_eq!(note(&[]), None);
        let one = "`secret` of `main` is so short or so common that it is masked only where credentials are expected";
        assert_eq!(note(&[("main", "secret")]).as_deref(), Some(one));
        let three = "`secret` and `terminal-secret` of `main`, `secret` of `other` are so short or so common that they are masked only \
                     where credentials are expected";
        assert_eq!(note(&[("main", "secret"), ("main", "terminal-secret"), ("other", "secret")]).as_deref(), Some(three));
    }
}
