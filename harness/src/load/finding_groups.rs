//! Findings grouped by cause: how often each occurred, with a few examples.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::result::{ErrorKind, LoadCause, LoadExample};
use crate::base::place::Place;
use crate::base::verdict::Finding;

/// Beyond this number, causes are counted as one: a target with more of them is wrong altogether.
const MOST_CAUSES: usize = 200;
/// How many examples of a cause are kept.
pub(crate) const MOST_EXAMPLES: usize = 5;

/// Findings grouped by cause; users add to it at once.
#[derive(Debug, Default)]
pub(crate) struct FindingGroups {
    found: Mutex<Groups>,
}

#[derive(Debug, Default)]
struct Groups {
    places: HashMap<GroupKey, usize>,
    causes: Vec<LoadCause>,
}

/// What findings of one cause have in common: what is broken and where, not the values.
#[derive(Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    kind: ErrorKind,
    clause: String,
    operation: String,
    at: Option<Place>,
    /// Where no clause says what is wrong.
    message: String,
}

impl GroupKey {
    fn from_finding(finding: &Finding, kind: ErrorKind) -> Self {
        let (clause, operation, at) = finding.cause();
        let message = if clause.is_empty() { finding.message.clone() } else { String::new() };
        Self { kind, clause: clause.to_owned(), operation: operation.to_owned(), at, message }
    }
}

impl FindingGroups {
    /// Adds a finding that was seen `second` seconds after measuring began.
    pub(crate) fn add(&self, finding: Finding, kind: ErrorKind, second: f64) {
        self.add_times(finding, kind, second, 1);
    }

    /// Adds a finding that stands for `times` of them.
    pub(crate) fn add_times(&self, finding: Finding, kind: ErrorKind, second: f64, times: u64) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).add(finding, kind, second, times);
    }

    /// All causes, the most frequent first.
    pub(crate) fn all(&self) -> Vec<LoadCause> {
        let mut causes = self.found.lock().unwrap_or_else(PoisonError::into_inner).causes.clone();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
        causes
    }
}

impl Groups {
    fn add(&mut self, mut finding: Finding, kind: ErrorKind, second: f64, times: u64) {
        let known = self.places.contains_key(&GroupKey::from_finding(&finding, kind));
        if !known && self.causes.len() >= MOST_CAUSES {
            finding = Finding::new("", "", "other causes, too many to be told apart");
        }
        let place = *self.places.entry(GroupKey::from_finding(&finding, kind)).or_insert(self.causes.len());
        if place == self.causes.len() {
            self.causes.push(LoadCause {
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
                cause.examples.push(LoadExample {
                    second,
                    at: finding.at.map(|at| at.to_string()),
                    expected: finding.expected,
                    got: finding.got,
                    curl: finding.curl,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::place::Message;

    fn finding(clause: &str, message: &str) -> Finding {
        Finding::new(clause, "shop.read", message)
    }

    #[test]
    fn findings_of_one_cause_are_one_with_a_few_examples() {
        let causes = FindingGroups::default();
        for second in 0..20 {
            causes.add(finding("shop.a", &format!("number {second} is wrong")), ErrorKind::Contract, f64::from(second));
        }
        causes.add(finding("shop.b", "wrong"), ErrorKind::Contract, 1.0);
        causes.add(finding("shop.a", "wrong"), ErrorKind::Business, 1.0);
        causes.add(finding("shop.a", "wrong").at(Place::field(Message::Response, "size")), ErrorKind::Contract, 1.0);
        let all = causes.all();
        assert_eq!(all.iter().map(|cause| cause.count).collect::<Vec<_>>(), [20, 1, 1, 1]);
        assert_eq!(all.iter().map(|cause| cause.examples.len()).collect::<Vec<_>>(), [MOST_EXAMPLES, 1, 1, 1]);
    }

    #[test]
    fn they_are_bounded_whatever_the_target_does() {
        let causes = FindingGroups::default();
        for number in 0..10_000 {
            causes.add(finding("shop.a", "wrong").at(Place::field(Message::Response, &format!("field{number}"))), ErrorKind::Contract, 0.0);
        }
        let all = causes.all();
        assert_eq!(all.len(), MOST_CAUSES + 1);
        assert_eq!(all.iter().map(|cause| cause.count).sum::<u64>(), 10_000);
        assert!(all.iter().any(|cause| cause.message.contains("other causes")));
    }
}
