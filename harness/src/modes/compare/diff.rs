//! Two bodies side by side: every place in which they differ.

use serde_json::Value;

use super::model::DifferenceKind;
use super::rename::Renames;
use crate::base::pointer;

/// One place in which two bodies differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChangedValue<'v> {
    /// Where, as a JSON Pointer.
    pub(super) pointer: String,
    pub(super) kind: DifferenceKind,
    /// The value of A, if any.
    pub(super) a: Option<&'v Value>,
    /// The value of B, if any.
    pub(super) b: Option<&'v Value>,
}

/// Everything in which two bodies differ.
pub(super) fn changes<'v>(a: &'v Value, b: &'v Value, renames: &Renames) -> Vec<ChangedValue<'v>> {
    let mut walk = Walk { renames, found: Vec::new() };
    walk.values(String::new(), a, b);
    walk.found
}

struct Walk<'v, 'r> {
    renames: &'r Renames,
    found: Vec<ChangedValue<'v>>,
}

impl<'v> Walk<'v, '_> {
    fn values(&mut self, pointer: String, a: &'v Value, b: &'v Value) {
        match (a, b) {
            (Value::Object(of_a), Value::Object(of_b)) => {
                for (name, below) in of_a {
                    let here = pointer::field(&pointer, name);
                    match of_b.get(name) {
                        Some(other) => self.values(here, below, other),
                        None => self.note(here, DifferenceKind::Field, Some(below), None),
                    }
                }
                let more = of_b.iter().filter(|(name, _)| !of_a.contains_key(*name));
                more.for_each(|(name, below)| self.note(pointer::field(&pointer, name), DifferenceKind::Field, None, Some(below)));
            }
            (Value::Array(of_a), Value::Array(of_b)) => self.lists(&pointer, (a, of_a), (b, of_b)),
            _ if self.renames.same(a, b) => {}
            _ => self.note(pointer, if kind(a) == kind(b) { DifferenceKind::Value } else { DifferenceKind::Type }, Some(a), Some(b)),
        }
    }

    /// Equal items are paired at any position; the others in the order of the lists.
    fn lists(&mut self, pointer: &str, (a, of_a): (&'v Value, &'v [Value]), (b, of_b): (&'v Value, &'v [Value])) {
        let in_place = |index: usize| of_a.get(index).zip(of_b.get(index)).is_some_and(|(a, b)| same(a, b, self.renames));
        let (mut left_a, mut left_b): (Vec<usize>, Vec<usize>) =
            ((0..of_a.len()).filter(|i| !in_place(*i)).collect(), (0..of_b.len()).filter(|i| !in_place(*i)).collect());
        let before = left_a.len();
        left_a.retain(|index| {
            let found =
                left_b.iter().position(|other| of_a.get(*index).zip(of_b.get(*other)).is_some_and(|(a, b)| same(a, b, self.renames)));
            found.map(|at| left_b.remove(at)).is_none()
        });
        if of_a.len() != of_b.len() {
            self.note(pointer.to_owned(), DifferenceKind::Items, Some(a), Some(b));
        } else if before > 0 && left_a.is_empty() {
            self.note(pointer.to_owned(), DifferenceKind::Order, Some(a), Some(b));
        }
        for (of, other) in left_a.into_iter().zip(left_b) {
            if let (Some(a), Some(b)) = (of_a.get(of), of_b.get(other)) {
                self.values(pointer::item(pointer, of), a, b);
            }
        }
    }

    fn note(&mut self, pointer: String, kind: DifferenceKind, a: Option<&'v Value>, b: Option<&'v Value>) {
        self.found.push(ChangedValue { pointer, kind, a, b });
    }
}

/// Whether two values are equal except for renamed identifiers.
fn same(a: &Value, b: &Value, renames: &Renames) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| same(value, other, renames)))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, renames)),
        _ => renames.same(a, b),
    }
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(a: &Value, b: &Value) -> Vec<(String, DifferenceKind)> {
        changes(a, b, &Renames::default()).into_iter().map(|change| (change.pointer, change.kind)).collect()
    }

    #[test]
    fn every_place_that_differs_is_found() {
        let (a, b) =
            (json!({"code": 0, "x/y": 1, "gone": 1, "deep": {"fee": "1"}}), json!({"deep": {"fee": 1}, "new": 1, "x/y": 2, "code": 0}));
        let differences = found(&a, &b);
        let expected = [
            ("/x~1y", DifferenceKind::Value),
            ("/gone", DifferenceKind::Field),
            ("/deep/fee", DifferenceKind::Type),
            ("/new", DifferenceKind::Field),
        ];
        assert_eq!(differences, expected.map(|(pointer, kind)| (pointer.to_owned(), kind)));
        assert_eq!(found(&a, &a), []);
    }

    #[test]
    fn lists_differ_in_order_in_length_or_in_items() {
        let pointer = |text: &str, kind| vec![(text.to_owned(), kind)];
        assert_eq!(found(&json!([1, 2, 3]), &json!([3, 1, 2])), pointer("", DifferenceKind::Order));
        assert_eq!(found(&json!([1, 2, 3]), &json!([1, 3])), pointer("", DifferenceKind::Items));
        assert_eq!(found(&json!([{"a": 1}, {"a": 2}]), &json!([{"a": 1}, {"a": 3}])), pointer("/1/a", DifferenceKind::Value));
        assert_eq!(
            found(&json!([{"a": 2}, {"a": 1}]), &json!([{"a": 1}, {"a": 3}])),
            pointer("/0/a", DifferenceKind::Value),
            "the one that is left"
        );
    }

    proptest::proptest! {
        #[test]
        fn what_is_equal_does_not_differ_and_what_differs_does_so_both_ways(a in "[\\[\\]{}:,\"a0]{0,14}", b in "[\\[\\]{}:,\"a0]{0,14}") {
            if let (Ok(a), Ok(b)) = (serde_json::from_str::<Value>(&a), serde_json::from_str::<Value>(&b)) {
                proptest::prop_assert_eq!(found(&a, &b).is_empty(), a == b);
                proptest::prop_assert_eq!(found(&b, &a).is_empty(), a == b);
            }
        }
    }
}
