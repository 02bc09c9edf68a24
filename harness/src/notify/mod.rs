//! The other side of the contract: plays the gateway towards a merchant's notification endpoint and judges
//! the merchant. `docs/notify.md` says how the documents are read.
//!
//! Nothing here knows an API: notifications are written from contracts, states are reached by the transition
//! tables, and what is asked of a merchant stands under `x-merchant`.

mod acknowledgement;
mod courier;
mod gateway;
mod goods;
mod letter;
mod log;
mod malformation;
mod plan;
mod route;
mod session;
mod stock;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use url::Url;

pub use gateway::Gateway;
pub(crate) use stock::{Stock, Written};

use crate::contract::Contracts;
use crate::event::{Event, RunFinished, RunStarted};
use crate::runner::Summary;
use courier::Courier;
use plan::{Case, asked, plan, rules};
use session::Session;

/// What is judged, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The merchant's notification endpoint.
    pub endpoint: Url,
    /// How long it may take to answer.
    pub within: Duration,
    /// How long the body of the slow case takes.
    pub slow: Duration,
    /// The command that prints how often goods were handed over; empty = nobody can tell.
    pub orders: Vec<String>,
    /// Only cases whose name contains one of these; all when empty.
    pub filter: Vec<String>,
    /// The seed of everything random.
    pub seed: u64,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// What it says as a whole.
    pub run: RunFinished,
    /// Nobody listened at the endpoint.
    pub unreachable: bool,
}

/// Why a run ended early.
#[derive(Debug)]
pub enum RunError<E> {
    /// The endpoint can't be used.
    Invalid(String),
    /// Whoever is told does not listen any more.
    Told(E),
}

/// Runs every case. Ends early when `stop` resolves; what ran until then is reported.
pub async fn run<E>(
    contracts: &Arc<Contracts>,
    gateway: &Gateway,
    options: &Options,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(&Event) -> Result<(), E>,
) -> Result<Ended, RunError<E>> {
    let started = Instant::now();
    let courier = Courier::new(options.endpoint.clone(), options.within).map_err(RunError::Invalid)?;
    let cases = selected(contracts, &options.filter);
    tell(&Event::RunStarted(began(&cases, gateway, options))).map_err(RunError::Told)?;
    let asked = if options.filter.is_empty() { asked(contracts) } else { named(contracts, &cases).into_values().flatten().collect() };
    let mut summary = Summary::new(contracts, named(contracts, &cases), asked.clone());
    let mut session = Session::new(contracts, gateway, courier, options);
    tokio::pin!(stop);
    for case in &cases {
        let finished = tokio::select! {
            () = &mut stop => break,
            finished = session.run(case) => Arc::new(finished),
        };
        summary.take(&finished);
        tell(&Event::InstanceFinished(finished)).map_err(RunError::Told)?;
        if session.nobody_listens() {
            break;
        }
    }
    let mut run = summary.finish(cases.len(), started.elapsed());
    // Only what a merchant is held to is this run's business.
    run.clauses.retain(|clause| asked.contains(&clause.id));
    run.rows.clear();
    tell(&Event::RunFinished(Arc::new(run.clone()))).map_err(RunError::Told)?;
    Ok(Ended { run, unreachable: session.nobody_listens() })
}

fn began(cases: &[Case], gateway: &Gateway, options: &Options) -> RunStarted {
    let formats: std::collections::BTreeSet<_> = cases.iter().map(|case| case.notification.as_str()).collect();
    let target = format!("the merchant at {}", gateway.recorder().text(options.endpoint.as_str()));
    RunStarted { target, seed: options.seed, instances: cases.len(), scenarios: formats.len(), judged: crate::tape::Judged::default() }
}

fn selected(contracts: &Contracts, filter: &[String]) -> Vec<Case> {
    let wanted = |case: &Case| {
        let name = case.name.to_string();
        filter.is_empty() || filter.iter().any(|part| name.contains(part.as_str()))
    };
    plan(contracts).into_iter().filter(wanted).collect()
}

/// The clauses that each case can prove, by its name.
fn named(contracts: &Contracts, cases: &[Case]) -> BTreeMap<String, Vec<String>> {
    let clauses = |case: &Case| contracts.notifications.get(&case.notification).and_then(rules).map(|rules| case.clauses(rules));
    cases.iter().map(|case| (case.name.to_string(), clauses(case).unwrap_or_default())).collect()
}
