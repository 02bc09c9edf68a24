//! How many clauses have which standing.

use std::fmt;

use crate::engine::event::{Standing, StandingKind};

/// The number of clauses by standing, in the order of [`StandingKind::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StandingCounts([usize; StandingKind::ALL.len()]);

impl StandingCounts {
    /// Counts these.
    pub fn of<'s>(standings: impl IntoIterator<Item = &'s Standing>) -> Self {
        let mut counts = Self::default();
        for standing in standings {
            counts.add(standing.kind());
        }
        counts
    }

    fn add(&mut self, kind: StandingKind) {
        if let Some(count) = self.0.get_mut(kind as usize) {
            *count += 1;
        }
    }

    /// The kinds and their counts.
    pub fn by_kind(self) -> impl Iterator<Item = (StandingKind, usize)> {
        StandingKind::ALL.into_iter().zip(self.0)
    }
}

impl fmt::Display for StandingCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.by_kind().filter(|(kind, count)| *count > 0 || kind.is_always_named());
        let parts: Vec<_> = shown.map(|(kind, count)| format!("{count} {}", kind.word())).collect();
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_that_is_judged_in_passing_or_by_a_fault_alone_has_not_passed() {
        let standings = [Standing::held(3, 1, 1), Standing::held(3, 1, 2), Standing::held(3, 0, 3), Standing::Failed { times: 1 }];
        let counted = StandingCounts::of(&standings).to_string();
        assert_eq!(counted, "1 passed, 1 injected, 1 in passing, 1 failed, 0 skipped, 0 not checkable, 0 untouched");
        let known = StandingCounts::of(&[Standing::Known { times: 2 }]).to_string();
        assert_eq!(known, "0 passed, 0 failed, 1 known, 0 skipped, 0 not checkable, 0 untouched");
    }
}
