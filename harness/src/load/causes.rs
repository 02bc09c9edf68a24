//! What was found under load, grouped by cause: a few examples of each, and how often.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::result::{Cause, ErrorKind, Example};
use crate::verdict::Finding;

/// More causes than this are not told apart: a target that is wrong in more ways is wrong altogether.
const MOST_CAUSES: usize = 200;
/// How many examples of a cause are kept.
pub(crate) const MOST_EXAMPLES: usize = 5;

/// What was found, grouped.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    places: HashMap<Key, usize>,
    causes: Vec<Cause>,
}

/// What findings of one cause have in common: what is broken and where, not the values.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: ErrorKind,
    clause: String,
    operation: String,
    at: Option<String>,
    /// Where no clause says what is wrong.
    message: String,
}

impl Key {
    fn of(finding: &Finding, kind: ErrorKind) -> Self {
        let (clause, operation, at) = finding.cause();
        let message = if clause.is_empty() { finding.message.clone() } else { String::new() };
        Self { kind, clause: clause.to_owned(), operation: operation.to_owned(), at: at.map(Cow::into_owned), message }
    }
}

impl Causes {
    /// Takes in one finding, seen so many seconds after the measuring began.
    pub(crate) fn add(&self, finding: Finding, kind: ErrorKind, second: f64) {
        self.add_times(finding, kind, second, 1);
    }

    /// Takes in one finding that stands for so many.
    pub(crate) fn add_times(&self, finding: Finding, kind: ErrorKind, second: f64, times: u64) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).add(finding, kind, second, times);
    }

    /// Everything, the most frequent first.
    pub(crate) fn all(&self) -> Vec<Cause> {
        let mut causes = self.found.lock().unwrap_or_else(PoisonError::into_inner).causes.clone();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
        causes
    }
}

impl Found {
    fn add(&mut self, mut finding: Finding, kind: ErrorKind, second: f64, times: u64) {
        let known = self.places.contains_key(&Key::of(&finding, kind));
        if !known && self.causes.len() >= MOST_CAUSES {
            finding = Finding::new("", "", "other causes, too many to be told apart");
        }
        let place = *self.places.entry(Key::of(&finding, kind)).or_insert(self.causes.len());
        if place == self.causes.len() {
            self.causes.push(Cause {
                clauses: finding.clauses.iter().filter(|clause| !clause.is_empty()).cloned().collect(),
                operation: finding.operation.clone(),
                message: finding.message.clone(),
                kind,
                count: 0,
                examples: Vec::new(),
            });
        }
        if let Some(cause) = self.causes.get_mut(place) {
            cause.count += times;
            if cause.examples.len() < MOST_EXAMPLES {
                cause.examples.push(Example { second, at: finding.at, expected: finding.expected, got: finding.got, curl: finding.curl });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(clause: &str, message: &str) -> Finding {
        Finding::new(clause, "shop.read", message)
    }

    #[test]
    fn findings_of_one_cause_are_one_with_a_few_examples() {
        let causes = Causes::default();
        for second in 0..20 {
            causes.add(finding("shop.a", &format!("number {second} is wrong")), ErrorKind::Contract, f64::from(second));
        }
        causes.add(finding("shop.b", "wrong"), ErrorKind::Contract, 1.0);
        causes.add(finding("shop.a", "wrong"), ErrorKind::Business, 1.0);
        causes.add(finding("shop.a", "wrong").at("answer body /size"), ErrorKind::Contract, 1.0);
        let all = causes.all();
        assert_eq!(all.iter().map(|cause| cause.count).collect::<Vec<_>>(), [20, 1, 1, 1]);
        assert_eq!(all.iter().map(|cause| cause.examples.len()).collect::<Vec<_>>(), [MOST_EXAMPLES, 1, 1, 1]);
    }

    #[test]
    fn they_are_bounded_whatever_the_target_does() {
        let causes = Causes::default();
        for number in 0..10_000 {
            causes.add(finding("shop.a", "wrong").at(format!("answer body /field{number}")), ErrorKind::Contract, 0.0);
        }
        let all = causes.all();
        assert_eq!(all.len(), MOST_CAUSES + 1);
        assert_eq!(all.iter().map(|cause| cause.count).sum::<u64>(), 10_000);
        assert!(all.iter().any(|cause| cause.message.contains("other causes")));
    }
}
