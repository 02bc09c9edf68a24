//! What is played: `mix`.

use std::sync::Arc;

use super::{Part, bounds};
use crate::scenario::{Scenario, Verb};
use crate::source::{Diagnostic, Fields, Node, Problems};

/// What the weights add up to at most: every so many iterations the mix is exactly as weighed.
const MOST_WEIGHT: u64 = 1000;

/// Reads the parts; scenarios and cases are known, but for scripts on disk (see [`super::scripts`]).
pub(super) fn read(fields: &mut Fields<'_>, scenarios: &[Arc<Scenario>], problems: &mut Problems) -> Option<Vec<Part>> {
    let node = fields.require("mix", problems)?;
    let Some(items) = node.list() else {
        problems.add(Diagnostic::at(node, format!("`mix` is a list, but this is {}", node.describe())).help("- scenario: api/file-name"));
        return None;
    };
    if items.is_empty() {
        problems.add(Diagnostic::at(node, "`mix` has at least one scenario"));
    }
    let parts: Vec<Option<Part>> = items.iter().map(|item| part(item, scenarios, problems)).collect();
    let parts: Vec<Part> = parts.into_iter().collect::<Option<_>>()?;
    let sum: u64 = parts.iter().map(|part| u64::from(part.weight)).sum();
    if sum > MOST_WEIGHT {
        let problem = Diagnostic::at(node, format!("the weights add up to {sum}; at most {MOST_WEIGHT} are allowed"));
        problems.add(problem.help("weights are relative: divide them all by the same number"));
    }
    Some(parts)
}

fn part(node: &Node, scenarios: &[Arc<Scenario>], problems: &mut Problems) -> Option<Part> {
    let mut fields = Fields::of(node, "a part of the mix", problems)?;
    let scenario_node = fields.peek("scenario");
    let scenario = fields.require_text("scenario", problems);
    let case_node = fields.peek("case");
    let case = fields.text("case", problems);
    let weight = fields.take("weight").map_or(Some(1), |node| bounds::whole(node, "weight", 1..=MOST_WEIGHT, problems));
    fields.finish(problems);
    let scenario = scenario?;
    if let Some(node) = scenario_node.filter(|_| !is_file(&scenario))
        && let Some(found) = known(node, &scenario, scenarios, problems)
    {
        let wrong = unfit(found).map(|message| Diagnostic::at(node, message));
        let unknown = case.as_deref().zip(case_node).and_then(|(case, node)| unknown_case(found, case).map(|wrong| wrong.at(node)));
        wrong.into_iter().chain(unknown).for_each(|problem| problems.add(problem));
    }
    let place = format!("{}:{}:{}", node.source.path, node.span.line, node.span.column);
    Some(Part { scenario, case, weight: u32::try_from(weight?).ok()?, place })
}

/// Whether a scenario is named by its file rather than by its name.
pub(super) fn is_file(scenario: &str) -> bool {
    scenario.ends_with(".yaml")
}

/// The name by which a mix knows a scenario.
pub(super) fn name_of(scenario: &Scenario) -> String {
    format!("{}/{}", scenario.api, scenario.name)
}

fn known<'s>(node: &Node, name: &str, scenarios: &'s [Arc<Scenario>], problems: &mut Problems) -> Option<&'s Scenario> {
    let found = scenarios.iter().find(|scenario| name_of(scenario) == name);
    if found.is_none() {
        let names: Vec<String> = scenarios.iter().map(|scenario| name_of(scenario)).collect();
        let problem = Diagnostic::at(node, format!("there is no scenario `{name}`"));
        let near = crate::source::nearest(name, names.iter().map(String::as_str));
        let help = near.map_or_else(
            || "`api/file-name` of a scenario in the binary, or the path of a file that ends with .yaml".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        problems.add(problem.help(help));
    }
    found.map(Arc::as_ref)
}

/// Why a scenario can't be played under load.
pub(super) fn unfit(scenario: &Scenario) -> Option<String> {
    let violations = scenario.steps.iter().any(|step| matches!(step.verb, Verb::Violations(_)));
    violations
        .then(|| format!("`{}` has a step `violations`, which becomes many cases; it is for `paycheck verify` only", name_of(scenario)))
}

/// A case that a scenario does not have.
pub(super) struct UnknownCase {
    message: String,
    name: String,
    valid: Vec<String>,
}

impl UnknownCase {
    /// As a mistake at its node.
    fn at(self, node: &Node) -> Diagnostic {
        Diagnostic::at(node, self.message).names(&self.name, self.valid.iter().map(String::as_str))
    }

    /// As a mistake at a place that is known by its words only.
    pub(super) fn at_place(self, place: &str) -> Diagnostic {
        Diagnostic::of_file(place.to_owned(), self.message).names(&self.name, self.valid.iter().map(String::as_str))
    }
}

/// The mistake of naming a case that a scenario does not have.
pub(super) fn unknown_case(scenario: &Scenario, case: &str) -> Option<UnknownCase> {
    if scenario.cases.iter().any(|row| !row.name.is_empty() && row.name == case) {
        return None;
    }
    let valid: Vec<String> = scenario.cases.iter().map(|row| row.name.clone()).filter(|name| !name.is_empty()).collect();
    let what = if valid.is_empty() { "no cases".to_owned() } else { format!("no case `{case}`") };
    Some(UnknownCase { message: format!("`{}` has {what}", name_of(scenario)), name: case.to_owned(), valid })
}
