//! The plan of a run: every case of every scenario, generated violations included, in a fixed order.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use crate::base::name_filter::NameFilter;
use crate::engine::event::CaseName;
use crate::spec::contract::{Contracts, Expected, Operation, Success, Violation, api_of, violations};
use crate::spec::scenario::{Call, HttpExpectation, Matcher, Scenario, Step, StepVerb, TableRow, Template, ViolationsStep};
use crate::wire::expression::text_of;

/// One run of a scenario's steps.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, unique in the plan.
    pub name: CaseName,
    /// The script.
    pub scenario: Arc<Scenario>,
    /// The row of its table.
    pub row: TableRow,
    /// The steps, generated ones written out.
    pub steps: Arc<[Step]>,
}

/// What to run of a set of scenarios.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Cases with these names.
    pub names: NameFilter,
    /// Cases that carry one of these clauses; all when empty.
    pub clauses: Vec<String>,
    /// How often each case runs; 0 and 1 are once.
    pub repeat: usize,
}

impl Selection {
    /// Whether everything is selected.
    pub fn is_all(&self) -> bool {
        self.names.takes_all() && self.clauses.is_empty()
    }

    fn takes(&self, case: &Case) -> bool {
        let named = self.names.takes(&case.name.to_string());
        let carries = |clause: &String| case.clauses().any(|carried| carried == clause);
        named && (self.clauses.is_empty() || self.clauses.iter().any(carries))
    }
}

impl Case {
    /// Whether some step calls an operation of this API.
    pub(super) fn calls(&self, api: &str) -> bool {
        self.steps.iter().any(|step| {
            let StepVerb::Call(call) = &step.verb else { return false };
            let operation = call.operation.render(&self.row.values).ok();
            operation.as_ref().and_then(Value::as_str).is_some_and(|id| api_of(id) == api)
        })
    }

    /// The world actions of the steps, as far as their names are known in advance.
    pub(super) fn actions(&self) -> impl Iterator<Item = String> {
        self.steps.iter().filter_map(|step| {
            let StepVerb::World(world) = &step.verb else { return None };
            world.action.render(&self.row.values).ok()?.as_str().map(str::to_owned)
        })
    }

    /// Whether some step keeps a value under this name.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.steps.iter().flat_map(|step| step.verb.kept()).any(|keep| keep.name == name)
    }

    /// Whether the case is about a clause: the scenario or a step names it, or a step expects its code.
    pub(crate) fn is_about(&self, clause: &str, contracts: &Contracts) -> bool {
        self.about(contracts).any(|about| about == clause)
    }

    /// The clauses that the scenario and its steps name, and those of the codes that its steps expect.
    pub(super) fn about<'c>(&'c self, contracts: &'c Contracts) -> impl Iterator<Item = &'c str> {
        let expected = self.steps.iter().filter_map(|step| match &step.verb {
            StepVerb::Call(call) => Some(self.expected_codes(call, contracts)),
            StepVerb::World(_) | StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) | StepVerb::Violations(_) => {
                None
            }
        });
        self.clauses().map(String::as_str).chain(expected.flatten())
    }

    /// The clauses of the codes that a call, and its twin, expect.
    fn expected_codes<'c>(&self, call: &Call, contracts: &'c Contracts) -> impl Iterator<Item = &'c str> {
        let twin = call.twin.as_ref().map(|twin| &twin.expect);
        let expected = std::iter::once(&call.expect).chain(twin);
        expected.filter_map(|expect| self.expected_code(&call.operation, expect, contracts))
    }

    fn expected_code<'c>(&self, operation: &Template, expect: &IndexMap<String, Matcher>, contracts: &'c Contracts) -> Option<&'c str> {
        let operation = contracts.operations.get(operation.render(&self.row.values).ok()?.as_str()?)?;
        let Matcher::Equal(expected) = expect.get(operation.success.field()?)? else { return None };
        let code = text_of(&expected.render(&self.row.values).ok()?)?;
        Some(operation.codes.get(&code)?.clause.as_str())
    }

    /// The clauses that the scenario and its steps name.
    pub fn clauses(&self) -> impl Iterator<Item = &String> {
        self.scenario.clauses.iter().chain(self.steps.iter().flat_map(|step| &step.clauses))
    }
}

/// Every selected case, in the order of files, cases and violations.
pub fn plan(scenarios: &[Arc<Scenario>], contracts: &Contracts, selection: &Selection) -> Vec<Case> {
    let all = scenarios.iter().flat_map(|scenario| scenario.cases.iter().flat_map(|row| cases(scenario, row, contracts)));
    let selected: Vec<Case> = all.filter(|case| selection.takes(case)).collect();
    repeated(selected, selection.repeat)
}

