//! What a command plays: the scenarios that it reads, and the selected cases of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::inputs::{note_unmatched, of_apis, scenarios, shipped_scenarios};
use crate::engine::runner::{Case, Selection, plan};
use crate::modes::verify::misspelt_name;
use crate::spec::contract::{Contracts, Files};
use crate::spec::scenario::Scenario;

/// Where scenarios come from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'o> {
    /// Files and folders; without any, the scenarios in the binary.
    pub(super) paths: &'o [PathBuf],
    /// Their APIs; without any, all.
    pub(super) apis: &'o [String],
    /// The folder of contracts that they are read with, if it is not those in the binary.
    pub(super) contracts: Option<&'o Path>,
}

/// Scenarios and their selected cases.
pub(super) struct Selected {
    /// At least those that a selected case is of; all if everything is selected.
    pub(super) scenarios: Vec<Arc<Scenario>>,
    /// The cases.
    pub(super) plan: Vec<Case>,
}

impl Selected {
    /// Reads the scenarios that the selection needs.
    pub(super) fn read(origin: Origin<'_>, contracts: &Contracts, selection: &Selection) -> Result<Self, Failure> {
        match Self::read_few(origin, contracts, selection)? {
            Some(few) => Ok(few),
            None => Self::read_all(origin, contracts, selection),
        }
    }

    /// Reads every scenario.
    pub(super) fn read_all(origin: Origin<'_>, contracts: &Contracts, selection: &Selection) -> Result<Self, Failure> {
        let scenarios = of_apis(origin.apis, scenarios(origin.paths, contracts)?)?;
        let plan = plan(&scenarios, contracts, selection);
        Ok(Self { scenarios, plan })
    }

    /// Reads those scenarios in the binary of which a case may be selected. None where a mistake may be behind the selection: to say
    /// which takes all of them.
    fn read_few(origin: Origin<'_>, contracts: &Contracts, selection: &Selection) -> Result<Option<Self>, Failure> {
        // With other contracts than those that they were made for, every scenario may be a mistake.
        if !origin.paths.is_empty() || origin.contracts.is_some() || !knows_apis(origin.apis) {
            return Ok(None);
        }
        let is_of_api = |api: &str| origin.apis.is_empty() || origin.apis.iter().any(|wanted| wanted == api);
        let scenarios =
            shipped_scenarios(contracts, |file| is_of_api(file.api) && selection.may_select_from(file.api, file.name, file.text))?;
        let plan = plan(&scenarios, contracts, selection);
        Ok((!plan.is_empty()).then_some(Self { scenarios, plan }))
    }

    /// Refuses a selection that is a mistake, and says which names selected no case.
    pub(super) fn checked(self, contracts: &Contracts, selection: &Selection) -> Result<Self, Failure> {
        if self.plan.is_empty()
            && let Some(misspelt) = misspelt_name(&self.scenarios, contracts, selection)
        {
            return Err(Failure::invalid(misspelt));
        }
        note_unmatched(&self.plan, selection)?;
        Ok(self)
    }
}

/// Whether the binary has scenarios of each of these APIs.
fn knows_apis(apis: &[String]) -> bool {
    let files = Files::scenarios();
    let known: BTreeSet<&str> = files.paths().filter_map(|path| Some(path.split_once('/')?.0)).collect();
    apis.iter().all(|api| known.contains(api.as_str()))
}
