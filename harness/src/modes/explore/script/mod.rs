//! Writes a sequence as a scenario that `paycheck verify` runs.

mod capture;

use serde_json::{Map, Value, json};

use super::divergence::{Detection, Divergence};
use super::expectation::{StepExpectation, single};
use super::model::Model;
use super::trace::{ExecutedBatch, ExecutedCommand, Trace};
use crate::spec::contract::{Contracts, Operation};
use crate::spec::scenario::{WrittenScenario, WrittenStep};
use crate::wire::expression::RuntimeExpression;
use capture::{Capture, captures, refer, without_ids};

/// Writes one sequence and its divergence.
pub(super) struct ScenarioWriter<'s> {
    pub(super) contracts: &'s Contracts,
    pub(super) model: &'s Model,
    pub(super) divergence: &'s Divergence,
    pub(super) trace: &'s Trace<'s>,
    /// Whether the sequence ran in a world with the settings of the model.
    pub(super) has_setting: bool,
}

impl ScenarioWriter<'_> {
    /// The text of the scenario.
    pub(super) fn write(&self) -> String {
        let mut captures = captures(&self.trace.batches);
        let mut steps = self.steps(&captures);
        // Values that no later step uses are not kept.
        let text: String = steps.iter().map(ToString::to_string).collect();
        captures.retain(|capture| capture.variable == "id" || text.contains(&capture.reference()));
        steps.iter_mut().for_each(|step| step.retain_kept(|name| captures.iter().any(|capture| capture.name == name)));
        let title = format!("{}: {}", self.divergence.clause(), self.divergence.message);
        let scenario = WrittenScenario {
            title: without_ids(&title, &captures),
            clauses: self.checked_clauses(),
            setting: if self.has_setting { self.model.setting.clone() } else { Map::new() },
            steps,
        };
        scenario.to_string()
    }

    fn steps(&self, captures: &[Capture]) -> Vec<WrittenStep> {
        let mut steps = Vec::new();
        let end = self.trace.batches.len().saturating_sub(1);
        for (index, executed) in self.trace.batches.iter().enumerate() {
            let is_last = index == end && self.divergence.last_batch().is_some();
            let expectations = if is_last { self.trace.final_expectations.as_slice() } else { &[] };
            steps.extend(self.batch(executed, expectations, captures));
        }
        steps.extend(self.notification_step(captures));
        steps
    }

    /// The broken clauses that a check can carry.
    fn checked_clauses(&self) -> Vec<String> {
        let is_checked = |clause: &&String| self.contracts.clauses.get(*clause).is_some_and(|clause| clause.unchecked.is_none());
        self.divergence.clauses.iter().filter(is_checked).cloned().collect()
    }

    fn batch(&self, executed: &ExecutedBatch<'_>, expectations: &[StepExpectation], captures: &[Capture]) -> Vec<WrittenStep> {
        let mut steps = Vec::new();
        for (index, command) in executed.commands.iter().enumerate() {
            let expectation = expectations.get(index);
            let mut step = self.step(command, expectation, captures);
            if expectation.is_some() {
                self.add_clause(&mut step);
            }
            steps.push(step);
        }
        if let Some(first) = steps.first_mut().filter(|_| executed.batch.is_concurrent()) {
            first.comment = Some("Explored concurrently; a scenario performs these steps one after the other.");
        }
        steps
    }

    fn add_clause(&self, step: &mut WrittenStep) {
        let mut clauses = self.checked_clauses();
        match clauses.len() {
            0 => {}
            1 => step.push("clause", clauses.remove(0)),
            _ => step.push("clause", clauses),
        }
    }

    fn step(&self, command: &ExecutedCommand<'_>, expectation: Option<&StepExpectation>, captures: &[Capture]) -> WrittenStep {
        let bound = &command.bound;
        let operation = self.contracts.operations.get(bound.name);
        let mut step = WrittenStep::new(if operation.is_some() { "call" } else { "world" }, bound.name);
        request(&mut step, command, captures);
        let refusal = || {
            let operation = operation.filter(|_| !command.accepted)?;
            Some(StepExpectation::from_observed(false, command.code.as_ref(), operation))
        };
        let expectation = expectation.cloned().or_else(refusal).unwrap_or_default();
        expected(&mut step, expectation, operation, captures, bound.key);
        let own = captures.iter().filter(|capture| capture.key == bound.key);
        let places: Map<String, Value> = own.map(|capture| (capture.name.clone(), Value::String(capture.place.clone()))).collect();
        if !places.is_empty() {
            step.push("keep", places);
        }
        step
    }

    /// The step that expects the missing notification, or refuses the unexpected one.
    fn notification_step(&self, captures: &[Capture]) -> Option<WrittenStep> {
        let (verb, entity, state) = match &self.divergence.detected_by {
            Detection::MissingNotification(entity, state) => ("notification", Some(*entity), state),
            Detection::UnexpectedNotification(entity, state) => ("no-notification", *entity, state),
            Detection::Response(_) | Detection::Finding(_) | Detection::StateTable => return None,
        };
        let shows = self.contracts.notifications.values().find_map(|notification| notification.shows.as_ref())?;
        let capture = entity.and_then(|entity| captures.iter().find(|capture| capture.entity == entity && capture.variable == "id"));
        let id = capture.map(|capture| (&shows.about.id, Value::String(capture.reference())));
        let fields = id.into_iter().chain([(&shows.state, Value::String(state.clone()))]);
        let fields: Map<String, Value> = fields.filter_map(|(place, value)| Some((field_name(place)?, value))).collect();
        let mut step = WrittenStep::new(verb, fields);
        self.add_clause(&mut step);
        Some(step)
    }
}

/// Adds what a step sends.
fn request(step: &mut WrittenStep, command: &ExecutedCommand<'_>, captures: &[Capture]) {
    let bound = &command.bound;
    if let Some(example) = &bound.action.example {
        step.push("example", example.as_str());
    }
    if bound.identity != crate::spec::target::MAIN {
        step.push("as", bound.identity);
    }
    if !bound.inputs.is_empty() {
        step.push("with", refer(&Value::Object(bound.inputs.clone()), captures, bound.key));
    }
    if !bound.without.is_empty() {
        step.push("without", bound.without.clone());
    }
    if let Some(token) = &bound.token {
        step.push("token", refer(token, captures, bound.key));
    }
}

/// Adds what a step expects.
fn expected(step: &mut WrittenStep, expectation: StepExpectation, operation: Option<&Operation>, captures: &[Capture], key: usize) {
    if !expectation.expect.is_empty() {
        step.push("expect", refer(&Value::Object(expectation.expect), captures, key));
    }
    // A step without expectations expects success anyway.
    let is_default = expectation.status == Some(json!({"$success": true}));
    let by_status = operation.is_some_and(|operation| operation.success.value().is_none());
    if let Some(status) = expectation.status.filter(|_| !is_default && by_status) {
        step.push("http", single("status", status));
    }
}

fn field_name(place: &RuntimeExpression) -> Option<String> {
    place.pointer().map(|pointer| pointer.trim_start_matches('/').to_owned())
}