fn repeated(cases: Vec<Case>, times: usize) -> Vec<Case> {
    if times <= 1 {
        return cases;
    }
    let named = |case: &Case, time: usize| {
        let mut case = case.clone();
        let separator = if case.name.case.is_empty() { "" } else { ", " };
        case.name.case = format!("{}{separator}time {time}", case.name.case);
        case
    };
    cases.iter().flat_map(|case| (1..=times).map(move |time| named(case, time))).collect()
}

fn cases(scenario: &Arc<Scenario>, row: &TableRow, contracts: &Contracts) -> Vec<Case> {
    let generated = scenario.steps.iter().enumerate().find_map(|(index, step)| match &step.verb {
        StepVerb::Violations(violations) => Some((index, step, violations)),
        StepVerb::Call(_) | StepVerb::World(_) | StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) => None,
    });
    let named = |case_name: String, steps: Arc<[Step]>| Case {
        name: CaseName { api: scenario.api.clone(), scenario: scenario.name.clone(), case: case_name },
        scenario: Arc::clone(scenario),
        row: row.clone(),
        steps,
    };
    let Some((index, step, wanted)) = generated else { return vec![named(row.name.clone(), Arc::clone(&scenario.steps))] };
    let Some(operation) = contracts.operations.get(&wanted.operation) else { return Vec::new() };
    let chosen = violations(operation).into_iter().filter(|v| wanted.takes(&v.field));
    chosen
        .map(|violation| {
            let name =
                [row.name.as_str(), violation.name.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            let mut steps = scenario.steps.to_vec();
            if let Some(place) = steps.get_mut(index) {
                *place = call(step, wanted, violation, contracts);
            }
            named(name, steps.into())
        })
        .collect()
}

impl ViolationsStep {
    fn takes(&self, field: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|f| f == field)) && !self.except.iter().any(|f| f == field)
    }
}

/// The call that a violation becomes.
fn call(step: &Step, wanted: &ViolationsStep, violation: Violation, contracts: &Contracts) -> Step {
    let mut with = wanted.with.clone();
    with.extend(violation.set.into_iter().map(|(field, value)| (field, Template::Plain(value))));
    let mut without = wanted.without.clone();
    without.extend(violation.remove);
    let (expect, http) = expected(&violation.expected, contracts.operations.get(&wanted.operation));
    let clauses = if step.clauses.is_empty() { violation.clause.into_iter().collect() } else { step.clauses.clone() };
    Step {
        once: step.once,
        round: step.round,
        layout: step.layout.clone(),
        assumed: step.assumed.clone().or(violation.assumed),
        place: step.place.clone(),
        clauses,
        verb: StepVerb::Call(Box::new(Call {
            example: violation.example.or_else(|| wanted.example.clone()),
            with,
            without,
            expect,
            http,
            ..Call::new(&wanted.operation)
        })),
    }
}

fn equal(value: Value) -> Matcher {
    Matcher::Equal(Template::Plain(value))
}

/// The expected response to a generated request, in the API's terms: by a field of the body or by the HTTP status.
fn expected(expected: &Expected, operation: Option<&Operation>) -> (IndexMap<String, Matcher>, HttpExpectation) {
    let (mut body, mut http) = (IndexMap::new(), HttpExpectation::default());
    let Some(operation) = operation else { return (body, http) };
    let codes = |codes: &[String]| Matcher::OneOf(codes.iter().map(|code| equal(operation.success.code_value(code))).collect());
    match (&operation.success, expected) {
        (Success::Code { field, value }, Expected::Accepted) => {
            body.insert(field.clone(), equal(Value::from(*value)));
        }
        (Success::Code { field, value }, Expected::Refused(refused)) if refused.is_empty() => {
            let documented: Vec<String> = operation.codes.keys().filter(|code| **code != value.to_string()).cloned().collect();
            // If the documents list no codes, any but success is a refusal.
            let any_other = || Matcher::Not(Box::new(equal(Value::from(*value))));
            body.insert(field.clone(), if documented.is_empty() { any_other() } else { codes(&documented) });
        }
        (Success::Code { field, .. } | Success::RefusalCode { field }, Expected::Refused(refused)) if !refused.is_empty() => {
            body.insert(field.clone(), codes(refused));
        }
        (Success::Status, Expected::Refused(refused)) if !refused.is_empty() => http.status = Some(codes(refused)),
        (_, Expected::Refused(_)) => http.status = Some(Matcher::Refusal),
        (_, Expected::Accepted) => http.status = Some(Matcher::Success),
    }
    (body, http)
}
