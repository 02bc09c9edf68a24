//! `paycheck fuzz`: broken requests, and what a target makes of them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;

use super::verify::stop_on_interrupt;
use super::{Console, Failure, Source, embedded, inputs, reports, time};
use crate::contract::Contracts;
use crate::exit::Exit;
use crate::fuzz::{self, OperationReport, Options};
use crate::report::style::Style;
use crate::report::write_whole;
use crate::source::nearest;

/// Sends broken requests.
#[derive(Debug, Clone, Args)]
pub(super) struct FuzzArguments {
    /// Only operations of this API.
    #[arg(long, value_name = "API")]
    api: Vec<String>,
    /// Only operations whose name contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Vec<String>,
    /// Only changes whose description contains this.
    #[arg(long, value_name = "TEXT")]
    change: Vec<String>,
    /// Made-up requests of each operation.
    #[arg(long, value_name = "N", default_value_t = 200)]
    requests: usize,
    /// Instead of a number of requests: how long, all operations together.
    #[arg(long = "for", value_name = "TIME", conflicts_with = "requests", value_parser = time)]
    duration: Option<Duration>,
    /// Writes files into this folder that send again what shows something.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
}

/// Reads everything, connects, sends, tells.
pub(super) async fn run(arguments: &FuzzArguments, console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&[], &contracts)?;
    let operations = selected(arguments, &contracts)?;
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).map_err(|error| reports::cannot_write(folder, &error))?;
    }
    let (context, emulator) = embedded::connect(&arguments.source, contracts).await?;
    let title = context.target.title.clone();
    let options = Options {
        operations,
        changes: arguments.change.clone(),
        requests: arguments.requests,
        duration: arguments.duration,
        jobs: arguments.source.jobs,
        seed: arguments.source.seed,
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let fuzzed = fuzz::run(context, &scenarios, &options, stop_on_interrupt(Arc::clone(&interrupted))).await;
    let found = fuzzed.map_err(|message| Failure::Other(Exit::InvalidInput, message))?;
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    if let Some(folder) = &arguments.out {
        write(folder, &found)?;
    }
    let style = Style::new(console.colours, console.width);
    let mut out = io::stdout().lock();
    for line in fuzz::lines(&title, options.seed, &found, style.width()) {
        writeln!(out, "{}", style.render(&line))?;
    }
    exit(&found, interrupted.load(Ordering::Relaxed))
}

fn exit(found: &[OperationReport], interrupted: bool) -> Result<Exit, Failure> {
    let causes: usize = found.iter().map(|report| report.causes.len()).sum();
    let unreachable = found.iter().find_map(|report| report.unreachable.clone());
    let fuzzed = found.iter().any(|report| report.counts.sent > 0);
    let complete = !found.is_empty() && found.iter().all(|report| report.skipped.is_none() && report.stopped.is_none());
    match (interrupted, causes, unreachable, complete) {
        (true, ..) => Ok(Exit::Interrupted),
        (_, 1.., ..) => Ok(Exit::Findings),
        (_, _, Some(why), _) if !fuzzed => Err(Failure::Other(Exit::Unreachable, why)),
        (_, _, None, true) => Ok(Exit::Passed),
        (_, _, Some(_), _) | (_, _, None, false) => Ok(Exit::Inconclusive),
    }
}

/// The operations that are asked for.
fn selected(arguments: &FuzzArguments, contracts: &Contracts) -> Result<Vec<String>, Failure> {
    let apis: Vec<&str> = contracts.operations.values().map(|operation| operation.api.as_str()).collect();
    if let Some(api) = arguments.api.iter().find(|api| !apis.contains(&api.as_str())) {
        let near = nearest(api, apis.iter().copied()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failure::Other(Exit::InvalidInput, format!("there is no API `{api}`{near}")));
    }
    let wanted = |id: &&String| {
        let named = arguments.filter.is_empty() || arguments.filter.iter().any(|part| id.contains(part.as_str()));
        let of_api = arguments.api.is_empty() || arguments.api.iter().any(|api| id.split('.').next() == Some(api));
        named && of_api
    };
    Ok(contracts.operations.keys().filter(wanted).cloned().collect())
}

/// Each API has a folder, as scenarios do.
fn write(folder: &Path, found: &[OperationReport]) -> Result<(), Failure> {
    for report in found {
        let api = report.operation.split('.').next().unwrap_or_default();
        for (name, bytes) in report.causes.iter().flat_map(|cause| &cause.files) {
            let path = folder.join(api).join(name);
            write_whole(&path, bytes).map_err(|error| reports::cannot_write(&path, &error))?;
        }
    }
    Ok(())
}
