//! Runs a plan: many instances at a time, reported in the plan's order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt;

use super::context::{Context, Worlds};
use super::plan::Instance;
use super::summary::Summary;
use crate::event::{Event, InstanceFinished, RunFinished, RunStarted};
use crate::tape::Judged;
use crate::verdict::Verdict;

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many instances run at the same time.
    pub jobs: usize,
}

/// Runs every instance. `asked` are the clauses that the run is to prove. Ends early when `stop`
/// resolves; what ran until then is reported. The callback's error ends the run too.
pub async fn run<E>(
    context: Arc<Context>,
    plan: Vec<Instance>,
    asked: BTreeSet<String>,
    limits: Limits,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(&Event) -> Result<(), E>,
) -> Result<RunFinished, E> {
    let started = Instant::now();
    let planned = plan.len();
    let scenarios: BTreeSet<_> = plan.iter().map(|i| i.scenario.path.as_str()).collect();
    tell(&Event::RunStarted(RunStarted {
        target: context.target.title.clone(),
        seed: context.seed,
        instances: planned,
        scenarios: scenarios.len(),
        judged: Judged::of(&context.target, &context.contracts, matches!(context.worlds, Worlds::Emulator(_))),
    }))?;
    let named = plan.iter().map(|i| (i.name.to_string(), i.clauses().cloned().collect())).collect();
    let mut summary = Summary::new(&context.contracts, named, asked);
    let running = futures::stream::iter(plan.into_iter().enumerate()).map(|(index, instance)| {
        let context = Arc::clone(&context);
        async move {
            let name = instance.name.clone();
            let title = instance.scenario.title.clone();
            let task = tokio::spawn(async move { super::instance::run(&context, &instance, index).await });
            task.await.unwrap_or_else(|error| InstanceFinished {
                verdict: Verdict::Broken { reason: format!("a fault of paycheck itself: {error}") },
                ..InstanceFinished::begun(name, title)
            })
        }
    });
    let mut finished = Box::pin(running.buffered(limits.jobs.max(1)).take_until(Box::pin(stop)));
    while let Some(instance) = finished.next().await {
        let instance = Arc::new(instance);
        summary.take(&instance);
        tell(&Event::InstanceFinished(instance))?;
    }
    let run = summary.finish(planned, started.elapsed());
    tell(&Event::RunFinished(Arc::new(run.clone())))?;
    Ok(run)
}
