//! The arguments of `paycheck load`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use url::Url;

use super::merge::MergeArguments;
use super::notification::LoadNotificationArguments;
use super::outputs::OutputArguments;
use super::together::shard;
use crate::cli::arguments::{address, moment, url};
use crate::load::profile::Overrides;
use crate::load::shard::Shard;

/// Loads a target as a profile describes.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LoadArguments {
    #[command(subcommand)]
    pub(super) other: Option<Other>,
    #[command(flatten)]
    pub(super) play: PlayArguments,
}

/// The subcommands of `load`.
#[derive(Debug, Clone, Subcommand)]
pub(super) enum Other {
    /// Lists the profiles in this binary.
    Profiles,
    /// Loads a merchant's notification endpoint with documented pushes, and judges how they are acknowledged.
    Notification(Box<LoadNotificationArguments>),
    /// Merges the results of all parts of a load, exactly, and judges them together.
    Merge(MergeArguments),
}

#[derive(Debug, Clone, Args)]
pub(super) struct PlayArguments {
    /// A profile of this binary (`paycheck load profiles` lists them), or a profile file.
    #[arg(value_name = "PROFILE")]
    pub(super) profile: Option<String>,
    /// The target; without it the emulator in this binary.
    #[arg(long, value_name = "FILE")]
    pub(super) target: Option<PathBuf>,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    pub(super) contracts: Option<PathBuf>,
    /// Says how each call of the profile is judged, and why, and sends nothing.
    #[arg(long)]
    pub(super) explain: bool,
    #[command(flatten)]
    pub(super) overrides: OverrideArguments,
    /// Seed of everything random: the same seed plays the same scenarios in the same order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Plays only this part of the load, for example 2/3. The parts may be on different machines; together they
    /// play all of it, each iteration once. Not for a capacity search.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(super) shard: Option<Shard>,
    /// Gets ready, and begins at this time (RFC 3339, for example 2026-11-22T10:00:00Z), so that all parts begin
    /// together. A time that has passed is refused.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(super) start_at: Option<jiff::Timestamp>,
    /// Compares with the result of an earlier run (the file that --json wrote).
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Serves Prometheus metrics at this address (/metrics) while it runs.
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub(super) prometheus: Option<SocketAddr>,
    /// Pushes the same metrics to the OpenTelemetry collector at this address (OTLP over HTTP, /v1/metrics is added) while it runs.
    #[arg(long, value_name = "URL", value_parser = url)]
    pub(super) otlp: Option<Url>,
    /// Shows how it goes in a browser while it runs: serves a live page at this address of this machine (port 0 takes a
    /// free one; the page's address is printed).
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub(super) dashboard: Option<SocketAddr>,
    /// Serves goose's own dashboard at this address. It shows service times only.
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub(super) goose_dashboard: Option<SocketAddr>,
    /// Writes an HdrHistogram interval log (V2), one interval a second.
    #[arg(long, value_name = "FILE")]
    pub(super) hlog: Option<PathBuf>,
    #[command(flatten)]
    pub(super) outputs: OutputArguments,
}

/// Numbers that replace those of the profile.
#[derive(Debug, Clone, Args)]
pub(super) struct OverrideArguments {
    /// Iterations started a second, instead of the profile's.
    #[arg(long, value_name = "NUMBER")]
    rate: Option<String>,
    /// Virtual users, instead of the profile's.
    #[arg(long, value_name = "NUMBER")]
    users: Option<String>,
    /// How long, instead of the profile's: 30s, 5m.
    #[arg(long = "for", value_name = "TIME")]
    duration: Option<String>,
    /// A stage, instead of those of the profile: how long, and the users or the rate at its end, for example 30s:20.
    /// For several stages as often.
    #[arg(long = "stage", value_name = "TIME:NUMBER")]
    stages: Vec<String>,
}

impl OverrideArguments {
    /// The options as typed.
    pub(super) fn stated(&self) -> Overrides {
        let Self { rate, users, duration, stages } = self.clone();
        Overrides { rate, users, duration, stages }
    }
}
