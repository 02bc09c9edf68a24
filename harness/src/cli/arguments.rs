//! Arguments that several commands share, and how values are read.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use url::Url;

use super::formats::FormatArguments;
use crate::base::name_filter::NameFilter;

/// What is played, and against which target.
#[derive(Debug, Clone, Args)]
pub(super) struct Source {
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    pub(super) contracts: Option<PathBuf>,
    /// The target; without it the emulator in this binary.
    #[arg(long, value_name = "FILE")]
    pub(super) target: Option<PathBuf>,
    /// Leaves out the harmless calls that show a wrong target file before the first scenario.
    #[arg(long, requires = "target")]
    pub(super) no_preflight: bool,
    /// How many scenarios run at the same time.
    #[arg(long, short, value_name = "N", default_value_t = 32, value_parser = jobs)]
    pub(super) jobs: usize,
    /// Seed of everything random: the same seed gives the same requests and the same report.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
}

impl Source {
    /// The input files.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        [&self.contracts, &self.target].into_iter().flatten().map(PathBuf::as_path)
    }
}

/// Which cases, by their names.
#[derive(Debug, Clone, Args)]
pub(super) struct NameArguments {
    /// Only scenarios and cases whose name contains this.
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    filter: Vec<String>,
    /// Leaves out scenarios and cases whose name contains this.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    exclude: Vec<String>,
}

impl NameArguments {
    /// The names that are selected.
    pub(super) fn filter(&self) -> NameFilter {
        NameFilter { only: self.filter.clone(), except: self.exclude.clone() }
    }
}

/// What is accepted for a while.
#[derive(Debug, Clone, Args)]
pub(super) struct KnownArguments {
    /// Findings that are accepted for a while: shown, not counted; failures again once out of date.
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// The day that it is for them, instead of today's (UTC).
    #[arg(long, value_name = "YYYY-MM-DD", hide = true)]
    pub(super) today: Option<jiff::civil::Date>,
}

/// Which reports of a run are written, and where.
#[derive(Debug, Clone, Args)]
pub(super) struct ReportArguments {
    #[command(flatten)]
    pub(super) formats: FormatArguments<true>,
    /// Writes every event, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    pub(super) events: Option<PathBuf>,
    /// The events carry every exchange, not only those of failed cases.
    #[arg(long, requires = "events")]
    pub(super) all_exchanges: bool,
    /// Lists every case, and cuts nothing.
    #[arg(long, short)]
    pub(super) verbose: bool,
}

impl ReportArguments {
    /// The output files.
    pub(super) fn files(&self) -> impl Iterator<Item = Option<&Path>> {
        self.formats.files().chain([self.events.as_deref()])
    }
}

/// A number of scenarios or repetitions.
pub(super) fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=10_000) => Ok(jobs),
        Ok(_) | Err(_) => Err("a number from 1 to 10000".to_owned()),
    }
}

/// How many there are of something: at least one.
pub(super) fn at_least_one<N: FromStr + PartialEq + From<u8>>(text: &str) -> Result<N, String> {
    text.parse().ok().filter(|number| *number != N::from(0)).ok_or_else(|| "a whole number above 0".to_owned())
}

/// An address to listen on.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "an address is IP:PORT, for example 127.0.0.1:8080".to_owned())
}

/// A moment.
pub(super) fn moment(text: &str) -> Result<jiff::Timestamp, String> {
    text.parse().map_err(|_| "a time is RFC 3339, for example 2026-11-22T10:00:00Z".to_owned())
}

/// An absolute URL.
pub(super) fn url(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|error| format!("a URL begins with http:// or https:// ({error})"))
}

/// A name of a host alone.
pub(super) fn host(text: &str) -> Result<String, String> {
    let is_host = !text.contains('*') && url::Host::parse(text).is_ok();
    is_host.then(|| text.to_owned()).ok_or_else(|| "a name such as pay.example.com, without scheme, port and wildcard".to_owned())
}

/// The longest time that a command may take: clocks can't add what `parse_duration` can read.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

/// A duration of at most ten years.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let time = crate::base::values::parse_duration(text).ok_or("a number and a unit, for example 250ms, 30s, 5m")?;
    if time > LONGEST { Err("at most ten years".to_owned()) } else { Ok(time) }
}
