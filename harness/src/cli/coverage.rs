//! `paycheck coverage`: what a run proves, by clause and by transition, and what carries each clause; for a live target, what it
//! lets a run judge.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::arguments::Source;
use super::ask::AtTerminal;
use super::console::{Console, print};
use super::failure::Failure;
use super::formats::FormatArguments;
use super::play::play;
use super::progress::CaseCount;
use super::reporters::Output;
use super::separate::separate;
use super::{embedded, inputs};
use crate::base::exit::Exit;
use crate::base::output::write_whole;
use crate::engine::outcome::{Collector, Verb};
use crate::engine::runner::{Case, Context, Selection, blockers, plan};
use crate::modes::coverage::Coverage;
use crate::modes::reach::Reach;
use crate::spec::contract::Contracts;
use crate::spec::target::Target;

#[derive(Debug, Clone, Args)]
pub(super) struct CoverageArguments {
    /// Only clauses whose id contains this.
    #[arg(value_name = "TEXT")]
    filter: Option<String>,
    /// What the target lets a run judge by scenarios of this API alone; several are separated by commas.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "target", conflicts_with_all = ["run", "write"])]
    api: Vec<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Plays everything against the target too, instead of only saying what its file lets a run judge.
    #[arg(long, requires = "target")]
    run: bool,
    /// Writes what the target lets a run judge into this file, for `reach:` in the target file.
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with_all = ["run", "filter"])]
    write: Option<PathBuf>,
    #[command(flatten)]
    formats: FormatArguments<false>,
    #[command(flatten)]
    source: Source,
}

impl CoverageArguments {
    /// Where it is reported. JSON takes standard output.
    fn output(&self, console: &Console) -> Result<Output, Failure> {
        let mut output = if self.json { Output::to_files(console) } else { Output::new(console, true) };
        output.formats(&self.formats)?;
        Ok(output)
    }
}

/// Runs everything and reports the standing of each clause.
pub(super) async fn run(arguments: &CoverageArguments, console: &Console) -> Result<Exit, Failure> {
    separate(arguments.source.inputs(), arguments.formats.files().chain([arguments.write.as_deref()]))?;
    let contracts = inputs::contracts_of(arguments.source.contracts.as_deref(), arguments.source.target.as_deref())?;
    let scenarios = inputs::of_apis(&arguments.api, inputs::scenarios(&[], &contracts)?)?;
    let plan = plan(&scenarios, &contracts, &Selection::default());
    if let Some(part) = &arguments.filter
        && !contracts.clauses.values().any(|clause| clause.id.contains(part.as_str()))
    {
        return Err(Failure::invalid(format!("no clause's id contains `{part}`; `paycheck show contracts/clauses` lists their files")));
    }
    if let (Some(path), false) = (&arguments.source.target, arguments.run) {
        let target = inputs::read_target(path, &contracts)?;
        return reach(arguments, console, target, contracts, plan).await;
    }
    let output = arguments.output(console)?;
    let coverage = Coverage::new(&contracts, &scenarios, &plan, arguments.filter.as_deref());
    let asked: BTreeSet<String> = contracts.clauses.values().filter(|c| c.unchecked.is_none()).map(|c| c.id.clone()).collect();
    let (mut collector, mut count) = (Collector::new(Verb::Coverage), CaseCount::default());
    let ran = play(&arguments.source, Arc::clone(&contracts), plan, asked, |event| {
        console.progress.set(count.after(event));
        collector.collect(event);
        Ok(())
    })
    .await?;
    if arguments.json {
        print(&format!("{:#}", coverage.json(&ran.run)))?;
    }
    output.finish(coverage.outcome(&ran.run, collector.outcome(ran.ended)))
}

/// Shows what a target lets a run judge. Nothing is sent to it.
async fn reach(
    arguments: &CoverageArguments,
    console: &Console,
    mut target: Target,
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
) -> Result<Exit, Failure> {
    // The port may be in use, and no notification is expected.
    if let Some(listen) = &mut target.notifications.listen {
        *listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    }
    let has_inbox = target.notifications.listen.is_some();
    let context = Context::start(Arc::clone(&contracts), target, Vec::new(), arguments.source.seed).await?;
    let context = context.with_person(Arc::new(AtTerminal::default()));
    let played = async |plan: Vec<Case>, inbox: bool| embedded::carriers(Arc::clone(&contracts), plan, arguments.source.jobs, inbox).await;
    let carriers = played(plan.clone(), true).await?;
    let playable = || plan.iter().filter(|case| blockers(&context, case).is_empty()).cloned().collect();
    let without_inbox = if has_inbox { None } else { Some(played(playable(), false).await?) };
    let here = without_inbox.as_ref().unwrap_or(&carriers);
    let reach = Reach::new(&context, &contracts, &plan, &carriers, here, arguments.filter.as_deref());
    if let Some(path) = &arguments.write {
        write_whole(path, reach.file().as_bytes()).map_err(|error| Failure::cannot_write(path, &error))?;
    }
    if arguments.json {
        print(&format!("{:#}", reach.json()))?;
    }
    let mut output = arguments.output(console)?;
    if let Some(path) = &arguments.write {
        output.written("reach", path);
    }
    let outcome = reach.outcome();
    output.start(&outcome.heading)?;
    output.finish(outcome)
}
