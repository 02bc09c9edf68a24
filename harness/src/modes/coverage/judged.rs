//! How the cases of a run came to judge a clause.

use std::fmt;

use serde::Serialize;

use crate::engine::event::Standing;

/// Cases that judged a clause, by how they came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Judged {
    /// Cases that are about it, and placed no fault.
    natural: usize,
    /// Cases that are about it, and placed a fault on purpose.
    injected: usize,
    /// Cases that are about something else: the contract judged it on the way.
    in_passing: usize,
}

impl Judged {
    /// Of all `times`, so many were injected or in passing.
    pub(super) fn new(times: usize, injected: usize, in_passing: usize) -> Self {
        Self { natural: times.saturating_sub(injected + in_passing), injected, in_passing }
    }

    /// Of a clause that holds.
    pub(super) fn from_standing(standing: &Standing) -> Option<Self> {
        match standing {
            Standing::Passed { times, injected, in_passing } => Some(Self::new(*times, *injected, *in_passing)),
            Standing::Failed { .. }
            | Standing::Known { .. }
            | Standing::Skipped { .. }
            | Standing::Unchecked { .. }
            | Standing::Untouched => None,
        }
    }

    /// What the clause counts as. Only a case that is about it, and lets it happen by itself, makes it pass.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self { natural: 0, injected: 0, .. } => "in passing",
            Self { natural: 0, .. } => "injected",
            Self { .. } => "passed",
        }
    }
}

impl fmt::Display for Judged {
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
            let judged = Judged::new(natural + injected + in_passing, injected, in_passing);
            format!("{}: {judged}", judged.word())
        };
        assert_eq!(described(1, 2, 40), "passed: 1× natural, 2× injected, 40× in passing");
        assert_eq!(described(0, 2, 40), "injected: 2× injected, 40× in passing");
        assert_eq!(described(0, 0, 40), "in passing: 40× in passing");
    }
}
