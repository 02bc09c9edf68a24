//! `verify`: plays a plan against a target, and stops if the target's address does not respond at all.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::name_filter::NameFilter;
use crate::base::source::nearest;
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::Ended;
use crate::engine::runner::{self, Case, Context, Limits, Selection, plan};
use crate::spec::contract::Contracts;
use crate::spec::scenario::Scenario;

/// The result of a run.
pub struct RunResult {
    /// Its summary.
    pub run: RunFinished,
    /// How it ended.
    pub ended: Ended,
}

/// Plays a plan until its end, until `interrupted`, or until it is clear that no server responds.
///
/// # Errors
/// The error of `report`, which ends the run.
pub async fn play<E>(
    context: Arc<Context>,
    plan: Vec<Case>,
    asked: BTreeSet<String>,
    limits: Limits,
    interrupted: impl Future<Output = ()>,
    report: impl FnMut(&Event) -> Result<(), E>,
) -> Result<RunResult, E> {
    let has_been_interrupted = AtomicBool::new(false);
    let giving_up = context.responsiveness.giving_up();
    let stop = async {
        tokio::select! {
            () = interrupted => has_been_interrupted.store(true, Ordering::Relaxed),
            () = giving_up => {}
        }
    };
    let run = runner::run(Arc::clone(&context), plan, asked, limits, stop, report).await?;
    let ended = match (has_been_interrupted.load(Ordering::Relaxed), context.responsiveness.unreachable()) {
        (true, _) => Ended::Interrupted,
        (false, Some(why)) => Ended::Unreachable(Some(why)),
        (false, None) => Ended::Completed,
    };
    Ok(RunResult { run, ended })
}

/// The first unknown clause of a selection, with the nearest known one.
pub fn unknown_clause(contracts: &Contracts, selection: &Selection) -> Option<String> {
    let id = selection.clauses.iter().find(|id| !contracts.clauses.contains_key(*id))?;
    let near = nearest(id, contracts.clauses.keys().map(String::as_str));
    let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Some(format!("there is no clause `{id}`{help}"))
}

/// What is wrong with a selection that no case is in: all its cases are left out, its names are those of other cases than of its clauses,
/// or no case has them and another name is near.
pub fn misspelt_name(scenarios: &[Arc<Scenario>], contracts: &Contracts, selection: &Selection) -> Option<String> {
    let names = NameFilter { except: Vec::new(), ..selection.names.clone() };
    let with_excluded = Selection { names: names.clone(), ..selection.clone() };
    if !selection.names.except.is_empty() && !plan(scenarios, contracts, &with_excluded).is_empty() {
        return Some("`--exclude` leaves out every case that is selected otherwise".to_owned());
    }
    let name = names.only.first()?;
    let of_cases: Vec<String> = plan(scenarios, contracts, &Selection::default()).iter().map(|case| case.name.to_string()).collect();
    if !selection.clauses.is_empty() && of_cases.iter().any(|of_case| names.takes(of_case)) {
        let clauses: Vec<String> = selection.clauses.iter().map(|id| format!("`{id}`")).collect();
        return Some(format!("no case about {} has a name that contains `{name}`", clauses.join(" or ")));
    }
    let words = of_cases.iter().flat_map(|name| name.split([' ', '/', '-', ':', ',']));
    let parts = of_cases.iter().flat_map(|name| name.split(" / "));
    let near = nearest(name, parts.chain(words))?;
    Some(format!("no case's name contains `{name}`; did you mean `{near}`?"))
}

/// The clauses that a run of a selection is to prove: the selected ones; none if only cases are selected. Without a selection,
/// those of the scenarios or, if these are `all`, every clause that can be checked.
pub fn asked(contracts: &Contracts, scenarios: &[Arc<Scenario>], selection: &Selection, all: bool) -> BTreeSet<String> {
    if !selection.clauses.is_empty() {
        return selection.clauses.iter().cloned().collect();
    }
    if !selection.is_all() {
        return BTreeSet::new();
    }
    if all {
        return contracts.clauses.values().filter(|c| c.unchecked.is_none()).map(|c| c.id.clone()).collect();
    }
    scenarios.iter().flat_map(|s| s.clauses.iter().chain(s.steps.iter().flat_map(|step| &step.clauses))).cloned().collect()
}
