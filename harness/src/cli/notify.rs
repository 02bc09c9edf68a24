//! `paycheck notify`: plays the gateway towards a merchant's notification endpoint.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use url::Url;

use super::arguments::{NameArguments, ReportArguments, address, time, url};
use super::console::Console;
use super::failure::Failure;
use super::interrupt;
use super::reporters::{Output, RunOutput};
use super::separate::separate;
use super::{inputs, merchant};
use crate::base::exit::Exit;
use crate::base::source::{MAX_FILE_BYTES, read_bytes};
use crate::engine::outcome::{Ended, Verb};
use crate::engine::push::Gateway;
use crate::modes::notify::{self, NotifyError, NotifyOptions};
use crate::spec::target::is_loopback;

/// The longest that the slow case may take.
const SLOWEST: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Args)]
pub(super) struct NotifyArguments {
    /// The merchant's notification endpoint.
    #[arg(value_name = "URL", value_parser = url)]
    endpoint: Url,
    /// A certificate (PEM) to trust besides the system's, where the endpoint is https and of a test installation.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Where the gateway listens that the merchant asks back; port 0 takes a free one.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:0", value_parser = address)]
    gateway: SocketAddr,
    /// The merchant's credentials, part by part as in a target file; else from PAYCHECK_MERCHANT and PAYCHECK_SECRET, else made up.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// A command that prints how often the goods of each payment were handed over, {"<transId>": <times>, …}. Run
    /// without a shell; takes all words that follow, so it comes last.
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    orders: Vec<String>,
    /// How long the merchant may take to respond to a notification.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    within: Duration,
    /// How long the body of the slow case takes, at most a minute.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = time)]
    slow: Duration,
    /// How long to wait until the endpoint accepts connections.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = time)]
    wait: Duration,
    /// Lets the endpoint be on another machine. It gets forged and broken notifications: never one that is in use.
    #[arg(long)]
    allow_remote: bool,
    #[command(flatten)]
    names: NameArguments,
    /// Skipped cases don't make the run inconclusive.
    #[arg(long)]
    allow_skipped: bool,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// Seed of everything random: the same seed gives the same notifications.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    reports: ReportArguments,
}

/// Reads the inputs, starts the gateway, prints its address, runs the cases and reports.
pub(super) async fn run(arguments: &NotifyArguments, console: &Console) -> Result<Exit, Failure> {
    permitted(arguments)?;
    let read = arguments.contracts.iter().chain(&arguments.credentials).chain(&arguments.certificate).map(PathBuf::as_path);
    separate(read, arguments.reports.files())?;
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    let certificate = arguments.certificate.as_deref().map(certificate).transpose()?;
    let (credential, origin) = merchant::credential(arguments.credentials.as_deref(), &contracts)?;
    let mut output = Output::new(console, arguments.reports.verbose);
    output.reports(&arguments.reports)?;
    let mut output = RunOutput::new(Verb::Notify, output, arguments.allow_skipped);
    let gateway = Gateway::start(Arc::clone(&contracts), arguments.gateway, &credential, arguments.seed).await?;
    merchant::announce(&gateway, &contracts, &credential, &origin)?;
    let interrupt = interrupt::handle_gracefully();
    merchant::wait_for(&arguments.endpoint, arguments.wait, &interrupt).await;
    let options = NotifyOptions {
        endpoint: arguments.endpoint.clone(),
        certificate,
        within: arguments.within,
        slow: arguments.slow,
        orders: arguments.orders.clone(),
        filter: arguments.names.filter(),
        seed: arguments.seed,
    };
    let ran = notify::run(&contracts, &gateway, &options, interrupt.wait(), |event| output.event(event)).await;
    gateway.stop().await;
    let ran = ran.map_err(|error| match error {
        NotifyError::Endpoint(error) => Failure::invalid(error),
        NotifyError::Reporter(error) => error.into(),
    })?;
    output.finish(match (interrupt.is_raised(), ran.unreachable) {
        (true, _) => Ended::Interrupted,
        (false, Some(why)) => Ended::Unreachable(Some(why)),
        (false, None) => Ended::Completed,
    })
}

/// The bytes of a certificate.
fn certificate(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bytes(path, MAX_FILE_BYTES).map_err(|why| Failure::invalid(format!("the certificate {} {why}", path.display())))
}

/// Refuses notifications that must not be sent.
fn permitted(arguments: &NotifyArguments) -> Result<(), Failure> {
    let refuse = |message: &str| Err(Failure::invalid(message));
    merchant::usable(&arguments.endpoint)?;
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
