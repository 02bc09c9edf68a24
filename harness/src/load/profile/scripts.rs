//! The scenarios of a mix: those in the binary by name, others from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::mix::{is_file, name_of, unfit, unknown_case};
use super::{MixEntry, Profile};
use crate::base::source::{Diagnostic, Problems, Source};
use crate::engine::event::CaseName;
use crate::engine::runner::Case;
use crate::spec::contract::Contracts;
use crate::spec::scenario::{Scenario, TableRow};

/// The scenario and the case that an entry of a mix plays.
#[derive(Clone, Debug)]
pub struct Script {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The row of its table.
    pub row: TableRow,
}

impl Script {
    /// The case that it plays.
    pub(crate) fn into_case(self) -> Case {
        let Self { scenario, row } = self;
        let name = CaseName { api: scenario.api.clone(), scenario: scenario.name.clone(), case: row.name.clone() };
        Case { name, steps: Arc::clone(&scenario.steps), scenario, row }
    }
}

/// The script of each entry of the mix, in order. The path of a scenario file is relative to the folder of the profile; all mistakes of
/// all files are reported together.
pub fn scripts(profile: &Profile, contracts: &Contracts, scenarios: &[Arc<Scenario>]) -> Result<Vec<Script>, Problems> {
    let folder = Path::new(&profile.path).parent().unwrap_or(Path::new(""));
    let mut problems = Problems::new();
    let found: Vec<Script> = profile.mix.iter().filter_map(|entry| script(entry, folder, contracts, scenarios, &mut problems)).collect();
    problems.or(found)
}

/// The scenarios that a profile reads from disk.
pub fn files(profile: &Profile) -> Vec<PathBuf> {
    let folder = Path::new(&profile.path).parent().unwrap_or(Path::new(""));
    profile.mix.iter().filter(|entry| is_file(&entry.scenario)).map(|entry| folder.join(&entry.scenario)).collect()
}

fn script(entry: &MixEntry, folder: &Path, contracts: &Contracts, scenarios: &[Arc<Scenario>], problems: &mut Problems) -> Option<Script> {
    let scenario = if is_file(&entry.scenario) {
        on_disk(&folder.join(&entry.scenario), contracts, problems)?
    } else {
        let found = scenarios.iter().find(|scenario| name_of(scenario) == entry.scenario);
        if found.is_none() {
            problems.add(Diagnostic::of_file(entry.place.clone(), format!("there is no scenario `{}`", entry.scenario)));
        }
        Arc::clone(found?)
    };
    let wrong = unfit(&scenario).map(|message| Diagnostic::of_file(entry.place.clone(), message));
    let unknown = entry.case.as_deref().and_then(|case| unknown_case(&scenario, case)).map(|unknown| unknown.at_place(&entry.place));
    wrong.into_iter().chain(unknown).for_each(|problem| problems.add(problem));
    let mut cases = scenario.cases.iter();
    let case = match &entry.case {
        Some(name) => cases.find(|case| case.name == *name),
        None => cases.next(),
    };
    Some(Script { row: case?.clone(), scenario })
}

fn on_disk(path: &Path, contracts: &Contracts, problems: &mut Problems) -> Option<Arc<Scenario>> {
    let source = Source::read(path, problems)?;
    let parsed = crate::spec::scenario::parse(&path.display().to_string(), &source, contracts);
    parsed.map(Arc::new).map_err(|wrong| wrong.iter().cloned().for_each(|problem| problems.add(problem))).ok()
}
