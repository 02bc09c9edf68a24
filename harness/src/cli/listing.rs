//! Lists what `verify` would play: its cases, or the requests of each. Nothing is sent.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::Source;
use super::console::print;
use super::embedded::{self, Opened};
use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::text::counted;
use crate::engine::runner::{Case, Context, Preview, PreviewStep, preview};
use crate::spec::contract::Contracts;
use crate::spec::target::WorldKind;

/// How cases are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ListFormat {
    /// A name a line.
    Text,
    /// An array with an object for each case.
    Json,
}

/// Prints the cases of a plan.
pub(super) fn list(plan: &[Case], format: ListFormat) -> Result<Exit, Failure> {
    match format {
        ListFormat::Text => plan.iter().try_for_each(|case| print(&case.name.to_string()))?,
        ListFormat::Json => print(&format!("{:#}", Value::Array(plan.iter().map(as_json).collect())))?,
    }
    Ok(Exit::Passed)
}

fn as_json(case: &Case) -> Value {
    let mut clauses: Vec<&String> = case.clauses().collect();
    clauses.sort();
    clauses.dedup();
    json!({
        "api": case.name.api,
        "scenario": case.name.scenario,
        "case": case.name.case,
        "name": case.name.to_string(),
        "title": case.scenario.title,
        "file": case.scenario.path,
        "needs": case.scenario.needs,
        "clauses": clauses,
    })
}

/// Prints what each case would send to the target.
pub(super) async fn dry_run(source: &Source, contracts: Arc<Contracts>, plan: &[Case]) -> Result<Exit, Failure> {
    let Opened { mut target, aliases, emulator } = embedded::open(source.target.as_deref(), &contracts).await?;
    // No notification is expected, and the port may be in use; no emulator is asked to open a world.
    if let Some(listen) = &mut target.notifications.listen {
        *listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    }
    let emulated = matches!(target.world, WorldKind::Emulator(_));
    if emulated {
        target.world = WorldKind::without_actions();
    }
    let context = Context::start(contracts, target, aliases, source.seed).await?;
    print(&format!("verify  {}  {}, nothing is sent", context.target.title, counted(plan.len(), "case")))?;
    for case in plan {
        let preview = preview(&context, case);
        print(&format!("\n{}", case.name))?;
        // The abilities of an emulator are only known once it is asked.
        lines(&Preview { skipped: preview.skipped.filter(|_| !emulated), ..preview }).iter().try_for_each(|line| print(line))?;
    }
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    Ok(Exit::Passed)
}

fn lines(preview: &Preview) -> Vec<String> {
    let skipped = preview.skipped.iter().map(|why| format!("  skipped: {why}"));
    let steps = preview.steps.iter().flat_map(|step| match step {
        PreviewStep::Request { operation, line, body } => {
            let body = (!body.is_empty()).then(|| format!("    {body}"));
            std::iter::once(format!("  {line}  ({operation})")).chain(body).collect::<Vec<_>>()
        }
        PreviewStep::Event(event) => vec![format!("  {event}")],
        PreviewStep::Unknown(why) => vec![format!("  {why}")],
    });
    skipped.chain(steps).collect()
}
