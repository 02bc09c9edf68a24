//! `paycheck coverage`: clause by clause and transition by transition, what a run proves and what carries it.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::Args;

use super::arguments::Source;
use super::console::{Console, print};
use super::failure::Failure;
use super::inputs;
use super::play::play;
use super::reporters::Output;
use crate::base::exit::Exit;
use crate::engine::outcome::{Collector, Verb};
use crate::engine::runner::{Selection, plan};
use crate::modes::coverage::Coverage;

#[derive(Debug, Clone, Args)]
pub(super) struct CoverageArguments {
    /// Only clauses whose id contains this.
    #[arg(value_name = "TEXT")]
    filter: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: Source,
}

/// Runs everything and reports what is known of each clause.
pub(super) async fn run(arguments: &CoverageArguments, console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&[], &contracts)?;
    let plan = plan(&scenarios, &contracts, &Selection::default());
    let coverage = Coverage::new(&contracts, &scenarios, &plan, arguments.filter.as_deref());
    let asked: BTreeSet<String> = contracts.clauses.values().filter(|c| c.unchecked.is_none()).map(|c| c.id.clone()).collect();
    let mut collector = Collector::new(Verb::Coverage);
    let ran = play(&arguments.source, Arc::clone(&contracts), plan, asked, |event| {
        collector.collect(event);
        Ok(())
    })
    .await?;
    let outcome = coverage.outcome(&ran.run, collector.outcome(ran.ended));
    if arguments.json {
        print(&format!("{:#}", coverage.json(&ran.run)))?;
        return Ok(outcome.exit());
    }
    Output::new(console, true).finish(outcome)
}
