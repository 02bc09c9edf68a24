//! `paycheck fuzz`: broken requests, and the target's responses to them.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aho_corasick::AhoCorasick;
use clap::Args;

use super::arguments::{Source, at_least_one, time};
use super::console::Console;
use super::failure::Failure;
use super::formats::FormatArguments;
use super::interrupt;
use super::play::check_target;
use super::progress::Progress;
use super::reporters::Output;
use super::separate::separate;
use super::{embedded, inputs};
use crate::base::exit::Exit;
use crate::base::name_filter::is_selected;
use crate::base::output::write_whole;
use crate::base::source::nearest;
use crate::modes::fuzz::{self, OperationReport, Options};
use crate::modes::preflight::Calls;
use crate::spec::contract::{Contracts, api_of, words};
use crate::spec::scenario::Scenario;

/// Sends broken requests.
#[derive(Debug, Clone, Args)]
pub(super) struct FuzzArguments {
    /// Only operations of this API; several are separated by commas.
    #[arg(long, value_name = "API", value_delimiter = ',')]
    api: Vec<String>,
    /// Only operations whose name contains this.
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    filter: Vec<String>,
    /// Only changes whose description contains this.
    #[arg(long, value_name = "TEXT")]
    change: Vec<String>,
    /// Made-up requests of each operation.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one::<usize>)]
    requests: usize,
    /// Instead of a number of requests: how long, all operations together.
    #[arg(long = "for", value_name = "TIME", conflicts_with = "requests", value_parser = time)]
    duration: Option<Duration>,
    /// Writes files into this folder that send again what shows something.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Shows everything that was found, and cuts nothing.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    formats: FormatArguments<false>,
    #[command(flatten)]
    source: Source,
}

/// Reads the inputs, connects, sends the requests and reports.
pub(super) async fn run(arguments: &FuzzArguments, console: &Console) -> Result<Exit, Failure> {
    separate(arguments.source.inputs(), arguments.formats.files().chain([arguments.out.as_deref()]))?;
    let contracts = inputs::contracts_of(arguments.source.contracts.as_deref(), arguments.source.target.as_deref())?;
    let operations = selected(arguments, &contracts)?;
    let scenarios = calling(arguments, &contracts, &operations)?;
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
    }
    let (context, emulator) = embedded::connect(&arguments.source, Arc::clone(&contracts), true).await?;
    let context = Arc::new(context);
    let (target, seed) = (context.target.title.clone(), arguments.source.seed);
    let fuzzed =
        operations.iter().filter_map(|id| contracts.operations.get(id)).filter(|operation| context.target.may_fuzz(operation).is_ok());
    let called = fuzzed.map(|operation| operation.id.clone()).collect();
    check_target(&arguments.source, &context, &Calls::of_main(called), interrupt::handle_gracefully().wait()).await?;
    let mut output = Output::new(console, arguments.verbose);
    output.formats(&arguments.formats)?;
    output.start(&fuzz::heading(&target, seed, operations.len()))?;
    let options = Options {
        operations,
        changes: arguments.change.clone(),
        requests: arguments.requests,
        duration: arguments.duration,
        jobs: arguments.source.jobs,
        seed,
        tally: Arc::default(),
    };
    let interrupt = interrupt::handle_gracefully();
    let found = tokio::select! {
        found = fuzz::run(context, &scenarios, &options, &interrupt) => found.map_err(Failure::invalid)?,
        never = show_progress(&console.progress, &options) => match never {},
    };
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    if let Some(folder) = &arguments.out {
        write(folder, &found.reports)?;
    }
    output.finish(fuzz::outcome(&contracts, &target, seed, &found, interrupt.is_raised()))
}

/// Keeps the progress of the command up to date.
async fn show_progress(progress: &Progress, options: &Options) -> Infallible {
    loop {
        progress.set(options.tally.progress(options.operations.len()));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// The selected operations.
fn selected(arguments: &FuzzArguments, contracts: &Contracts) -> Result<Vec<String>, Failure> {
    let apis: Vec<&str> = contracts.operations.values().map(|operation| operation.api.as_str()).collect();
    if let Some(api) = arguments.api.iter().find(|api| !apis.contains(&api.as_str())) {
        let near = nearest(api, apis.iter().copied()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failure::invalid(format!("there is no API `{api}`{near}")));
    }
    let wanted = |id: &&String| {
        let named = is_selected(id, &arguments.filter);
        let of_api = arguments.api.is_empty() || arguments.api.iter().any(|api| api_of(id) == api);
        named && of_api
    };
    let selected: Vec<String> = contracts.operations.keys().filter(wanted).cloned().collect();
    match arguments.filter.first().filter(|_| selected.is_empty()) {
        None => Ok(selected),
        Some(part) => {
            let near = nearest(part, contracts.operations.keys().flat_map(|id| words(id).chain([id.as_str()])));
            let help = near.map_or_else(|| "`paycheck contracts` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
            Err(Failure::invalid(format!("no operation's name contains `{part}`; {help}")))
        }
    }
}

/// The scenarios that may call one of these operations: their files name it, in a step or in a column.
fn calling(arguments: &FuzzArguments, contracts: &Contracts, operations: &[String]) -> Result<Vec<Arc<Scenario>>, Failure> {
    if arguments.source.contracts.is_some() {
        return inputs::scenarios(&[], contracts);
    }
    let names =
        AhoCorasick::new(operations).map_err(|error| Failure::internal(format!("names of operations can't be searched: {error}")))?;
    inputs::shipped_scenarios(contracts, |file| names.is_match(file.text))
}

/// Writes the files; each API has a folder, as in the scenarios.
fn write(folder: &Path, found: &[OperationReport]) -> Result<(), Failure> {
    for report in found {
        let api = api_of(&report.operation);
        for (name, bytes) in report.causes.iter().flat_map(|cause| &cause.files) {
            let path = folder.join(api).join(name);
            write_whole(&path, bytes).map_err(|error| Failure::cannot_write(&path, &error))?;
        }
    }
    Ok(())
}
