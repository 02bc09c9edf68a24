//! `paycheck load notification`: documented pushes to a merchant's notification endpoint, at a rate.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use url::Url;

use super::outputs::{self, OutputArguments};
use super::together::{self, shard};
use super::watching::Watching;
use crate::base::exit::Exit;
use crate::base::values::parse_share;
use crate::cli::arguments::{address, moment, time, url};
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::inputs;
use crate::cli::interrupt;
use crate::cli::merchant::{announce, credential, usable, wait_for};
use crate::cli::separate::separate;
use crate::engine::push::Gateway;
use crate::load::profile::{Killswitch, NotificationDeadlines};
use crate::load::push::{self, PushLoadError, PushOptions};
use crate::load::schedule::Schedule;
use crate::load::shard::Shard;
use crate::load::threshold::{self, Threshold};
use crate::spec::contract::{Contracts, has_word};
use crate::spec::target::is_loopback;

/// The number of finished payments that the gateway keeps, for the merchant's status calls.
const REMEMBERED: usize = 100_000;
/// The longest load, and the longest on an endpoint elsewhere.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
const LONGEST_REMOTE: Duration = Duration::from_secs(10 * 60);

/// Loads a merchant's notification endpoint.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoadNotificationArguments {
    /// The merchant's notification endpoint.
    #[arg(value_name = "URL", value_parser = url)]
    endpoint: Url,
    /// Pushes a second, each at its intended start whether the merchant has responded to the last ones or not.
    #[arg(long, value_name = "N", default_value = "50", value_parser = rate)]
    rate: f64,
    /// How long.
    #[arg(long = "for", value_name = "TIME", default_value = "30s", value_parser = time)]
    duration: Duration,
    /// The most connections, and so the most pushes under way at a time.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = users)]
    users: usize,
    /// The share of pushes that are sent a second time after they were acknowledged.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    duplicates: f64,
    /// Only notifications of this version, for example `v2`, or with this id; `both` is all there are.
    #[arg(long, value_name = "FORMAT", default_value = "both")]
    format: String,
    /// Where the gateway listens that the merchant asks back; port 0 takes a free one.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:0", value_parser = address)]
    gateway: SocketAddr,
    /// The gateway that the merchant asks back is the emulator at this base URL (`paycheck emulate`), not one in this process.
    #[arg(long, value_name = "URL", value_parser = url, conflicts_with = "gateway")]
    emulator: Option<Url>,
    /// Sends only part I of N; see `paycheck load merge`. All parts use one `--emulator`.
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "emulator")]
    shard: Option<Shard>,
    /// When to begin, for example 2026-11-22T10:00:00Z, so that all parts begin together. A time that has passed is refused.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    start_at: Option<jiff::Timestamp>,
    /// The merchant's credentials, part by part as in a target file; else from PAYCHECK_MERCHANT and PAYCHECK_SECRET, else made up.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// How long the merchant may take to respond; after that the push is given up.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    within: Duration,
    /// A push that is acknowledged longer than this after its intended start is late.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time)]
    late: Duration,
    /// How long to wait until the endpoint accepts connections.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = time)]
    wait: Duration,
    /// A condition on the numbers, for example "p99 < 200ms", "errors < 1%", "lost = 0"; may be given several times.
    #[arg(long, value_name = "RULE")]
    threshold: Vec<String>,
    /// Lets the endpoint be on another machine, with at most N pushes a second, for at most ten minutes. Only a
    /// test installation of your own.
    #[arg(long, value_name = "N", value_parser = rate)]
    allow_remote_rate: Option<f64>,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Shows how it goes in a browser while it runs: serves a live page at this address of this machine (port 0 takes a
    /// free one; the page's address is printed).
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    dashboard: Option<SocketAddr>,
    /// Writes an HdrHistogram interval log (V2), one interval a second.
    #[arg(long, value_name = "FILE")]
    hlog: Option<PathBuf>,
    #[command(flatten)]
    outputs: OutputArguments,
}

