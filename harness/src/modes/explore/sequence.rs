//! Runs one sequence in a world of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Map;

use super::boundary::endings;
use super::command::Batch;
use super::description::describe;
use super::divergence::Divergence;
use super::error::ExploreError;
use super::executor::Executor;
use super::generator::SequenceGenerator;
use super::model::Model;
use super::script::ScenarioWriter;
use super::trace::Trace;
use crate::engine::event::CaseName;
use crate::engine::outcome::WireMessage;
use crate::engine::runner::{Case, Context, OpenWorld};
use crate::spec::scenario::{Scenario, TableRow};

/// How often commands race at the end of a sequence that ends with races.
const RACES: usize = 3;

/// With more possible states than this, every query runs, which rules most of them out.
const STATES_BEFORE_QUERIES: usize = 4;

/// Where the batches of a sequence come from.
pub(super) enum SequenceSource<'s> {
    /// They are generated while the sequence runs.
    Generated {
        /// What generates them.
        generator: SequenceGenerator,
        /// The most commands, before the races and the queries.
        max_steps: u32,
        /// Whether commands race at the end.
        has_races: bool,
    },
    /// They are known.
    Known(&'s [Batch]),
}

/// The result of one sequence.
pub(super) struct SequenceOutcome {
    /// How often each transition was taken.
    pub(super) taken: BTreeMap<String, usize>,
    /// The number of commands, not counting those after a race.
    pub(super) steps: usize,
    /// The number of races.
    pub(super) races: usize,
    /// The batches that were executed.
    pub(super) batches: Vec<Batch>,
    /// The number of commands in them.
    pub(super) length: usize,
    /// The actions that could not be carried out in some form, and why; what they would have done was left out.
    pub(super) unavailable: BTreeMap<usize, String>,
    /// What diverged, if something did.
    pub(super) failure: Option<SequenceFailure>,
}

/// A divergence, and the sequence that shows it.
pub(super) struct SequenceFailure {
    pub(super) divergence: Divergence,
    /// The batches in words.
    pub(super) description: Vec<String>,
    /// The exchange that shows the divergence, if one does.
    pub(super) messages: Vec<Arc<WireMessage>>,
    /// The sequence as a scenario.
    pub(super) script: String,
}

/// Runs one sequence in a new world; `name` is unique in the run.
pub(super) async fn run(context: &Context, model: &Model, name: &str, source: SequenceSource<'_>) -> Result<SequenceOutcome, ExploreError> {
    let case = case(model);
    let world = OpenWorld::open(context, name, &model.setting).await.map_err(|error| ExploreError::Target(error.to_string()))?;
    let executed = execute(context, model, &case, &world, source).await;
    let closed = world.close(context).await.map_err(|error| ExploreError::Target(error.to_string()));
    let (divergence, trace) = executed?;
    closed?;
    Ok(outcome(context, model, divergence, trace))
}

async fn execute<'g>(
    context: &'g Context,
    model: &'g Model,
    case: &'g Case,
    world: &'g OpenWorld,
    source: SequenceSource<'_>,
) -> Result<(Option<Divergence>, Trace<'g>), ExploreError> {
    let mut executor = Executor::new(context, model, case, world)?;
    let is_known = matches!(source, SequenceSource::Known(_));
    let divergence = match source {
        SequenceSource::Known(batches) => execute_all(&mut executor, batches).await?,
        SequenceSource::Generated { generator, max_steps, has_races } => {
            generate(&mut executor, model, generator, max_steps, has_races).await?
        }
    };
    // Left open, it would be found by the next sequence, and blamed on the target.
    if executor.is_shared() && (is_known || divergence.is_some()) {
        executor.end_everything().await;
    }
    match divergence {
        Some(divergence) => Ok((Some(divergence), executor.into_trace())),
        None => executor.finish().await,
    }
}

async fn execute_all(executor: &mut Executor<'_>, batches: &[Batch]) -> Result<Option<Divergence>, ExploreError> {
    for batch in batches {
        let divergence = executor.execute(batch).await?;
        if divergence.is_some() {
            return Ok(divergence);
        }
    }
    Ok(None)
}

/// Generates and executes batch after batch; then come the races, and a query of everything.
async fn generate(
    executor: &mut Executor<'_>,
    model: &Model,
    mut generator: SequenceGenerator,
    max_steps: u32,
    has_races: bool,
) -> Result<Option<Divergence>, ExploreError> {
    for _ in 0..generator.length(max_steps) {
        let Some(batch) = generator.next(model, executor.possible())? else { break };
        let mut divergence = executor.execute(&batch).await?;
        if divergence.is_none() && executor.possible().states().len() > STATES_BEFORE_QUERIES {
            let queries = generator.queries(model, executor.possible());
            divergence = execute_all(executor, &queries).await?;
        }
        if divergence.is_some() {
            return Ok(divergence);
        }
    }
    for _ in 0..if has_races { RACES } else { 0 } {
        let Some(race) = generator.race(model, executor.possible())? else { continue };
        let divergence = executor.execute(&race).await?;
        if divergence.is_some() {
            return Ok(divergence);
        }
    }
    if executor.is_shared() {
        let endings = endings(model, executor.possible());
        let divergence = execute_all(executor, &endings).await?;
        if divergence.is_some() {
            return Ok(divergence);
        }
    }
    let queries = generator.queries(model, executor.possible());
    execute_all(executor, &queries).await
}

fn outcome(context: &Context, model: &Model, divergence: Option<Divergence>, trace: Trace<'_>) -> SequenceOutcome {
    let failure = divergence.map(|divergence| SequenceFailure {
        description: trace.batches.iter().map(describe).collect(),
        messages: messages(&trace, &divergence),
        script: ScenarioWriter {
            contracts: &context.contracts,
            model,
            divergence: &divergence,
            trace: &trace,
            has_setting: context.has_worlds(),
        }
        .write(),
        divergence,
    });
    SequenceOutcome {
        steps: trace.steps,
        races: trace.batches.iter().filter(|executed| executed.batch.is_concurrent()).count(),
        length: trace.batches.iter().map(|executed| executed.commands.len()).sum(),
        batches: trace.batches.into_iter().map(|executed| executed.batch).collect(),
        taken: trace.taken,
        unavailable: trace.unavailable,
        failure,
    }
}

/// The last exchange of the operation that diverged.
fn messages(trace: &Trace<'_>, divergence: &Divergence) -> Vec<Arc<WireMessage>> {
    let exchange = trace.exchanges.get(&divergence.operation);
    exchange.map(|exchange| WireMessage::request_and_response(exchange).map(Arc::new).into()).unwrap_or_default()
}

/// The case that a session needs: a sequence has no scenario file.
fn case(model: &Model) -> Case {
    let scenario = Scenario {
        name: "explored".to_owned(),
        api: model.api.clone(),
        path: format!("explore/{}", model.api),
        title: String::new(),
        clauses: Vec::new(),
        needs: Vec::new(),
        setting: Map::new(),
        as_stated: Vec::new(),
        cases: Vec::new(),
        steps: Arc::default(),
    };
    let name = CaseName { api: model.api.clone(), scenario: "explored".to_owned(), case: String::new() };
    Case { name, scenario: Arc::new(scenario), row: TableRow::default(), steps: Arc::default() }
}
