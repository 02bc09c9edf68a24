//! `paycheck explore`: random sequences against a model of the documents.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use super::arguments::{Source, at_least_one, time};
use super::console::Console;
use super::failure::Failure;
use super::formats::FormatArguments;
use super::interrupt;
use super::play::check_target;
use super::reporters::Output;
use super::separate::separate;
use super::{embedded, inputs};
use crate::base::exit::Exit;
use crate::base::figures::count_of;
use crate::base::interrupt::Interrupt;
use crate::base::output::write_whole;
use crate::base::source::{Problems, nearest};
use crate::base::text::counted;
use crate::engine::runner::Context;
use crate::modes::explore::{self, Counterexample, Exploration, ExplorationLimits, ExploreError, Model, WrittenCounterexample};
use crate::modes::preflight::Calls;
use crate::spec::contract::{Contracts, Files};

/// The number of diverging sequences after which exploration ends.
const ENOUGH: usize = 20;

#[derive(Debug, Clone, Args)]
pub(super) struct ExploreArguments {
    /// Only the models of this API; several are separated by commas.
    #[arg(long, value_name = "API", value_delimiter = ',')]
    api: Vec<String>,
    /// How many sequences of each model.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one::<u64>)]
    sequences: u64,
    /// Goes on for this long instead, one model after the other, each for an equal share.
    #[arg(long = "for", value_name = "TIME", value_parser = time, conflicts_with = "sequences")]
    duration: Option<Duration>,
    /// How many steps a sequence has at most, before everything is read.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = steps)]
    steps: u32,
    /// Where the shortest sequences are written, as scenarios.
    #[arg(long, value_name = "DIR", default_value = "explored")]
    out: PathBuf,
    /// Shows everything that was found, and cuts nothing.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    formats: FormatArguments<false>,
    #[command(flatten)]
    source: Source,
}

fn steps(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(steps @ 1..=1000) => Ok(steps),
        Ok(_) | Err(_) => Err("a number from 1 to 1000".to_owned()),
    }
}

/// Reads the inputs, explores and writes the shortest sequences.
pub(super) async fn run(arguments: &ExploreArguments, console: &Console) -> Result<Exit, Failure> {
    separate(arguments.source.inputs(), arguments.formats.files().chain([Some(arguments.out.as_path())]))?;
    let contracts = inputs::contracts_of(arguments.source.contracts.as_deref(), arguments.source.target.as_deref())?;
    let models = chosen(&arguments.api, models(arguments.source.contracts.as_deref(), &contracts)?)?;
    let (context, emulator) = embedded::connect(&arguments.source, contracts, true).await?;
    let context = Arc::new(context);
    let explored = context.contracts.operations.values().filter(|operation| models.iter().any(|model| model.api == operation.api));
    let called = explored.map(|operation| operation.id.clone()).collect();
    check_target(&arguments.source, &context, &Calls::of_main(called), interrupt::handle_gracefully().wait()).await?;
    let heading = explore::heading(&context.target.title, models.len(), arguments.source.seed);
    let mut output = Output::new(console, arguments.verbose);
    output.formats(&arguments.formats)?;
    output.start(&heading)?;
    let interrupt = interrupt::handle_gracefully();
    let explored = explore_all(arguments, &context, &models, &interrupt, console).await;
    let found = explored.iter().flat_map(|explored| explored.counterexamples.iter().map(move |found| (explored, found)));
    let (written, lost): (Vec<_>, Vec<_>) = found.map(|(explored, found)| write(arguments, explored, found)).unzip();
    output.remember(lost.into_iter().flatten());
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    let fault = explored.iter().find_map(|explored| match &explored.error {
        Some(ExploreError::Model(reason)) => Some(Failure::invalid(reason)),
        Some(error @ ExploreError::Internal(_)) => Some(Failure::internal(error)),
        Some(ExploreError::Unavailable { .. } | ExploreError::Target(_)) | None => None,
    });
    let target = arguments.source.target.as_ref().map(|path| path.display().to_string());
    let exit =
        output.finish(explore::outcome(&context.contracts, heading, &explored, &written, target.as_deref(), interrupt.is_raised()))?;
    match fault {
        Some(fault) if matches!(exit, Exit::Passed | Exit::Inconclusive) => Err(fault),
        Some(_) | None => Ok(exit),
    }
}