/// Reads the inputs, starts the gateway, prints its address, plays the load and reports.
pub(super) async fn run(arguments: &LoadNotificationArguments, console: &Console) -> Result<Exit, Failure> {
    permitted(arguments)?;
    let read = arguments.contracts.iter().chain(&arguments.credentials).map(PathBuf::as_path);
    separate(read, arguments.outputs.files().into_iter().chain([arguments.hlog.as_deref()]))?;
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    let options = options(arguments, &contracts)?;
    let (credential, origin) = credential(arguments.credentials.as_deref(), &contracts)?;
    outputs::check(&arguments.outputs)?;
    let gateway = match &arguments.emulator {
        Some(base) => Gateway::shared(Arc::clone(&contracts), base, &credential).await?,
        None => Gateway::start_keeping(Arc::clone(&contracts), arguments.gateway, &credential, arguments.seed, Some(REMEMBERED)).await?,
    };
    announce(&gateway, &contracts, &credential, &origin)?;
    let interrupt = interrupt::handle_gracefully();
    wait_for(&arguments.endpoint, arguments.wait, &interrupt).await;
    let schedule = Schedule::constant(arguments.rate, arguments.duration);
    let mut watching = Watching::new(console, arguments.hlog.as_deref(), arguments.outputs.json.as_deref(), push::TITLE)?;
    let _live_page = match arguments.dashboard {
        Some(address) => {
            let about = format!("{} pushes a second, seed {}", arguments.rate, arguments.seed);
            Some(watching.show_at(address, push::TITLE, &about).await?)
        }
        None => None,
    };
    let ended = push::run(&contracts, &gateway, &options, schedule, interrupt.wait(), &mut watching).await;
    gateway.stop().await;
    let lost = watching.end();
    let ended = ended.map_err(|error| match error {
        PushLoadError::Invalid(message) => Failure::invalid(message),
        PushLoadError::Internal(message) => Failure::internal(message),
    })?;
    let outcome = together::outcome(&ended.result, ended.unreachable);
    outputs::finish(outcome, ended.result, None, &arguments.outputs, lost, console)
}

/// Refuses a load that must not be sent.
fn permitted(arguments: &LoadNotificationArguments) -> Result<(), Failure> {
    let refuse = |message: String| Err(Failure::invalid(message));
    usable(&arguments.endpoint)?;
    arguments.emulator.iter().try_for_each(usable)?;
    together::in_time(arguments.start_at)?;
    if arguments.duration.is_zero() || arguments.duration > LONGEST {
        return refuse("`--for` takes more than nothing, and at most 24h".to_owned());
    }
    match (is_loopback(&arguments.endpoint), arguments.allow_remote_rate) {
        (true, _) => Ok(()),
        (false, None) => refuse(
            "the endpoint is not on this machine, and load goes to this machine only. `--allow-remote-rate N` lets it, if it is a \
             test installation of your own"
                .to_owned(),
        ),
        (false, Some(most)) if arguments.rate > most => {
            refuse(format!("`--rate {}` is more than `--allow-remote-rate {most}` lets", arguments.rate))
        }
        (false, Some(_)) if arguments.duration > LONGEST_REMOTE => {
            refuse("`--for` takes at most 10m against an endpoint on another machine".to_owned())
        }
        (false, Some(_)) => Ok(()),
    }
}

fn options(arguments: &LoadNotificationArguments, contracts: &Contracts) -> Result<PushOptions, Failure> {
    let invalid = |message: String| Failure::invalid(message);
    let threshold = |rule: &String| threshold::parse(rule, contracts).map_err(|e| invalid(format!("`--threshold \"{rule}\"`: {e}")));
    let thresholds: Vec<Threshold> = arguments.threshold.iter().map(threshold).collect::<Result<_, _>>()?;
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let connections = shard.share(arguments.users);
    if connections == 0 {
        return Err(invalid(format!("`--shard {shard}`: of {} connections (`--users`) none is left for this part", arguments.users)));
    }
    Ok(PushOptions {
        endpoint: arguments.endpoint.clone(),
        within: arguments.within,
        connections,
        duplicates: arguments.duplicates,
        formats: formats(&arguments.format, contracts).map_err(invalid)?,
        duration: arguments.duration,
        deadlines: NotificationDeadlines { late: arguments.late, ..NotificationDeadlines::default() },
        thresholds,
        killswitch: Killswitch::default(),
        seed: arguments.seed,
        shard,
        start_at: arguments.start_at.map(SystemTime::from),
    })
}

/// The notifications with this word in their id.
fn formats(word: &str, contracts: &Contracts) -> Result<Vec<String>, String> {
    let known = || contracts.notifications.keys();
    let named = |id: &&String| word == "both" || *id == word || has_word(id, word);
    let found: Vec<String> = known().filter(named).cloned().collect();
    if found.is_empty() {
        let known: Vec<&str> = known().map(String::as_str).collect();
        return Err(format!("there is no notification `{word}`; there are {}", known.join(", ")));
    }
    Ok(found)
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| *rate > 0.0 && *rate <= 100_000.0);
    rate.ok_or_else(|| "a number above 0, at most 100000".to_owned())
}

fn users(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|users| (1..=10_000).contains(users)).ok_or_else(|| "a number from 1 to 10000".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    parse_share(text).ok_or_else(|| "a share of 100 %, for example 5%".to_owned())
}
