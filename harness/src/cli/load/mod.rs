//! `paycheck load`: loads a target, and judges every answer.

mod arguments;
mod merge;
mod notification;
mod outputs;
mod together;
mod watching;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

pub(super) use arguments::LoadArguments;
use arguments::{Other, PlayArguments};
use watching::Watching;

use super::embedded::{self, Embedded};
use super::verify::{print, start_failure};
use super::{Console, Failure, inputs};
use crate::contract::Contracts;
use crate::exit::Exit;
use crate::load::execute::{Ended, LoadError, Order, execute};
use crate::load::profile::{self, Profile};
use crate::load::prometheus::{self, Exporter, Page};
use crate::load::shape::Shard;
use crate::load::verdict;
use crate::scenario::Scenario;
use crate::target;

/// Does what the arguments ask for.
pub(super) async fn run(arguments: &LoadArguments, console: &Console) -> Result<Exit, Failure> {
    match (&arguments.other, &arguments.play.profile) {
        (Some(Other::Profiles), _) => list(),
        (Some(Other::Notification(arguments)), _) => notification::run(arguments, console).await,
        (Some(Other::Merge(merging)), _) => merge::run(merging, console),
        (None, Some(name)) => load(name, &arguments.play, console).await,
        (None, None) => {
            let message = "which profile? `paycheck load profiles` lists those in this binary";
            Err(Failure::Other(Exit::InvalidInput, message.to_owned()))
        }
    }
}

fn list() -> Result<Exit, Failure> {
    let contracts = inputs::contracts(None)?;
    let scenarios = inputs::scenarios(&[], &contracts)?;
    for name in profile::names() {
        let profile = profile::parse(&profile::builtin(&name)?, &contracts, &scenarios)?;
        print(&format!("{name:<14} {:<22} {}", profile.kind.name(), profile.title))?;
    }
    Ok(Exit::Passed)
}

/// Reads everything, loads, reports.
async fn load(name: &str, arguments: &PlayArguments, console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&[], &contracts)?;
    let profile = Arc::new(read_profile(name, &contracts, &scenarios)?);
    let scripts = profile::scripts(&profile, &contracts, &scenarios)?;
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    together::check(&profile.kind, shard, arguments.start_at)?;
    let baseline = arguments.baseline.as_deref().map(outputs::read).transpose()?;
    let (target, aliases, emulator) = match &arguments.target {
        Some(path) => (target::read(path, &contracts)?, Vec::new(), None),
        None => {
            let Embedded { emulator, target, aliases } = embedded::start().await?;
            (target, aliases, Some(emulator))
        }
    };
    target.may_load(&profile.kind).map_err(|refusal| Failure::Other(Exit::InvalidInput, refusal))?;
    outputs::check(&arguments.outputs)?;
    let order = Order {
        contracts,
        target,
        embedded: emulator.is_some(),
        aliases,
        profile,
        scripts,
        seed: arguments.seed,
        shard,
        start_at: arguments.start_at.map(SystemTime::from),
        dashboard: arguments.dashboard,
        page: arguments.prometheus.map(|_| Arc::default()),
    };
    let _exporter = match (arguments.prometheus, &order.page) {
        (Some(address), Some(page)) => Some(serve(address, page).await?),
        _ => None,
    };
    let mut watching = Watching::new(console, arguments.hlog.as_deref(), &order.profile.title)?;
    let ended = execute(&order, |second| watching.see(second)).await;
    watching.end();
    let Ended { result, unreachable } = ended.map_err(failure)?;
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    let alone = together::alone(&result);
    outputs::tell(&result, &alone, baseline.as_ref(), &arguments.outputs, console)?;
    let exit = verdict::exit(&alone);
    Ok(if unreachable && exit != Exit::Interrupted { Exit::Unreachable } else { exit })
}

/// Serves what is measured, while it is.
async fn serve(address: SocketAddr, page: &Arc<Page>) -> Result<Exporter, Failure> {
    let page = Arc::clone(page);
    let exporter = prometheus::serve(address, Arc::new(move || page.text())).await;
    exporter.map_err(|e| Failure::Other(Exit::InvalidInput, format!("nothing can be served on {address}: {e}")))
}

/// A profile of the binary by its name, else a file.
fn read_profile(name: &str, contracts: &Contracts, scenarios: &[Arc<Scenario>]) -> Result<Profile, Failure> {
    let path = Path::new(name);
    if path.extension().is_some() || path.exists() {
        return Ok(profile::read(path, contracts, scenarios)?);
    }
    Ok(profile::parse(&profile::builtin(name)?, contracts, scenarios)?)
}

fn failure(error: LoadError) -> Failure {
    match error {
        LoadError::Start(error) => start_failure(error),
        LoadError::Unplayable(reason) => Failure::Other(Exit::InvalidInput, format!("this target can't be loaded so: {reason}")),
        LoadError::Unready(reason) => Failure::Other(Exit::Unreachable, format!("the load can't begin: {reason}")),
        LoadError::GivenUp => Failure::Other(Exit::Interrupted, "ended by the user before the load began; nothing was measured".to_owned()),
        LoadError::Engine(error) => Failure::Other(Exit::Internal, format!("goose refused: {error}")),
        LoadError::Broken(reason) => Failure::Other(Exit::Internal, format!("paycheck broke down while it played {reason}")),
        LoadError::Io(error) => Failure::from(error),
    }
}
