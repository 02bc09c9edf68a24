//! How many clauses have which standing.

use std::fmt;

use crate::engine::event::Standing;

/// What is named only where there is some.
const SELDOM: [&str; 3] = ["injected", "in passing", "known"];

/// The number of clauses by standing, in the order of [`Standing::WORDS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StandingCounts([usize; Standing::WORDS.len()]);

impl StandingCounts {
    /// Counts these.
    pub fn of<'s>(standings: impl IntoIterator<Item = &'s Standing>) -> Self {
        let mut counts = Self::default();
        for standing in standings {
            counts.add(standing.word());
        }
        counts
    }

    fn add(&mut self, word: &str) {
        let of_word = Standing::WORDS.iter().zip(&mut self.0).filter(|(known, _)| **known == word);
        of_word.for_each(|(_, count)| *count += 1);
    }

    /// The words and their counts.
    pub fn by_word(self) -> impl Iterator<Item = (&'static str, usize)> {
        Standing::WORDS.into_iter().zip(self.0)
    }
}

impl fmt::Display for StandingCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.by_word().filter(|(word, count)| *count > 0 || !SELDOM.contains(word));
        let parts: Vec<_> = shown.map(|(word, count)| format!("{count} {word}")).collect();
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
