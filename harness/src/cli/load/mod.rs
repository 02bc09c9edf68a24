//! `paycheck load`: loads a target, and judges every response.

mod arguments;
mod merge;
mod notification;
mod outputs;
mod telemetry;
mod together;
mod watching;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use emulator::Emulator;

pub(super) use arguments::LoadArguments;
use arguments::{Other, PlayArguments};
use watching::Watching;

use super::console::{Console, print};
use super::embedded::{self, Opened};
use super::failure::Failure;
use super::inputs::{self, ShippedFile};
use super::interrupt;
use super::separate::separate;
use crate::base::exit::Exit;
use crate::base::source::{Problems, Source};
use crate::load::explain;
use crate::load::load_test::{LoadTest, LoadTestError};
use crate::load::metrics::MetricsPage;
use crate::load::outcome::LoadOutcome;
use crate::load::profile::{self, Profile, Script};
use crate::load::prometheus::{self, WebServer};
use crate::load::shard::Shard;
use crate::spec::contract::Contracts;
use crate::spec::scenario::Scenario;

/// Runs the requested subcommand.
pub(super) async fn run(arguments: &LoadArguments, console: &Console) -> Result<Exit, Failure> {
    match (&arguments.other, &arguments.play.profile) {
        (Some(Other::Profiles), _) => list(),
        (Some(Other::Notification(arguments)), _) => notification::run(arguments, console).await,
        (Some(Other::Merge(merging)), _) => merge::run(merging, console),
        (None, Some(name)) => load(name, &arguments.play, console).await,
        (None, None) => {
            let message = "which profile? `paycheck load profiles` lists those in this binary";
            Err(Failure::invalid(message))
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

/// Reads the inputs, plays the load and reports the result.
async fn load(name: &str, arguments: &PlayArguments, console: &Console) -> Result<Exit, Failure> {
    let read = arguments.contracts.iter().chain(&arguments.target).chain(&arguments.baseline).map(PathBuf::as_path);
    let outputs = || arguments.outputs.files().into_iter().chain([arguments.hlog.as_deref()]);
    separate(read.chain([Path::new(name)]), outputs())?;
    let baseline = arguments.baseline.as_deref().map(outputs::read).transpose()?;
    let (test, emulator) = prepare(name, arguments).await?;
    separate(profile::files(&test.profile).iter().map(PathBuf::as_path), outputs())?;
    if arguments.explain {
        print(&explain::text(&test.contracts, &test.target, &test.profile, &test.scripts))?;
        return Ok(Exit::Passed);
    }
    test.target.may_load(&test.profile.kind.asked()).map_err(Failure::invalid)?;
    outputs::check(&arguments.outputs)?;
    check_goose_dashboard(arguments.goose_dashboard)?;
    let mut watching = Watching::new(console, arguments.hlog.as_deref(), arguments.outputs.json.as_deref(), &test.profile.title)?;
    let ended = play(&test, arguments, &mut watching).await?;
    let LoadOutcome { result, unreachable } = ended.map_err(|error| failure(error, watching.keep().as_deref()))?;
    let lost = watching.end();
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    let outcome = together::outcome(&result, unreachable);
    outputs::finish(outcome, result, baseline.as_ref(), &arguments.outputs, lost, console)
}

/// Reads profile, scenarios and target. Without a target file, starts an emulator.
async fn prepare(name: &str, arguments: &PlayArguments) -> Result<(LoadTest, Option<Emulator>), Failure> {
    let contracts = inputs::contracts_of(arguments.contracts.as_deref(), arguments.target.as_deref())?;
    let (profile, scripts) = read_profile(name, arguments, &contracts)?;
    let profile = Arc::new(profile);
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    together::check(profile.kind.as_ref(), shard, arguments.start_at)?;
    let Opened { target, aliases, emulator } = embedded::open(arguments.target.as_deref(), &contracts).await?;
    if emulator.is_none() {
        embedded::announce(&target, &contracts)?;
    }
    let test = LoadTest {
        contracts,
        target,
        embedded: emulator.is_some(),
        aliases,
        profile,
        scripts,
        seed: arguments.seed,
        shard,
        start_at: arguments.start_at.map(SystemTime::from),
        goose_dashboard: arguments.goose_dashboard,
        page: (arguments.prometheus.is_some() || arguments.otlp.is_some()).then(Arc::default),
        interrupt: interrupt::handle_gracefully(),
    };
    Ok((test, emulator))
}

/// Checks that goose's dashboard can listen at its address: goose panics otherwise.
fn check_goose_dashboard(address: Option<SocketAddr>) -> Result<(), Failure> {
    let Some(address) = address else { return Ok(()) };
    let free = std::net::TcpListener::bind(address).map(drop);
    let advice = "name a free address of this machine (`--goose-dashboard IP:PORT`)";
    free.map_err(|error| Failure::invalid(format!("no dashboard can be served on {address}: {error}; {advice}")))
}

/// Plays the load, and serves its metrics and its live page meanwhile.
async fn play(test: &LoadTest, arguments: &PlayArguments, watching: &mut Watching) -> Result<Result<LoadOutcome, LoadTestError>, Failure> {
    let _exporter = match (arguments.prometheus, &test.page) {
        (Some(address), Some(page)) => Some(serve(address, page).await?),
        _ => None,
    };
    let telemetry = match (&arguments.otlp, &test.page) {
        (Some(url), Some(page)) => Some(telemetry::start(url, page, test).await?),
        _ => None,
    };
    let _live_page = match arguments.dashboard {
        Some(address) => {
            let about = format!("{}, {}, seed {}, on {}", test.profile.name, test.profile.kind.name(), test.seed, test.target.title);
            Some(watching.show_at(address, &test.profile.title, &about).await?)
        }
        None => None,
    };
    let ended = test.run(watching).await;
    if let Some(telemetry) = telemetry {
        telemetry::end(telemetry).await?;
    }
    Ok(ended)
}

/// Serves the metrics for Prometheus.
async fn serve(address: SocketAddr, page: &Arc<MetricsPage>) -> Result<WebServer, Failure> {
    let page = Arc::clone(page);
    let exporter =
        prometheus::serve(address, Arc::new(move || page.reading().map(|reading| prometheus::text(&reading.families)).unwrap_or_default()))
            .await;
    let advice = "name a free address of this machine (`--prometheus IP:PORT`)";
    exporter.map_err(|error| Failure::invalid(format!("no metrics can be served on {address}: {error}; {advice}")))
}

/// Reads a profile of the binary by its name, else a file, with the options that replace its numbers; and the scripts that it plays.
fn read_profile(name: &str, arguments: &PlayArguments, contracts: &Contracts) -> Result<(Profile, Vec<Script>), Failure> {
    let path = Path::new(name);
    let mut problems = Problems::new();
    let source = match path.extension().is_some() || path.exists() {
        true => Source::read(path, &mut problems).ok_or(problems)?,
        false => profile::builtin(name)?,
    };
    let overrides = arguments.overrides.stated();
    let read = |scenarios: &[Arc<Scenario>]| {
        let profile = profile::parse_with(&source, &overrides, contracts, scenarios)?;
        let scripts = profile::scripts(&profile, contracts, scenarios)?;
        Ok::<_, Problems>((profile, scripts))
    };
    if arguments.contracts.is_none() {
        let is_named = |file: ShippedFile<'_>| source.text.contains(&format!("{}/{}", file.api, file.name));
        if let Ok(read) = read(&inputs::shipped_scenarios(contracts, is_named)?) {
            return Ok(read);
        }
        // A mistake; a name that is near may be any scenario's.
    }
    Ok(read(&inputs::scenarios(&[], contracts)?)?)
}

/// The failure of a load without a result; `kept` is the file with the partial result.
fn failure(error: LoadTestError, kept: Option<&Path>) -> Failure {
    let kept = kept.map(|kept| format!("; what was measured until then is in {}", kept.display())).unwrap_or_default();
    match error {
        LoadTestError::Start(error) => error.into(),
        LoadTestError::Unplayable(reason) => Failure::invalid(format!("this target lacks what the profile plays: {reason}")),
        LoadTestError::NotReady(reason) => Failure::unreachable(format!("the load can't begin: {reason}")),
        LoadTestError::Interrupted => Failure::interrupted("ended by the user before the load began; nothing was measured"),
        LoadTestError::Goose(error) => Failure::internal(format!("goose, which runs the users, refused its configuration: {error}")),
        LoadTestError::Panicked(reason) => Failure::internal(format!("paycheck broke down while it played {reason}{kept}")),
        LoadTestError::Io(error) => Failure::from(error),
    }
}
