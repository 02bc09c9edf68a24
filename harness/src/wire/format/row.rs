//! Mappings: rows and records, of which consecutive ones have mostly the same names, and what holds them.

use serde_json::{Map, Value};

/// A mapping of values that are moved: the macro of serde_json would copy a statement of a hundred thousand rows.
pub(super) fn mapping<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Writes a mapping over an earlier one, reusing names that are the same in the same order.
pub(super) fn write<'n>(over: &mut Value, entries: impl Iterator<Item = (&'n str, Value)>) {
    let mut entries = entries.peekable();
    if let Value::Object(fields) = over {
        let mut same = 0;
        for (name, value) in fields.iter_mut() {
            let Some((_, new)) = entries.next_if(|(next, _)| name == next) else { break };
            *value = new;
            same += 1;
        }
        if same == fields.len() && entries.peek().is_none() {
            return;
        }
        let rest = entries.map(|(name, value)| (name.to_owned(), value));
        *fields = std::mem::take(fields).into_iter().take(same).chain(rest).collect();
        return;
    }
    // As large as it has to be: thousands of rows are kept.
    let mut fields = Map::with_capacity(entries.size_hint().1.unwrap_or_default());
    fields.extend(entries.map(|(name, value)| (name.to_owned(), value)));
    *over = Value::Object(fields);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_left_of_the_row_before(rows in proptest::collection::vec(proptest::collection::vec(("[a-c]", 0..9), 0..5), 1..6)) {
            let mut over = Value::Null;
            for row in rows {
                write(&mut over, row.iter().map(|(name, number)| (name.as_str(), Value::from(*number))));
                let fresh: Map<String, Value> = row.into_iter().map(|(name, number)| (name, Value::from(number))).collect();
                prop_assert_eq!(over.to_string(), Value::Object(fresh).to_string());
            }
        }
    }
}
