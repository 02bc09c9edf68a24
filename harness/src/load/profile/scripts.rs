//! The scenarios of a mix: those in the binary by their names, those on disk read where the profile says.

use std::path::Path;
use std::sync::Arc;

use super::mix::{is_file, name_of, unfit, unknown_case};
use super::{Part, Profile};
use crate::contract::Contracts;
use crate::scenario::{Case, Scenario};
use crate::source::{Diagnostic, Problems, Source};

/// What one part of a mix plays.
#[derive(Clone, Debug)]
pub struct Script {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The row of its table.
    pub case: Case,
}

/// The script of each part of the mix, in their order. A scenario given as a file is read from disk,
/// relative to the folder of the profile; all mistakes of all these files are told together.
pub fn scripts(profile: &Profile, contracts: &Contracts, scenarios: &[Arc<Scenario>]) -> Result<Vec<Script>, Problems> {
    let folder = Path::new(&profile.path).parent().unwrap_or(Path::new(""));
    let mut problems = Problems::new();
    let found: Vec<Script> = profile.mix.iter().filter_map(|part| script(part, folder, contracts, scenarios, &mut problems)).collect();
    problems.or(found)
}

fn script(part: &Part, folder: &Path, contracts: &Contracts, scenarios: &[Arc<Scenario>], problems: &mut Problems) -> Option<Script> {
    let scenario = if is_file(&part.scenario) {
        on_disk(&folder.join(&part.scenario), contracts, problems)?
    } else {
        let found = scenarios.iter().find(|scenario| name_of(scenario) == part.scenario);
        if found.is_none() {
            problems.add(Diagnostic::of_file(part.place.clone(), format!("there is no scenario `{}`", part.scenario)));
        }
        Arc::clone(found?)
    };
    let wrong = unfit(&scenario).map(|message| Diagnostic::of_file(part.place.clone(), message));
    let unknown = part.case.as_deref().and_then(|case| unknown_case(&scenario, case)).map(|unknown| unknown.at_place(&part.place));
    wrong.into_iter().chain(unknown).for_each(|problem| problems.add(problem));
    let mut cases = scenario.cases.iter();
    let case = match &part.case {
        Some(name) => cases.find(|case| case.name == *name),
        None => cases.next(),
    };
    Some(Script { case: case?.clone(), scenario })
}

fn on_disk(path: &Path, contracts: &Contracts, problems: &mut Problems) -> Option<Arc<Scenario>> {
    let source = Source::read(path, problems)?;
    let parsed = crate::scenario::parse(&path.display().to_string(), &source, contracts);
    parsed.map(Arc::new).map_err(|wrong| wrong.iter().cloned().for_each(|problem| problems.add(problem))).ok()
}
