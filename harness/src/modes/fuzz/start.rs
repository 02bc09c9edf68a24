//! The valid requests that an operation is fuzzed from: those of the scenarios, with the steps before them as the
//! preparation, and the contract's example.

use std::sync::Arc;

use crate::base::source_place::SourcePlace;
use crate::engine::event::CaseName;
use crate::engine::runner::Case;
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Scenario, Step, StepVerb, TableRow, Template, ViolationsStep};
use crate::spec::target::MAIN;

/// A valid request and the steps before it.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The preparation, as steps that are played once.
    pub(super) case: Arc<Case>,
    /// The step that is changed.
    pub(super) step: Step,
    /// Its request.
    pub(super) call: Call,
}

impl Start {
    /// The origin of the request.
    pub(super) fn origin(&self) -> &str {
        self.step.place.as_str()
    }

    /// Whether it needs no steps before it.
    pub(super) fn is_alone(&self) -> bool {
        self.case.steps.is_empty() && self.case.scenario.setting.is_empty()
    }
}

/// The starts of an operation: those with the fewest preparations first, the contract's example last.
pub(super) fn starts(operation: &Operation, scenarios: &[Arc<Scenario>]) -> Vec<Start> {
    let mut found: Vec<Start> = scenarios.iter().flat_map(|scenario| in_scenario(operation, scenario)).collect();
    found.sort_by_key(|start| (!start.case.scenario.setting.is_empty(), start.case.steps.len()));
    found.truncate(MOST);
    found.push(example(operation));
    found
}

/// The most starts that are tried until one succeeds.
const MOST: usize = 6;

fn in_scenario(operation: &Operation, scenario: &Arc<Scenario>) -> Vec<Start> {
    let calls = scenario.steps.iter().enumerate().flat_map(|(index, step)| {
        let rows = scenario.cases.iter().filter_map(move |row| Some((row, request(operation, step, row)?)));
        rows.take(1).map(move |(row, call)| (index, step, row, call))
    });
    let start = |(index, step, row, call): (usize, &Step, &TableRow, Call)| {
        let before = scenario.steps.iter().take(index);
        if before.clone().any(|step| matches!(step.verb, StepVerb::Violations(_))) {
            return None;
        }
        let steps = before.cloned().map(|step| Step { once: true, ..step }).collect();
        Some(Start { case: case(scenario, row.clone(), steps), step: step.clone(), call })
    };
    calls.filter_map(start).collect()
}

fn case(scenario: &Scenario, row: TableRow, steps: Vec<Step>) -> Arc<Case> {
    // The beginning of a script may need less than the whole; the steps are checked one by one.
    let scenario = Scenario { needs: Vec::new(), ..scenario.clone() };
    let name = CaseName { api: scenario.api.clone(), scenario: scenario.name.clone(), case: row.name.clone() };
    Arc::new(Case { name, scenario: Arc::new(scenario), row, steps: steps.into() })
}

/// The request of a step that expects success of the operation.
fn request(operation: &Operation, step: &Step, row: &TableRow) -> Option<Call> {
    match &step.verb {
        StepVerb::Violations(wanted) if wanted.operation == operation.id => Some(of_violations(wanted)),
        StepVerb::Call(call) => {
            let named = call.operation.render(&row.values).ok()?;
            let as_main = call.identity == Template::text(MAIN) && call.token.is_none() && call.body.is_none();
            let plain = call.query.is_empty() && call.query_credentials.is_empty() && call.http.status.is_none();
            let says = operation.success.field().is_some_and(|field| call.expect.contains_key(field));
            (named == operation.id.as_str() && as_main && plain && !says).then(|| Call::clone(call))
        }
        StepVerb::Violations(_) | StepVerb::World(_) | StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) => None,
    }
}

fn of_violations(wanted: &ViolationsStep) -> Call {
    let with = wanted.with.clone();
    Call { example: wanted.example.clone(), with, without: wanted.without.clone(), ..Call::new(&wanted.operation) }
}

fn example(operation: &Operation) -> Start {
    let scenario = Scenario {
        name: operation.id.clone(),
        api: operation.api.clone(),
        path: "the contract's example".to_owned(),
        title: operation.summary.clone(),
        clauses: Vec::new(),
        needs: Vec::new(),
        setting: serde_json::Map::new(),
        as_stated: Vec::new(),
        cases: vec![TableRow::default()],
        steps: Arc::default(),
    };
    let call = Call::new(&operation.id);
    let verb = StepVerb::Call(Box::new(call.clone()));
    let step = Step::new(SourcePlace::of_file(scenario.path.as_str()), verb);
    Start { case: case(&scenario, TableRow::default(), Vec::new()), step, call }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::contract::{Contracts, Files};
    use crate::spec::scenario::shipped;

    #[test]
    fn a_start_is_the_step_that_asks_for_success_with_what_goes_before_it() {
        let contracts = Contracts::shipped();
        let scenarios = shipped();
        let of = |id: &str| starts(contracts.operations.get(id).unwrap(), &scenarios);
        let create = of("gateway.v1.create");
        assert!(create.first().unwrap().is_alone());
        let refund = of("gateway.v1.refund");
        let first = refund.first().unwrap();
        assert!(!first.case.steps.is_empty() && first.case.steps.iter().all(|step| step.once), "{first:?}");
        assert_eq!(refund.last().unwrap().origin(), "the contract's example");
    }

    /// `paycheck fuzz` reads the files that name an operation, and no others.
    #[test]
    fn a_start_is_in_a_file_that_names_the_operation() {
        let (files, scenarios) = (Files::scenarios(), shipped());
        for operation in Contracts::shipped().operations.values() {
            for start in starts(operation, &scenarios).iter().filter(|start| !start.case.scenario.path.starts_with("the contract")) {
                let path = start.case.scenario.path.trim_start_matches("scenarios/");
                assert!(files.get(path).unwrap().text.contains(&operation.id), "{path}: {}", operation.id);
            }
        }
    }
}
