//! `paycheck coverage`: clause by clause and row by row, what a run proves and what carries it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::verify::{execute, print};
use super::{Console, CoverageArguments, Failure, inputs};
use crate::contract::{Clause, Contracts};
use crate::event::{RunFinished, Standing};
use crate::exit::Exit;
use crate::runner::{Instance, Selection, plan};
use crate::scenario::Scenario;

/// Runs everything and prints the standing of each clause.
pub(super) async fn run(arguments: &CoverageArguments, _console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(arguments.source.contracts.as_deref())?;
    let scenarios = inputs::scenarios(&[], &contracts)?;
    let plan = plan(&scenarios, &contracts, &Selection::default());
    let carriers = carriers(&contracts, &scenarios, &plan);
    let asked: BTreeSet<String> = contracts.clauses.values().filter(|c| c.unchecked.is_none()).map(|c| c.id.clone()).collect();
    let ran = execute(&arguments.source, Arc::clone(&contracts), plan, asked, |_| Ok(())).await?;
    let wanted = |id: &str| arguments.filter.as_ref().is_none_or(|part| id.contains(part.as_str()));
    if arguments.json {
        print(&format!("{:#}", as_json(&ran.run, &contracts, &carriers, wanted)))?;
    } else {
        print_clauses(&ran.run, &contracts, &carriers, wanted)?;
        print_rows(&ran.run, wanted)?;
        print_totals(&ran.run)?;
    }
    Ok(exit(&ran.run, wanted))
}

/// For each clause what carries it: places in the contracts, and scenarios.
fn carriers(contracts: &Contracts, scenarios: &[Arc<Scenario>], plan: &[Instance]) -> BTreeMap<String, BTreeSet<String>> {
    let mut carriers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (clause, places) in &contracts.carriers {
        carriers.entry(clause.clone()).or_default().extend(places.iter().map(|c| c.place.clone()));
    }
    for scenario in scenarios {
        let steps = scenario.steps.iter().flat_map(|step| &step.clauses);
        for clause in scenario.clauses.iter().chain(steps) {
            carriers.entry(clause.clone()).or_default().insert(scenario.path.clone());
        }
    }
    for instance in plan {
        for clause in instance.clauses() {
            carriers.entry(clause.clone()).or_default().insert(instance.scenario.path.clone());
        }
    }
    carriers
}

fn standing(standing: &Standing) -> (&'static str, String) {
    match standing {
        Standing::Passed { times } => ("passed", format!("{times}×")),
        Standing::Failed { times } => ("FAILED", format!("{times}×")),
        Standing::Known { times } => ("known", format!("{times}×")),
        Standing::Skipped { reason } => ("skipped", reason.clone()),
        Standing::Unchecked { reason } => ("not checkable", reason.clone()),
        Standing::Untouched => ("UNTOUCHED", "nothing that ran judged it".to_owned()),
    }
}

/// What another command checks is checkable, but not here.
fn word_for(clause: &Clause, word: &'static str) -> &'static str {
    if clause.checked_by.is_some() { "elsewhere" } else { word }
}

fn print_clauses(
    run: &RunFinished,
    contracts: &Contracts,
    carriers: &BTreeMap<String, BTreeSet<String>>,
    wanted: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let mut section = String::new();
    for outcome in run.clauses.iter().filter(|c| wanted(&c.id)) {
        let Some(clause) = contracts.clauses.get(&outcome.id) else { continue };
        let heading = format!("{}, {}", clause.document, clause.section);
        if heading != section {
            print(&format!("\n{heading}"))?;
            section = heading;
        }
        let (word, detail) = standing(&outcome.standing);
        let word = word_for(clause, word);
        print(&format!("  {word:<13} {:<52} {detail}", outcome.id))?;
        if !matches!(outcome.standing, Standing::Passed { .. } | Standing::Unchecked { .. }) {
            print(&format!("                {}", clause.says))?;
            for place in carriers.get(&outcome.id).into_iter().flatten().take(4) {
                print(&format!("                carried by {place}"))?;
            }
        }
    }
    Ok(())
}

fn print_rows(run: &RunFinished, wanted: impl Fn(&str) -> bool) -> Result<(), Failure> {
    print("\nTransitions")?;
    for row in run.rows.iter().filter(|r| wanted(&r.row) || wanted("")) {
        let word = if row.taken > 0 { "taken" } else { "NOT TAKEN" };
        print(&format!("  {word:<13} {:<52} {}×", row.row, row.taken))?;
    }
    Ok(())
}

fn print_totals(run: &RunFinished) -> Result<(), Failure> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in &run.clauses {
        *counts.entry(standing(&outcome.standing).0).or_default() += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let taken = run.rows.iter().filter(|r| r.taken > 0).count();
    print(&format!("\n{} clauses: {}; {taken} of {} transitions taken", run.clauses.len(), counts.join(", "), run.rows.len()))
}

fn as_json(
    run: &RunFinished,
    contracts: &Contracts,
    carriers: &BTreeMap<String, BTreeSet<String>>,
    wanted: impl Fn(&str) -> bool,
) -> Value {
    let clauses = run.clauses.iter().filter(|c| wanted(&c.id)).map(|outcome| {
        let clause = contracts.clauses.get(&outcome.id);
        let (word, detail) = standing(&outcome.standing);
        let word = clause.map_or(word, |clause| word_for(clause, word));
        json!({
            "id": outcome.id,
            "document": clause.map(|c| &c.document),
            "section": clause.map(|c| &c.section),
            "says": clause.map(|c| &c.says),
            "standing": word.to_lowercase(),
            "detail": detail,
            "carried-by": carriers.get(&outcome.id),
        })
    });
    json!({ "clauses": clauses.collect::<Vec<_>>(), "rows": run.rows })
}

/// A clause that can be checked and isn't, and a row that is not taken, fail the build.
fn exit(run: &RunFinished, wanted: impl Fn(&str) -> bool) -> Exit {
    let standings = run.clauses.iter().filter(|c| wanted(&c.id)).map(|c| &c.standing);
    let (mut failed, mut open) = (false, run.rows.iter().any(|row| row.taken == 0));
    for standing in standings {
        match standing {
            Standing::Failed { .. } => failed = true,
            Standing::Skipped { .. } | Standing::Untouched => open = true,
            Standing::Passed { .. } | Standing::Known { .. } | Standing::Unchecked { .. } => {}
        }
    }
    match (failed || run.counts.failed > 0, open || run.counts.broken > 0) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Inconclusive,
        (false, false) => Exit::Passed,
    }
}
