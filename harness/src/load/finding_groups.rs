//! Findings grouped by cause: how often each occurred, with a few examples.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::result::{ErrorKind, LoadCause, LoadExample};
use crate::base::place::Place;
use crate::base::text::first_chars;
use crate::base::verdict::Finding;

/// Findings of further causes are counted as one cause, so that memory stays bounded.
const MOST_CAUSES: usize = 200;
/// How many examples of a cause are kept.
pub(crate) const MOST_EXAMPLES: usize = 5;
/// The longest sentence or place, value, and command line that is kept, in characters: all of them may hold what the target sent.
const LONGEST_SENTENCE: usize = 500;
const LONGEST_VALUE: usize = 2_000;
const LONGEST_COMMAND: usize = 4_000;

/// Findings grouped by cause; users add to it concurrently.
#[derive(Debug, Default)]
pub(crate) struct FindingGroups {
    found: Mutex<Groups>,
}

#[derive(Debug, Default)]
struct Groups {
    places: HashMap<GroupKey, usize>,
    causes: Vec<LoadCause>,
}

/// What findings of one cause have in common: the rule and the place, not the values.
#[derive(Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    kind: ErrorKind,
    clause: String,
    operation: String,
    at: Option<String>,
    /// The message: findings without a clause differ by it.
    message: String,
}

impl GroupKey {
    fn from_finding(finding: &Finding, kind: ErrorKind) -> Self {
        let (clause, operation, at) = finding.cause();
        let message = if clause.is_empty() { finding.message.clone() } else { String::new() };
        Self { kind, clause: clause.to_owned(), operation: operation.to_owned(), at: at.as_ref().map(place), message }
    }
}

fn place(place: &Place) -> String {
    shortened(place.to_string(), LONGEST_SENTENCE)
}

/// A text; one that is too long is cut, with its length at the end.
fn shortened(text: String, longest: usize) -> String {
    let kept = first_chars(&text, longest);
    if kept.len() == text.len() { text } else { format!("{kept}… ({} characters)", text.chars().count()) }
}

/// A value; one that is too long becomes its shortened text.
fn bounded(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= LONGEST_VALUE { value } else { Value::String(shortened(text, LONGEST_VALUE)) }
}

impl FindingGroups {
    /// Adds a finding that was seen `second` seconds after measuring began.
    pub(crate) fn add(&self, finding: Finding, kind: ErrorKind, second: f64) {
        self.add_times(finding, kind, second, 1);
    }

    /// Adds a finding that occurred `times` times.
    pub(crate) fn add_times(&self, finding: Finding, kind: ErrorKind, second: f64, times: u64) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).add(finding, kind, second, times);
    }

    /// All causes, the most frequent first.
    pub(crate) fn causes(&self) -> Vec<LoadCause> {
        let mut causes = self.found.lock().unwrap_or_else(PoisonError::into_inner).causes.clone();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
        causes
    }
}

impl Groups {
    fn add(&mut self, mut finding: Finding, kind: ErrorKind, second: f64, times: u64) {
        finding.message = shortened(finding.message, LONGEST_SENTENCE);
        let known = self.places.contains_key(&GroupKey::from_finding(&finding, kind));
        if !known && self.causes.len() >= MOST_CAUSES {
            finding = Finding::new(
                "",
                "",
                format!("findings of further causes, counted together: only the first {MOST_CAUSES} causes are kept apart"),
            );
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
                    at: finding.at.as_ref().map(self::place),
                    expected: finding.expected.map(bounded),
                    got: finding.got.map(bounded),
                    curl: finding.curl.map(|curl| shortened(curl, LONGEST_COMMAND)),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::place::Message;

    fn finding(clause: &str, message: &str) -> Finding {
        Finding::new(clause, "shop.read", message)
    }

    #[test]
    fn findings_of_one_cause_are_one_with_a_few_examples() {
        let groups = FindingGroups::default();
        for second in 0..20 {
            groups.add(finding("shop.a", &format!("number {second} is wrong")), ErrorKind::Contract, f64::from(second));
        }
        groups.add(finding("shop.b", "wrong"), ErrorKind::Contract, 1.0);
        groups.add(finding("shop.a", "wrong"), ErrorKind::Business, 1.0);
        groups.add(finding("shop.a", "wrong").at(Place::field(Message::Response, "size")), ErrorKind::Contract, 1.0);
        let causes = groups.causes();
        assert_eq!(causes.iter().map(|cause| cause.count).collect::<Vec<_>>(), [20, 1, 1, 1]);
        assert_eq!(causes.iter().map(|cause| cause.examples.len()).collect::<Vec<_>>(), [MOST_EXAMPLES, 1, 1, 1]);
    }

    #[test]
    fn they_are_bounded_whatever_the_target_does() {
        let groups = FindingGroups::default();
        for number in 0..10_000 {
            groups.add(finding("shop.a", "wrong").at(Place::field(Message::Response, &format!("field{number}"))), ErrorKind::Contract, 0.0);
        }
        let causes = groups.causes();
        assert_eq!(causes.len(), MOST_CAUSES + 1);
        assert_eq!(causes.iter().map(|cause| cause.count).sum::<u64>(), 10_000);
        let rest: Vec<_> = causes.iter().filter(|cause| cause.message.contains("only the first 200 causes")).collect();
        assert_eq!(rest.iter().map(|cause| cause.count).collect::<Vec<_>>(), [10_000 - MOST_CAUSES as u64]);
    }

    #[test]
    fn texts_of_any_length_take_little_room() {
        let groups = FindingGroups::default();
        let long = "ž".repeat(1_000_000);
        let mut finding = finding("", &long).at(Place::field(Message::Response, &long)).compare(json!([long]), json!({ "a": long }));
        finding.curl = Some(long);
        groups.add(finding, ErrorKind::Contract, 0.0);
        groups.add(self::finding("shop.a", "wrong").compare(json!(1), json!({ "a": 2 })), ErrorKind::Contract, 0.0);
        let causes = groups.causes();
        assert!(serde_json::to_string(&causes).unwrap().len() < 25_000);
        assert!(causes[0].message.ends_with("ž… (1000000 characters)"), "{}", causes[0].message);
        assert_eq!((&causes[1].examples[0].expected, &causes[1].examples[0].got), (&Some(json!(1)), &Some(json!({ "a": 2 }))));
    }
}
