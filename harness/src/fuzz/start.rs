//! From which valid requests an operation is fuzzed: those of the scenarios, with the steps before them as the
//! preparation, and the contract's own example.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::contract::Operation;
use crate::event::InstanceName;
use crate::runner::Instance;
use crate::scenario::{Call, Case, HttpExpectation, Scenario, Step, Template, Verb, ViolationsStep};
use crate::target::MAIN;

/// A valid request and what has to happen before it.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The preparation, as steps that are played once.
    pub(super) instance: Arc<Instance>,
    /// The step that is changed.
    pub(super) step: Step,
    /// Its request.
    pub(super) call: Call,
}

impl Start {
    /// Where the request comes from.
    pub(super) fn origin(&self) -> &str {
        &self.step.place
    }

    /// Whether nothing has to happen before it.
    pub(super) fn is_alone(&self) -> bool {
        self.instance.steps.is_empty() && self.instance.scenario.setting.is_empty()
    }
}

/// The starts of an operation: those with the fewest preparations first, the contract's example last.
pub(super) fn starts(operation: &Operation, scenarios: &[Arc<Scenario>]) -> Vec<Start> {
    let mut found: Vec<Start> = scenarios.iter().flat_map(|scenario| in_scenario(operation, scenario)).collect();
    found.sort_by_key(|start| (!start.instance.scenario.setting.is_empty(), start.instance.steps.len()));
    found.truncate(MOST);
    found.push(example(operation));
    found
}

/// As many starts are tried until one succeeds.
const MOST: usize = 6;

fn in_scenario(operation: &Operation, scenario: &Arc<Scenario>) -> Vec<Start> {
    let calls = scenario.steps.iter().enumerate().flat_map(|(index, step)| {
        let cases = scenario.cases.iter().filter_map(move |case| Some((case, request(operation, step, case)?)));
        cases.take(1).map(move |(case, call)| (index, step, case, call))
    });
    let start = |(index, step, case, call): (usize, &Step, &Case, Call)| {
        let before = scenario.steps.iter().take(index);
        if before.clone().any(|step| matches!(step.verb, Verb::Violations(_))) {
            return None;
        }
        let steps = before.cloned().map(|step| Step { once: true, ..step }).collect();
        Some(Start { instance: instance(scenario, case.clone(), steps), step: step.clone(), call })
    };
    calls.filter_map(start).collect()
}

fn instance(scenario: &Scenario, case: Case, steps: Vec<Step>) -> Arc<Instance> {
    // What the whole script needs, its beginning may not; the steps are looked at one by one.
    let scenario = Scenario { needs: Vec::new(), ..scenario.clone() };
    let name = InstanceName { api: scenario.api.clone(), scenario: scenario.name.clone(), case: case.name.clone() };
    Arc::new(Instance { name, scenario: Arc::new(scenario), case, steps })
}

/// The request of a step that asks the operation for success.
fn request(operation: &Operation, step: &Step, case: &Case) -> Option<Call> {
    match &step.verb {
        Verb::Violations(wanted) if wanted.operation == operation.id => Some(of_violations(wanted)),
        Verb::Call(call) => {
            let named = call.operation.render(&case.values).ok()?;
            let as_main = call.identity == Template::text(MAIN) && call.token.is_none() && call.body.is_none();
            let plain = call.query.is_empty() && call.query_credentials.is_empty() && call.http.status.is_none();
            let says = operation.success.field().is_some_and(|field| call.expect.contains_key(field));
            (named == operation.id.as_str() && as_main && plain && !says).then(|| Call::clone(call))
        }
        Verb::Violations(_) | Verb::World(_) | Verb::Notification(_) | Verb::NoNotification(_) | Verb::Inbox(_) => None,
    }
}

fn of_violations(wanted: &ViolationsStep) -> Call {
    let with = wanted.with.clone();
    Call { example: wanted.example.clone(), with, without: wanted.without.clone(), ..plain(&wanted.operation) }
}

fn plain(operation: &str) -> Call {
    Call {
        operation: Template::text(operation),
        example: None,
        with: IndexMap::new(),
        extra: IndexMap::new(),
        query: IndexMap::new(),
        query_credentials: Vec::new(),
        without: Vec::new(),
        identity: Template::text(MAIN),
        token: None,
        body: None,
        expect: IndexMap::new(),
        http: HttpExpectation::default(),
        keep: Vec::new(),
        until: IndexMap::new(),
        within: None,
    }
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
        cases: vec![Case::default()],
        steps: Vec::new(),
    };
    let call = plain(&operation.id);
    let verb = Verb::Call(Box::new(call.clone()));
    let step = Step { place: scenario.path.clone(), clauses: Vec::new(), once: false, verb };
    Start { instance: instance(&scenario, Case::default(), Vec::new()), step, call }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Contracts, Files};
    use crate::scenario::parse_all;

    #[test]
    fn a_start_is_the_step_that_asks_for_success_with_what_goes_before_it() {
        let contracts = Contracts::read(&Files::contracts()).unwrap();
        let scenarios: Vec<_> = parse_all(&Files::scenarios(), &contracts).unwrap().into_iter().map(Arc::new).collect();
        let of = |id: &str| starts(contracts.operations.get(id).unwrap(), &scenarios);
        let create = of("gateway.v1.create");
        assert!(create.first().unwrap().is_alone());
        let refund = of("gateway.v1.refund");
        let first = refund.first().unwrap();
        assert!(!first.instance.steps.is_empty() && first.instance.steps.iter().all(|step| step.once), "{first:?}");
        assert_eq!(refund.last().unwrap().origin(), "the contract's example");
    }
}
