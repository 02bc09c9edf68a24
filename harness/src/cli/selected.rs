//! What a command plays: the scenarios that it reads, and the selected cases of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::inputs::{note_unmatched, of_apis, scenarios, shipped_scenarios};
use crate::engine::runner::{Case, Selection, plan};
use crate::modes::verify::misspelt_name;
use crate::spec::contract::Contracts;
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
        if !origin.paths.is_empty() || origin.contracts.is_some() {
            return Ok(None);
        }
        let is_of_api = |api: &str| origin.apis.is_empty() || origin.apis.iter().any(|wanted| wanted == api);
        let scenarios =
            shipped_scenarios(contracts, |file| is_of_api(file.api) && selection.may_select_from(file.api, file.name, file.text))?;
        let plan = plan(&scenarios, contracts, selection);
        let has_each_api = origin.apis.iter().all(|api| scenarios.iter().any(|scenario| scenario.api == *api));
        Ok((has_each_api && !plan.is_empty()).then_some(Self { scenarios, plan }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name_filter::NameFilter;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn selection(names: &[&str], clauses: &[&str]) -> Selection {
        Selection { names: NameFilter { only: texts(names), except: Vec::new() }, clauses: texts(clauses), repeat: 1 }
    }

    fn read(apis: &[&str], selection: &Selection) -> Result<Selected, Failure> {
        let (contracts, apis) = (Contracts::shipped(), texts(apis));
        let origin = Origin { paths: &[], apis: &apis, contracts: None };
        Selected::read(origin, &contracts, selection)?.checked(&contracts, selection)
    }

    fn names(selected: &Selected) -> Vec<String> {
        selected.plan.iter().map(|case| case.name.to_string()).collect()
    }

    #[test]
    fn of_few_scenarios_the_same_cases_are_selected_as_of_all() {
        let contracts = Contracts::shipped();
        let selections = [
            (vec![], selection(&["refund", "curr EUR"], &[])),
            (vec![], selection(&[], &["qr.change-method.unlimited"])),
            (vec!["qr", "status"], selection(&[], &[])),
            (vec!["terminal"], selection(&["closing"], &[])),
        ];
        for (apis, selection) in selections {
            let of_apis = texts(&apis);
            let all = Selected::read_all(Origin { paths: &[], apis: &of_apis, contracts: None }, &contracts, &selection);
            let (few, all) = (read(&apis, &selection).ok().unwrap(), all.ok().unwrap());
            assert_eq!(names(&few), names(&all), "{selection:?}");
            assert!(few.scenarios.len() <= all.scenarios.len() && !few.plan.is_empty());
        }
        assert!(read(&[], &selection(&["a-pending-payment"], &[])).ok().unwrap().scenarios.len() < 100);
    }

    #[test]
    fn what_is_misspelt_is_refused_with_what_is_near() {
        let refused = |apis: &[&str], names: &[&str]| read(apis, &selection(names, &[])).err().unwrap().to_string();
        assert_eq!(refused(&["gatway"], &["refund"]), "there is no scenario of an API `gatway`; did you mean `gateway`?");
        assert_eq!(refused(&["qr", "gatway"], &["payment"]), "there is no scenario of an API `gatway`; did you mean `gateway`?");
        assert_eq!(refused(&[], &["refnd"]), "no case's name contains `refnd`; did you mean `refund`?");
    }
}
