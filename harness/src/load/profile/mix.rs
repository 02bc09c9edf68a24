//! The key `mix` of a profile: the scenarios that are played.

use std::sync::Arc;

use serde_json::json;

use super::MixEntry;
use crate::base::source::{Diagnostic, Node, Problems, nearest};
use crate::load::keys::{Keys, reference};
use crate::spec::scenario::{Scenario, StepVerb};

/// The highest sum of weights, and so the longest block of iterations in which each entry is played as often as its weight.
const MOST_WEIGHT: u64 = 1000;

/// An entry as written in the file.
struct Written {
    scenario: Option<String>,
    case: Option<String>,
    weight: Option<u64>,
}

/// Reads the entries. Scenarios and cases are checked here, but for scripts on disk (see [`super::scripts`]).
pub(super) fn read(keys: &mut Keys<'_, '_>, scenarios: &[Arc<Scenario>]) -> Option<Vec<MixEntry>> {
    keys.define("Part", "A scenario of the mix.", declare);
    let items = json!({ "type": "array", "items": reference("Part"), "description": "What is played, by weight.", "minItems": 1 });
    let node = keys.node("mix", items)?;
    let Some(items) = node.list() else {
        let problem = Diagnostic::at(node, format!("`mix` is a list, but this is {}", node.describe()));
        keys.problems().add(problem.help("- scenario: api/file-name"));
        return None;
    };
    if items.is_empty() {
        keys.problems().add(Diagnostic::at(node, "`mix` has at least one scenario"));
    }
    let entries: Vec<Option<MixEntry>> = items.iter().map(|item| entry(keys, item, scenarios)).collect();
    let entries: Vec<MixEntry> = entries.into_iter().collect::<Option<_>>()?;
    let sum: u64 = entries.iter().map(|entry| u64::from(entry.weight)).sum();
    if sum > MOST_WEIGHT {
        let problem = Diagnostic::at(node, format!("the weights add up to {sum}; at most {MOST_WEIGHT} are allowed"));
        keys.problems().add(problem.help("weights are relative: divide them all by the same number"));
    }
    Some(entries)
}

fn declare(keys: &mut Keys<'_, '_>) -> Option<Written> {
    let about = "`gateway/a-paid-payment-is-notified`, or the path of a file, relative to the profile.";
    let scenario = keys.text("scenario", about);
    let case = keys.optional_text("case", "The row of its table; default the first one.");
    let weight = keys.whole_number_or("weight", 1, 1..=MOST_WEIGHT, "How often, relative to the others; default 1.");
    Some(Written { scenario, case, weight })
}

fn entry(keys: &mut Keys<'_, '_>, node: &Node, scenarios: &[Arc<Scenario>]) -> Option<MixEntry> {
    let Written { scenario, case, weight } = keys.mapping(node, "a part of the mix", declare)?;
    let (scenario, problems) = (scenario?, keys.problems());
    if let Some(place) = node.get("scenario").filter(|_| !is_file(&scenario))
        && let Some(found) = known(place, &scenario, scenarios, problems)
    {
        let wrong = unfit(found).map(|message| Diagnostic::at(place, message));
        let unknown = case.as_deref().zip(node.get("case")).and_then(|(case, node)| unknown_case(found, case).map(|wrong| wrong.at(node)));
        wrong.into_iter().chain(unknown).for_each(|problem| problems.add(problem));
    }
    let place = format!("{}:{}:{}", node.source.path, node.span.line, node.span.column);
    Some(MixEntry { scenario, case, weight: u32::try_from(weight?).ok()?, place })
}

/// Whether an entry names a scenario by its file rather than by its name.
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
        let near = nearest(name, names.iter().map(String::as_str));
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
    let why = scenario.steps.iter().find_map(|step| match &step.verb {
        StepVerb::Violations(_) => Some("a step `violations`, which becomes many cases"),
        StepVerb::Call(call) if call.twin.is_some() => Some("a call with a `twin`, whose two requests are sent at the same moment"),
        _ => None,
    })?;
    Some(format!("`{}` has {why}; it is for `paycheck verify` only", name_of(scenario)))
}

/// An unknown case of a scenario.
pub(super) struct UnknownCase {
    message: String,
    name: String,
    valid: Vec<String>,
}

impl UnknownCase {
    /// The mistake at its node.
    fn at(self, node: &Node) -> Diagnostic {
        Diagnostic::at(node, self.message).names(&self.name, self.valid.iter().map(String::as_str))
    }

    /// The mistake at a place that is known as text only.
    pub(super) fn at_place(self, place: &str) -> Diagnostic {
        Diagnostic::of_file(place.to_owned(), self.message).names(&self.name, self.valid.iter().map(String::as_str))
    }
}

/// Checks that a scenario has a case.
pub(super) fn unknown_case(scenario: &Scenario, case: &str) -> Option<UnknownCase> {
    if scenario.cases.iter().any(|row| !row.name.is_empty() && row.name == case) {
        return None;
    }
    let valid: Vec<String> = scenario.cases.iter().map(|row| row.name.clone()).filter(|name| !name.is_empty()).collect();
    let what = if valid.is_empty() { "no cases".to_owned() } else { format!("no case `{case}`") };
    Some(UnknownCase { message: format!("`{}` has {what}", name_of(scenario)), name: case.to_owned(), valid })
}
