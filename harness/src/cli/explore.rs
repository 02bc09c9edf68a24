//! `paycheck explore`: random sequences against a model of the documents.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use super::verify::stop_on_interrupt;
use super::{Console, Failure, Source, embedded, inputs, time};
use crate::contract::{Contracts, Files};
use crate::exit::Exit;
use crate::explore::{self, Explored, Extent, Found, Model, Trouble, report};
use crate::source::Problems;

/// So many sequences that diverge are enough to show what is wrong.
const ENOUGH: usize = 20;

#[derive(Debug, Clone, Args)]
pub(super) struct ExploreArguments {
    /// Only the model of this API; all of them without it.
    #[arg(long, value_name = "API")]
    api: Vec<String>,
    /// How many sequences of each model.
    #[arg(long, value_name = "N", default_value_t = 200)]
    sequences: u64,
    /// Goes on for so long instead, the models taking turns.
    #[arg(long = "for", value_name = "TIME", value_parser = time, conflicts_with = "sequences")]
    duration: Option<Duration>,
    /// How many moves a sequence has at most, before everything is read.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = steps)]
    steps: u32,
    /// Where the shortest sequences are written, as scenarios.
    #[arg(long, value_name = "DIR", default_value = "explored")]
    out: PathBuf,
    #[command(flatten)]
    source: Source,
}

fn steps(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(steps @ 1..=1000) => Ok(steps),
        Ok(_) | Err(_) => Err("a number from 1 to 1000".to_owned()),
    }
}

/// Reads everything, explores, writes the shortest sequences.
pub(super) async fn run(arguments: &ExploreArguments, _console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let models = chosen(&arguments.api, models(arguments.source.contracts.as_deref(), &contracts)?)?;
    let (context, emulator) = embedded::connect(&arguments.source, contracts).await?;
    let title = &context.target.title;
    let mut out = io::stdout().lock();
    writeln!(out, "explore · {title} · seed {}\n", arguments.source.seed)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let mut ended = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let extent = extent(arguments, models.len() - index);
        let explored = explore::explore(&context, model, extent, stop_on_interrupt(Arc::clone(&interrupted))).await;
        write!(out, "{}", report::lines(&explored))?;
        ended.push(explored);
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    for found in ended.iter().flat_map(|explored| explored.found.iter().map(move |found| (explored, found))) {
        write_found(&mut out, arguments, found)?;
    }
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    outcome(&ended, interrupted.load(Ordering::Relaxed))
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

fn chosen(apis: &[String], models: Vec<Arc<Model>>) -> Result<Vec<Arc<Model>>, Failure> {
    if let Some(api) = apis.iter().find(|api| !models.iter().any(|model| model.api == **api)) {
        let known: Vec<&str> = models.iter().map(|model| model.api.as_str()).collect();
        let message = format!("there is no model of `{api}`; there are {}", known.join(", "));
        return Err(Failure::Other(Exit::InvalidInput, message));
    }
    Ok(models.into_iter().filter(|model| apis.is_empty() || apis.contains(&model.api)).collect())
}

/// How much of what is left belongs to the next model.
fn extent(arguments: &ExploreArguments, models_left: usize) -> Extent {
    let share = arguments.duration.map(|duration| duration / u32::try_from(models_left.max(1)).unwrap_or(1));
    Extent {
        sequences: if arguments.duration.is_some() { u64::MAX } else { arguments.sequences },
        until: share.map(|share| Instant::now() + share),
        steps: arguments.steps,
        jobs: arguments.source.jobs,
        enough: ENOUGH,
    }
}

fn write_found(out: &mut impl Write, arguments: &ExploreArguments, (explored, found): (&Explored, &Found)) -> Result<(), Failure> {
    let folder = arguments.out.join(&explored.api);
    let file = folder.join(format!("{}.yaml", file_name(found)));
    std::fs::create_dir_all(&folder).map_err(|error| super::reports::cannot_write(&folder, &error))?;
    let head = format!(
        "# Written by `paycheck explore --api {} --seed {}`: sequence {}, {} moves made {}.\n",
        explored.api, arguments.source.seed, found.sequence, found.length, found.shortest
    );
    std::fs::write(&file, format!("{head}{}", found.script)).map_err(|error| super::reports::cannot_write(&file, &error))?;
    let target = arguments.source.target.as_ref().map(|path| path.display().to_string());
    write!(out, "\n{}", report::found(found, &shown(&file), target.as_deref()))?;
    Ok(())
}

/// The clause and the operation, so that two causes have two files.
fn file_name(found: &Found) -> String {
    let (clause, operation) = found.divergence.cause();
    format!("{clause}-{operation}").replace('.', "-")
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

fn outcome(ended: &[Explored], interrupted: bool) -> Result<Exit, Failure> {
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    if ended.iter().any(|explored| !explored.found.is_empty()) {
        return Ok(Exit::Findings);
    }
    match ended.iter().find_map(|explored| explored.trouble.as_ref()) {
        Some(Trouble::Broken(reason)) => Err(Failure::Other(Exit::Unreachable, reason.clone())),
        Some(Trouble::Model(reason)) => Err(Failure::Other(Exit::InvalidInput, reason.clone())),
        Some(Trouble::Barred(..)) | None if ended.iter().all(|explored| explored.steps == 0) => Ok(Exit::Inconclusive),
        Some(Trouble::Barred(..)) | None => Ok(Exit::Passed),
    }
}
