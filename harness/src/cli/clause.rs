//! `paycheck clause`: one clause, and its result in the last run.

use std::path::{Path, PathBuf};

use clap::Args;

use super::console::print;
use super::failure::Failure;
use super::inputs;
use crate::base::exit::Exit;
use crate::engine::runner::{Selection, plan};
use crate::modes::coverage::{Events, OneClause};
use crate::modes::verify::unknown_clause;

/// The file to which `verify` writes its events in the README; it is read if no other is named.
const EVENTS: &str = "target/paycheck/events.ndjson";

#[derive(Debug, Clone, Args)]
pub(super) struct ClauseArguments {
    /// The clause to show, for example `gateway.refund.code.1402`.
    id: String,
    /// The events of the last run, as `verify --events` wrote them; without this, target/paycheck/events.ndjson, if it is there.
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
}

pub(super) fn run(arguments: &ClauseArguments) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.contracts.as_deref())?;
    let about = Selection { clauses: vec![arguments.id.clone()], ..Selection::default() };
    let unknown = || Failure::invalid(unknown_clause(&contracts, &about).unwrap_or_default());
    let clause = contracts.clauses.get(&arguments.id).ok_or_else(unknown)?;
    let scenarios = inputs::scenarios(&[], &contracts)?;
    let plan = plan(&scenarios, &contracts, &Selection::default());
    let default = Some(Path::new(EVENTS)).filter(|path| path.exists());
    let path = arguments.events.as_deref().or(default);
    let last = path.map(|path| found(path, &arguments.id)).transpose()?;
    let shown = OneClause::new(clause, &contracts, &plan).to_string();
    print(shown.trim_end())?;
    let names_files = shown.lines().any(|line| line.starts_with("  contracts/") || line.starts_with("  scenarios/"));
    if arguments.contracts.is_none() && names_files {
        print("\n`paycheck show PATH` prints a file that is named here.")?;
    }
    match path.zip(last) {
        Some((path, events)) => print(&format!("\nLast run, {}:\n{}", path.display(), events.to_string().trim_end()))?,
        None => print("\nLast run: unknown; `--events FILE` reads what `verify --events FILE` has written.")?,
    }
    Ok(Exit::Passed)
}

fn found(path: &Path, id: &str) -> Result<Events, Failure> {
    let invalid = |why: String| Failure::invalid(format!("{} can't be read as events: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    Events::read(&text, id).map_err(invalid)
}