/// Explores with one model after the other, until the user interrupts or the target can't be reached.
async fn explore_all(
    arguments: &ExploreArguments,
    context: &Arc<Context>,
    models: &[Arc<Model>],
    interrupt: &Interrupt,
    console: &Console,
) -> Vec<Exploration> {
    let mut explored = Vec::new();
    let end = arguments.duration.map(|duration| Instant::now() + duration);
    for (index, model) in models.iter().enumerate() {
        let progress = |now: &Exploration| {
            let (sequences, steps) = (count_of(now.sequences, "sequence"), counted(now.steps, "step"));
            console.progress.set(format!("{}, model {} of {}, {sequences}, {steps}", model.api, index + 1, models.len()));
        };
        progress(&Exploration::default());
        let limits = limits(arguments, end, models.len() - index);
        explored.push(explore::explore(context, model, limits, progress, interrupt.wait()).await);
        if interrupt.is_raised() || explored.last().is_some_and(|explored| explored.unreachable.is_some()) {
            break;
        }
    }
    explored
}

fn models(folder: Option<&Path>, contracts: &Contracts) -> Result<Vec<Arc<Model>>, Failure> {
    let files = match folder {
        None => Files::contracts(),
        Some(folder) => {
            let mut problems = Problems::new();
            let files = Files::read(folder, &mut problems);
            problems.or(files)?
        }
    };
    Ok(explore::read_all(&files, contracts)?.into_iter().map(Arc::new).collect())
}

/// The models of these APIs: a shop of another kind may have a model of its own, `qr-test` beside `qr`.
fn chosen(apis: &[String], models: Vec<Arc<Model>>) -> Result<Vec<Arc<Model>>, Failure> {
    let is_of = |model: &Model, api: &str| model.api.strip_prefix(api).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    if let Some(api) = apis.iter().find(|api| !models.iter().any(|model| is_of(model, api))) {
        let known: Vec<&str> = models.iter().map(|model| model.api.as_str()).collect();
        let near = nearest(api, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no model of `{api}`; {}", near.unwrap_or_else(|| format!("there are {}", known.join(", "))));
        return Err(Failure::invalid(message));
    }
    Ok(models.into_iter().filter(|model| apis.is_empty() || apis.iter().any(|api| is_of(model, api))).collect())
}

/// The limits of the next model: its share of the time until `end`, or its number of sequences.
fn limits(arguments: &ExploreArguments, end: Option<Instant>, models_left: usize) -> ExplorationLimits {
    ExplorationLimits {
        sequences: if end.is_some() { u64::MAX } else { arguments.sequences },
        deadline: end.map(|end| share(Instant::now(), end, models_left)),
        max_steps: arguments.steps,
        jobs: arguments.source.jobs,
        max_failures: ENOUGH,
    }
}

/// When the share of the next model ends, if each of those that are left has an equal share of the time until `end`.
fn share(now: Instant, end: Instant, models_left: usize) -> Instant {
    now + end.saturating_duration_since(now) / u32::try_from(models_left.max(1)).unwrap_or(u32::MAX)
}

/// Writes the shortest sequence of one cause; with it the reason if that can't be done.
fn write(arguments: &ExploreArguments, explored: &Exploration, found: &Counterexample) -> (WrittenCounterexample, Option<io::Error>) {
    let folder = arguments.out.join(&explored.api);
    let file = folder.join(format!("{}.yaml", file_name(found)));
    let head = format!(
        "# Written by `paycheck explore --api {} --seed {}`: sequence {}, {} steps made {}.\n",
        explored.api, arguments.source.seed, found.sequence, found.length, found.shortest
    );
    let written = write_whole(&file, format!("{head}{}", found.script).as_bytes());
    let lost = written.err().map(|error| io::Error::new(error.kind(), format!("{} can't be written: {error}", file.display())));
    (WrittenCounterexample { found: found.clone(), file }, lost)
}

/// The file name from clause and operation, so that two causes have two files.
fn file_name(found: &Counterexample) -> String {
    let (clause, operation) = found.divergence.cause();
    format!("{clause}-{operation}").replace('.', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_models_together_take_the_time_that_was_asked_for() {
        let start = Instant::now();
        let end = start + Duration::from_secs(60);
        let ends = (1..=5).rev().scan(start, |now, models_left| {
            *now = share(*now, end, models_left);
            Some(now.duration_since(start).as_secs())
        });
        assert_eq!(ends.collect::<Vec<_>>(), [12, 24, 36, 48, 60]);
    }
}
