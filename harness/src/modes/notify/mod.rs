//! Judges a merchant: plays the gateway towards its notification endpoint. `docs/notify.md` says how the documents are
//! read.
//!
//! Nothing here knows an API: notifications are written from contracts, state tables say how states are reached, and
//! `x-merchant` says what a merchant must do.

mod case_run;
mod delivery_oracle;
mod malformation;
mod options;
mod plan;
mod session;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use crate::base::name_filter::NameFilter;
use crate::engine::event::{Event, RunFinished, RunStarted};
use crate::engine::push::rules::rules;
use crate::engine::push::sender::Sender;
use crate::engine::push::{Gateway, PushError};
use crate::engine::runner::Summary;
use crate::spec::contract::Contracts;
use plan::{PushCase, merchant_clauses, plan};
use session::NotifySession;

pub use options::NotifyOptions;

/// How a run ended.
#[derive(Debug)]
pub struct NotifyOutcome {
    /// The summary.
    pub run: RunFinished,
    /// Why the endpoint could not be reached, or was given up.
    pub unreachable: Option<String>,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum NotifyError<E> {
    /// The endpoint can't be used.
    #[error(transparent)]
    Endpoint(PushError),
    /// A reporter failed.
    #[error("a report could not be written")]
    Reporter(E),
}

/// Runs every case. Ends early when `stop` resolves; the cases that ran until then are reported.
///
/// # Errors
/// When the endpoint can't be used, or a reporter fails.
pub async fn run<E>(
    contracts: &Arc<Contracts>,
    gateway: &Gateway,
    options: &NotifyOptions,
    stop: impl Future<Output = ()>,
    mut report: impl FnMut(&Event) -> Result<(), E>,
) -> Result<NotifyOutcome, NotifyError<E>> {
    let started = Instant::now();
    let sender = Sender::new(options.endpoint.clone(), options.within, options.certificate.as_deref()).map_err(NotifyError::Endpoint)?;
    let cases = selected(contracts, &options.filter);
    report(&Event::RunStarted(run_started(contracts, &cases, gateway, options))).map_err(NotifyError::Reporter)?;
    let provable = clauses_by_case(contracts, &cases);
    let clauses = if options.filter.takes_all() { merchant_clauses(contracts) } else { provable.values().flatten().cloned().collect() };
    let mut summary = Summary::new(contracts, provable, clauses.clone());
    let mut session = NotifySession::new(contracts, gateway, sender, options);
    tokio::pin!(stop);
    for case in &cases {
        let finished = tokio::select! {
            () = &mut stop => break,
            finished = session.run(case) => Arc::new(finished),
        };
        summary.add(&finished);
        report(&Event::CaseFinished(finished)).map_err(NotifyError::Reporter)?;
        if session.never_responded().is_some() {
            break;
        }
    }
    let mut run = summary.finish(cases.len(), started.elapsed());
    // This run judges nothing but the clauses that bind a merchant.
    run.clauses.retain(|clause| clauses.contains(&clause.id));
    run.rows.clear();
    report(&Event::RunFinished(Arc::new(run.clone()))).map_err(NotifyError::Reporter)?;
    // What made a merchant's endpoint fall silent is a finding.
    let unreachable = session.unreachable().filter(|_| run.counts.failed == 0).or_else(|| session.never_responded());
    Ok(NotifyOutcome { run, unreachable })
}

fn run_started(contracts: &Arc<Contracts>, cases: &[PushCase], gateway: &Gateway, options: &NotifyOptions) -> RunStarted {
    let formats: std::collections::BTreeSet<_> = cases.iter().map(|case| case.notification.as_str()).collect();
    let target = format!("the merchant at {}", gateway.recorder().text(options.endpoint.as_str()));
    RunStarted {
        target,
        seed: options.seed,
        cases: cases.len(),
        scenarios: formats.len(),
        judged: Box::default(),
        contracts: Arc::clone(contracts),
    }
}

fn selected(contracts: &Contracts, filter: &NameFilter) -> Vec<PushCase> {
    plan(contracts).into_iter().filter(|case| filter.takes(&case.name.to_string())).collect()
}

/// The clauses that each case can prove, by its name.
fn clauses_by_case(contracts: &Contracts, cases: &[PushCase]) -> BTreeMap<String, Vec<String>> {
    let clauses = |case: &PushCase| contracts.notifications.get(&case.notification).and_then(rules).map(|rules| case.clauses(rules));
    cases.iter().map(|case| (case.name.to_string(), clauses(case).unwrap_or_default())).collect()
}
