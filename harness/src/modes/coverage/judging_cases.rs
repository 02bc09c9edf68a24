//! How the cases of a run judged a clause.

use std::fmt;

use serde::Serialize;

use crate::engine::event::Standing;

/// The cases that judged a clause, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct JudgingCases {
    /// Cases that are about it, without an injected fault.
    natural: usize,
    /// Cases that are about it, with an injected fault.
    injected: usize,
    /// Cases that are about something else and judged it in passing.
    in_passing: usize,
}

impl JudgingCases {
    /// Of all `times`, those that are not injected or in passing are natural.
    pub(super) fn new(times: usize, injected: usize, in_passing: usize) -> Self {
        Self { natural: times.saturating_sub(injected + in_passing), injected, in_passing }
    }

    /// From the standing of a clause that held.
    pub(super) fn from_standing(standing: &Standing) -> Option<Self> {
        match standing {
            Standing::Passed { times, injected, in_passing } => Some(Self::new(*times, *injected, *in_passing)),
            Standing::Injected { times, in_passing } => Some(Self::new(*times, times.saturating_sub(*in_passing), *in_passing)),
            Standing::InPassing { times } => Some(Self::new(*times, 0, *times)),
            Standing::Failed { .. }
            | Standing::Known { .. }
            | Standing::Skipped { .. }
            | Standing::Unchecked { .. }
            | Standing::Untouched => None,
        }
    }

    /// The standing of a clause that held in these cases.
    pub(super) fn standing(self) -> Standing {
        Standing::held(self.natural + self.injected + self.in_passing, self.injected, self.in_passing)
    }
}

impl fmt::Display for JudgingCases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.natural, "natural"), (self.injected, "injected"), (self.in_passing, "in passing")];
        let parts: Vec<_> = parts.iter().filter(|(cases, _)| *cases > 0).map(|(cases, how)| format!("{cases}× {how}")).collect();
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_passes_by_a_case_that_is_about_it_and_places_no_fault() {
        let described = |natural, injected, in_passing| {
            let judged = JudgingCases::new(natural + injected + in_passing, injected, in_passing);
            assert_eq!(JudgingCases::from_standing(&judged.standing()), Some(judged));
            format!("{}: {judged}", judged.standing().word())
        };
        assert_eq!(described(1, 2, 40), "passed: 1× natural, 2× injected, 40× in passing");
        assert_eq!(described(0, 2, 40), "injected: 2× injected, 40× in passing");
        assert_eq!(described(0, 0, 40), "in passing: 40× in passing");
    }
}
