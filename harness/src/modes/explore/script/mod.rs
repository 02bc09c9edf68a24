//! Writes a sequence as a scenario that `paycheck verify` runs.

mod capture;
mod flow;

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::divergence::{Detection, Divergence};
use super::expectation::{StepExpectation, single};
use super::model::Model;
use super::trace::{ExecutedBatch, ExecutedCommand, Trace};
use crate::spec::contract::{Contracts, Operation};
use crate::wire::expression::RuntimeExpression;
use capture::{Capture, captures, refer, without_ids};
use flow::flow;

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
        // Values that no later step uses are not kept.
        let steps = self.steps(&captures);
        captures.retain(|capture| capture.variable == "id" || steps.contains(&capture.reference()));
        let mut out = String::new();
        let title = format!("{}: {}", self.divergence.clause(), self.divergence.message);
        let _ = writeln!(out, "title: {}", Value::String(without_ids(&title, &captures)));
        let _ = writeln!(out, "clauses: [{}]", self.checked_clauses().join(", "));
        if self.has_setting && !self.model.setting.is_empty() {
            let _ = writeln!(out, "setting: {}", flow(&Value::Object(self.model.setting.clone())));
        }
        let _ = writeln!(out, "steps:");
        out + &self.steps(&captures)
    }

    fn steps(&self, captures: &[Capture]) -> String {
        let mut out = String::new();
        let end = self.trace.batches.len().saturating_sub(1);
        for (index, executed) in self.trace.batches.iter().enumerate() {
            let is_last = index == end && self.divergence.last_batch().is_some();
            let expectations = if is_last { self.trace.final_expectations.as_slice() } else { &[] };
            self.batch(&mut out, executed, expectations, captures);
        }
        self.notification_step(&mut out, captures);
        out
    }

    /// The broken clauses that a check can carry.
    fn checked_clauses(&self) -> Vec<&str> {
        let is_checked = |clause: &&str| self.contracts.clauses.get(*clause).is_some_and(|clause| clause.unchecked.is_none());
        self.divergence.clauses.iter().map(String::as_str).filter(is_checked).collect()
    }

    fn batch(&self, out: &mut String, executed: &ExecutedBatch<'_>, expectations: &[StepExpectation], captures: &[Capture]) {
        if executed.batch.is_concurrent() {
            let _ = writeln!(out, "  # Explored concurrently; a scenario performs these steps one after the other.");
        }
        for (index, command) in executed.commands.iter().enumerate() {
            let expectation = expectations.get(index);
            self.step(out, command, expectation, captures);
            if expectation.is_some() {
                self.clause(out);
            }
        }
    }

    fn clause(&self, out: &mut String) {
        match self.checked_clauses().as_slice() {
            [] => {}
            [one] => _ = writeln!(out, "    clause: {one}"),
            several => _ = writeln!(out, "    clause: [{}]", several.join(", ")),
        }
    }

    fn step(&self, out: &mut String, command: &ExecutedCommand<'_>, expectation: Option<&StepExpectation>, captures: &[Capture]) {
        let bound = &command.bound;
        let operation = self.contracts.operations.get(bound.name);
        let verb = if operation.is_some() { "call" } else { "world" };
        let _ = writeln!(out, "  - {verb}: {}", bound.name);
        let mut line = |name: &str, value: &Value| _ = writeln!(out, "    {name}: {}", flow(value));
        request(&mut line, command, captures);
        let refusal = || {
            let operation = operation.filter(|_| !command.accepted)?;
            Some(StepExpectation::from_observed(false, command.code.as_ref(), operation))
        };
        let expectation = expectation.cloned().or_else(refusal).unwrap_or_default();
        expected(&mut line, expectation, operation, captures, bound.key);
        let own = captures.iter().filter(|capture| capture.key == bound.key);
        let places: Map<String, Value> = own.map(|capture| (capture.name.clone(), Value::String(capture.place.clone()))).collect();
        if !places.is_empty() {
            line("keep", &Value::Object(places));
        }
    }

    /// The step that expects the missing notification, or refuses the unexpected one.
    fn notification_step(&self, out: &mut String, captures: &[Capture]) {
        let (verb, entity, state) = match &self.divergence.detected_by {
            Detection::MissingNotification(entity, state) => ("notification", Some(*entity), state),
            Detection::UnexpectedNotification(entity, state) => ("no-notification", *entity, state),
            Detection::Response(_) | Detection::Finding(_) | Detection::StateTable => return,
        };
        let Some(shows) = self.contracts.notifications.values().find_map(|notification| notification.shows.as_ref()) else { return };
        let capture = entity.and_then(|entity| captures.iter().find(|capture| capture.entity == entity && capture.variable == "id"));
        let id = capture.map(|capture| (&shows.about.id, Value::String(capture.reference())));
        let fields = id.into_iter().chain([(&shows.state, Value::String(state.clone()))]);
        let fields: Map<String, Value> = fields.filter_map(|(place, value)| Some((field_name(place)?, value))).collect();
        let _ = writeln!(out, "  - {verb}: {}", flow(&Value::Object(fields)));
        self.clause(out);
    }
}

/// The lines that say what a step sends.
fn request(line: &mut impl FnMut(&str, &Value), command: &ExecutedCommand<'_>, captures: &[Capture]) {
    let bound = &command.bound;
    if let Some(example) = &bound.action.example {
        line("example", &Value::String(example.clone()));
    }
    if bound.identity != crate::spec::target::MAIN {
        line("as", &Value::String(bound.identity.to_owned()));
    }
    if !bound.inputs.is_empty() {
        line("with", &refer(&Value::Object(bound.inputs.clone()), captures, bound.key));
    }
    if !bound.without.is_empty() {
        line("without", &bound.without.iter().cloned().map(Value::String).collect());
    }
    if let Some(token) = &bound.token {
        line("token", &refer(token, captures, bound.key));
    }
}

/// The lines that say what a step expects.
fn expected(
    line: &mut impl FnMut(&str, &Value),
    expectation: StepExpectation,
    operation: Option<&Operation>,
    captures: &[Capture],
    key: usize,
) {
    if !expectation.expect.is_empty() {
        line("expect", &refer(&Value::Object(expectation.expect), captures, key));
    }
    // A step without expectations expects success anyway.
    let is_default = expectation.status == Some(json!({"$success": true}));
    let by_status = operation.is_some_and(|operation| operation.success.value().is_none());
    if let Some(status) = expectation.status.filter(|_| !is_default && by_status) {
        line("http", &single("status", status).into());
    }
}

fn field_name(place: &RuntimeExpression) -> Option<String> {
    place.pointer().map(|pointer| pointer.trim_start_matches('/').to_owned())
}
