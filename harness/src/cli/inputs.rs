//! Contracts, scenarios and target, from the binary or from disk.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use crate::base::name_filter::NameFilter;
use crate::base::source::{Problems, nearest};
use crate::base::text::counted;
use crate::engine::event::CaseName;
use crate::engine::runner::{Case, Selection};
use crate::engine::tape::{self, Tape};
use crate::spec::contract::{Contracts, Files, Layouts};
use crate::spec::scenario::{Scenario, parse_all};
use crate::spec::target::Target;

/// The contracts, from a folder or from the binary.
pub(super) fn contracts(folder: Option<&Path>) -> Result<Arc<Contracts>, Failure> {
    let files = match folder {
        None => Files::contracts(),
        Some(folder) => contracts_in(folder)?,
    };
    Ok(Arc::new(Contracts::read(&files)?))
}

/// The contracts, with the layouts of files that a target file states in place of assumed ones.
pub(super) fn contracts_of(folder: Option<&Path>, target: Option<&Path>) -> Result<Arc<Contracts>, Failure> {
    let contracts = contracts(folder)?;
    let Some(path) = target else { return Ok(contracts) };
    let layouts = read_target(path, &contracts)?.layouts;
    if layouts.is_empty() {
        return Ok(contracts);
    }
    contracts_with_layouts(folder, &layouts)
}

/// The target of a file. `emulator`, which `compare` knows, is the target without a file.
pub(super) fn read_target(path: &Path, contracts: &Contracts) -> Result<Target, Failure> {
    if path.as_os_str() == "emulator" && !path.exists() {
        return Err(Failure::invalid("there is no target file `emulator`: without `--target` the emulator in this binary is the target"));
    }
    Ok(crate::spec::target::read(path, contracts)?)
}

/// The contracts with these layouts.
pub(super) fn contracts_with_layouts(folder: Option<&Path>, layouts: &Layouts) -> Result<Arc<Contracts>, Failure> {
    let files = folder.map_or_else(|| Ok(Files::contracts()), contracts_in)?;
    Ok(Arc::new(Contracts::read(&files.with_layouts(layouts))?))
}

/// The scenarios of these files and folders, or those in the binary. Files given twice count once.
pub(super) fn scenarios(paths: &[PathBuf], contracts: &Contracts) -> Result<Vec<Arc<Scenario>>, Failure> {
    if paths.is_empty() {
        return Ok(parse_all(&Files::scenarios(), contracts)?.into_iter().map(Arc::new).collect());
    }
    let mut files = Files::default();
    for path in paths {
        let found = on_disk(path)?;
        if found.paths().next().is_none() {
            return Err(Failure::invalid(format!("there is no scenario in {}: scenarios are files that end in .yaml", path.display())));
        }
        files.extend(found);
    }
    Ok(parse_all(&files, contracts)?.into_iter().map(Arc::new).collect())
}

/// A scenario in the binary that is not parsed yet.
#[derive(Clone, Copy)]
pub(super) struct ShippedFile<'f> {
    /// Its API.
    pub(super) api: &'f str,
    /// Its name.
    pub(super) name: &'f str,
    /// Its text.
    pub(super) text: &'f str,
}

/// Those scenarios in the binary that `may_matter`. To parse the others would take longer than most of what is done with a few.
pub(super) fn shipped_scenarios(
    contracts: &Contracts,
    may_matter: impl Fn(ShippedFile<'_>) -> bool,
) -> Result<Vec<Arc<Scenario>>, Failure> {
    let mut files = Files::scenarios();
    files.retain(|path, source| {
        let (api, file) = path.split_once('/').unwrap_or_default();
        may_matter(ShippedFile { api, name: file.trim_end_matches(".yaml"), text: &source.text })
    });
    Ok(parse_all(&files, contracts)?.into_iter().map(Arc::new).collect())
}

/// The scenarios of some APIs; all of them if none is named.
pub(super) fn of_apis(apis: &[String], mut scenarios: Vec<Arc<Scenario>>) -> Result<Vec<Arc<Scenario>>, Failure> {
    let known: BTreeSet<&str> = scenarios.iter().map(|scenario| scenario.api.as_str()).collect();
    if let Some(unknown) = apis.iter().find(|api| !known.contains(api.as_str())) {
        let near = nearest(unknown, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failure::invalid(format!("there is no scenario of an API `{unknown}`{near}")));
    }
    scenarios.retain(|scenario| apis.is_empty() || apis.contains(&scenario.api));
    Ok(scenarios)
}

/// Says which names selected no case.
pub(super) fn note_unmatched(plan: &[Case], selection: &Selection) -> Result<(), Failure> {
    if plan.is_empty() && !selection.names.takes_all() {
        let what = described(&selection.names);
        writeln!(io::stderr(), "note: none of the cases here has a name that {what}; `paycheck verify --list` lists all cases")?;
    }
    Ok(())
}

/// What a name has to be like to be selected: "contains `a` or `b`, and not `c`".
fn described(names: &NameFilter) -> String {
    let any_of = |parts: &[String]| parts.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" or ");
    match (names.only.is_empty(), names.except.is_empty()) {
        (_, true) => format!("contains {}", any_of(&names.only)),
        (true, false) => format!("does not contain {}", any_of(&names.except)),
        (false, false) => format!("contains {}, and not {}", any_of(&names.only), any_of(&names.except)),
    }
}

/// Reads a tape. A truncated one is used up to its end, with a note to the user.
pub(super) fn tape(path: &Path) -> Result<Tape, Failure> {
    let tape = tape::read(path).map_err(Failure::invalid)?;
    if let Some(line) = tape.cut {
        let cases = counted(tape.cases.len(), "case");
        writeln!(io::stderr(), "{} breaks off in line {line}, because its run did; {cases} before that can be used", path.display())?;
    }
    Ok(tape)
}

/// Leaves those cases of a tape that are asked for: whose name is selected and, if scenarios were named, that are in the
/// plan of them.
pub(super) fn narrow(tape: &mut Tape, names: &NameFilter, plan: Option<&Vec<Case>>) {
    let planned: Option<HashSet<&CaseName>> = plan.map(|plan| plan.iter().map(|case| &case.name).collect());
    let is_planned = |name: &CaseName| planned.as_ref().is_none_or(|planned| planned.contains(name));
    tape.cases.retain(|case| names.takes(&case.name.to_string()) && is_planned(&case.name));
}

/// The files of a folder of contracts. Without a contract among them each clause that a scenario names would be a mistake.
fn contracts_in(folder: &Path) -> Result<Files, Failure> {
    let files = on_disk(folder)?;
    if !files.paths().any(|path| path.ends_with(".openapi.yaml")) {
        return Err(Failure::invalid(format!(
            "there is no contract in {}: contracts are files that end in .openapi.yaml",
            folder.display()
        )));
    }
    Ok(files)
}

fn on_disk(path: &Path) -> Result<Files, Failure> {
    if !path.exists() {
        let shown = path.to_string_lossy();
        let held = if Files::is_shipped_scenario(&shown) {
            format!("; `paycheck show {shown}` prints the one in this binary")
        } else {
            String::new()
        };
        return Err(Failure::invalid(format!("there is no file or folder {shown}{held}")));
    }
    let mut problems = Problems::new();
    let files = Files::read(path, &mut problems);
    Ok(problems.or(files)?)
}
