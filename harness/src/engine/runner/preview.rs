//! Shows what a case would do, step by step, as far as that is known before any response. Nothing is sent.

use serde_json::Value;

use super::blockers::blockers;
use super::context::Context;
use super::plan::Case;
use super::prepare::TemplateScope;
use super::session::{OwnVariables, Stop, variables_of};
use crate::spec::scenario::{Call, Step, StepVerb, Variables};
use crate::wire::exchange::Vault;

/// What a case would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Why it would be skipped, if that is known.
    pub skipped: Option<String>,
    /// Its steps.
    pub steps: Vec<PreviewStep>,
}

/// A step before it is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewStep {
    /// A request: operation, method and address, body. Values of earlier responses are in braces.
    Request {
        /// The operation.
        operation: String,
        /// `POST https://pay1.example.com/v1.0/create`
        line: String,
        /// The body, secrets masked; empty if there is none.
        body: String,
    },
    /// An action outside the API, or a wait.
    Event(String),
    /// A request that is not known yet, and why.
    Unknown(String),
}

/// What a case would do against the target.
pub fn preview(context: &Context, case: &Case) -> Preview {
    let skipped = blockers(context, case).first().map(ToString::to_string);
    let variables = variables(context, case);
    let scope = TemplateScope { context, variables: &variables, reference: None, setting: &case.scenario.setting };
    Preview { skipped, steps: case.steps.iter().map(|step| of_step(scope, step)).collect() }
}

/// The known variables, and for the others their names in braces.
fn variables(context: &Context, case: &Case) -> Variables {
    let unknown = |name: &str| Value::String(format!("{{{name}}}"));
    let mut row = case.row.values.clone();
    row.extend(case.steps.iter().flat_map(|step| step.verb.kept()).map(|keep| (keep.name.clone(), unknown(&keep.name))));
    let own = OwnVariables { world: unknown("world"), reference: unknown("reference"), digits: unknown("digits"), freed: unknown("freed") };
    variables_of(context, case, row, own)
}

fn of_step(scope: TemplateScope<'_>, step: &Step) -> PreviewStep {
    let variables = scope.variables;
    match &step.verb {
        StepVerb::Call(call) => of_call(scope, step, call),
        StepVerb::World(world) => {
            let text = |template: &crate::spec::scenario::Template| template.render(variables).ok().map(|value| shown(&value));
            let action = text(&world.action).unwrap_or_default();
            let with = world.with.iter().map(|(name, value)| format!(" {name}={}", text(value).unwrap_or_else(|| "…".to_owned())));
            PreviewStep::Event(format!("world {action}{}", with.collect::<String>()))
        }
        StepVerb::Notification(_) => PreviewStep::Event("waits for a notification".to_owned()),
        StepVerb::NoNotification(_) => PreviewStep::Event("sees that no notification arrives".to_owned()),
        StepVerb::Inbox(_) => PreviewStep::Event("changes how notifications are acknowledged".to_owned()),
        StepVerb::Violations(violations) => PreviewStep::Event(format!("violations of {}", violations.operation)),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn of_call(scope: TemplateScope<'_>, step: &Step, call: &Call) -> PreviewStep {
    let TemplateScope { context, variables, .. } = scope;
    let name = call.operation.render(variables).ok();
    let operation = name.as_ref().and_then(Value::as_str).and_then(|name| context.contracts.operations.get(name));
    let Some(operation) = operation else { return PreviewStep::Unknown("a call that an earlier response decides".to_owned()) };
    match scope.prepare(operation, call, context.target.base(&operation.api), None, step.place.as_str()) {
        Ok(request) => {
            let record = request.record(operation, &request.headers(), &context.recorder, &Vault::default());
            let url = record.url.replace("%7B", "{").replace("%7D", "}");
            PreviewStep::Request {
                operation: operation.id.clone(),
                line: format!("{} {url}", record.method),
                body: record.body.text.replace("%7B", "{").replace("%7D", "}"),
            }
        }
        Err(Stop::Skipped(reason)) => PreviewStep::Unknown(format!("{}: {reason}", operation.id)),
        Err(Stop::NotJudged(_) | Stop::Failed | Stop::Excused(_)) => {
            PreviewStep::Unknown(format!("{}: what it says depends on an earlier response", operation.id))
        }
    }
}
