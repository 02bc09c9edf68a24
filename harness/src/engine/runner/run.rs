//! Runs a plan: many cases at a time, reported in the plan's order as soon as their results are known.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt;

use super::context::{Context, Worlds};
use super::plan::Case;
use super::presence::Presence;
use super::summary::Summary;
use crate::base::verdict::Verdict;
use crate::engine::event::{CaseFinished, Event, RunFinished, RunStarted};
use crate::engine::inbox::Inbox;
use crate::engine::judged_target::JudgedTarget;

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many cases run at the same time.
    pub jobs: usize,
}

/// Runs every case. `asked` are the clauses that the run is to prove. Ends early when `stop` resolves; the cases that ran before
/// that are reported. The callback's error ends the run too.
pub async fn run<E>(
    context: Arc<Context>,
    plan: Vec<Case>,
    asked: BTreeSet<String>,
    limits: Limits,
    stop: impl Future<Output = ()>,
    mut report: impl FnMut(&Event) -> Result<(), E>,
) -> Result<RunFinished, E> {
    let started = Instant::now();
    let planned = plan.len();
    let scenarios: BTreeSet<_> = plan.iter().map(|i| i.scenario.path.as_str()).collect();
    report(&Event::RunStarted(RunStarted {
        target: context.target.title.clone(),
        seed: context.seed,
        cases: planned,
        scenarios: scenarios.len(),
        judged: Box::new(JudgedTarget::from_target(&context.target, &context.contracts, matches!(context.worlds, Worlds::Emulator(_)))),
        contracts: Arc::clone(&context.contracts),
    }))?;
    let named = plan.iter().map(|case| (case.name.to_string(), case.about(&context.contracts).map(str::to_owned).collect())).collect();
    let shared = Arc::clone(&context);
    let mut summary = Summary::new(&context.contracts, named, asked).meant_to_reach(context.target.reach.clone());
    let running = futures::stream::iter(plan.into_iter().enumerate()).map(|(index, case)| run_case(Arc::clone(&context), case, index));
    let mut finished = Box::pin(running.buffered(limits.jobs.max(1)).take_until(Box::pin(stop)));
    let mut report_case = |case: CaseFinished, summary: &mut Summary| {
        let case = Arc::new(case);
        summary.add(&case);
        report(&Event::CaseFinished(case))
    };
    let mut presence = Presence::default();
    while let Some(case) = finished.next().await {
        presence.add(case).into_iter().try_for_each(|case| report_case(case, &mut summary))?;
    }
    presence.finish().try_for_each(|case| report_case(case, &mut summary))?;
    let elapsed = started.elapsed();
    if summary.ended() == planned {
        learn_in_passing(&shared, &mut summary).await;
    }
    let mut run = summary.finish(planned, elapsed);
    run.unexpected = shared.inbox.as_ref().map(Inbox::unexpected).unwrap_or_default();
    report(&Event::RunFinished(Arc::new(run.clone())))?;
    Ok(run)
}

/// Adds what the cases that leave clauses open would have judged in passing.
async fn learn_in_passing(context: &Context, summary: &mut Summary) {
    let left = summary.left();
    if let Some(carriers) = context.carriers.as_ref().filter(|_| !left.cases.is_empty() && !left.clauses.is_empty()) {
        summary.learn(carriers(left).await);
    }
}

/// Runs a case in a task of its own. If the task panics, the case could not be judged.
async fn run_case(context: Arc<Context>, case: Case, index: usize) -> CaseFinished {
    let name = case.name.clone();
    let title = case.scenario.title.clone();
    let task = tokio::spawn(async move { super::case::run(&context, &case, index).await });
    task.await.unwrap_or_else(|error| CaseFinished {
        verdict: Verdict::NotJudged { reason: format!("a fault of paycheck itself: {error}").into() },
        ..CaseFinished::begun(name, title)
    })
}
