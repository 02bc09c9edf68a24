//! Ways to fields of a body: names joined by dots, `*` for every item of a list.

use serde_json::{Map, Value};

/// Runs an action on every object that a path leads to, with the name of the field in it.
pub(super) fn at_each(body: &mut Value, path: &str, action: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    let Some((first, rest)) = path.split_once('.') else {
        return each_of(body, path, action);
    };
    match body {
        Value::Array(items) if first == "*" => items.iter_mut().for_each(|item| at_each(item, rest, action)),
        Value::Object(fields) => {
            if let Some(inner) = fields.get_mut(first) {
                at_each(inner, rest, action);
            }
        }
        _ => {}
    }
}

fn each_of(body: &mut Value, name: &str, action: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    if let Value::Object(fields) = body {
        action(fields, name);
    }
}

/// The first value that a path leads to; the empty path leads to the body itself.
pub(super) fn find<'b>(body: &'b Value, path: &str) -> Option<&'b Value> {
    if path.is_empty() {
        return Some(body);
    }
    path.split('.').try_fold(body, |value, name| match value {
        Value::Array(items) if name == "*" => items.first(),
        Value::Object(fields) => fields.get(name),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_way_leads_through_objects_and_lists() {
        let mut body = json!({ "a": { "b": [{ "c": 1 }, { "c": 2 }, 3] }, "d": 4 });
        at_each(&mut body, "a.b.*.c", &mut |fields, name| {
            fields.remove(name);
        });
        at_each(&mut body, "x.y", &mut |fields, _| fields.clear());
        assert_eq!(body, json!({ "a": { "b": [{}, {}, 3] }, "d": 4 }));
        assert_eq!(find(&body, "d"), Some(&json!(4)));
        assert_eq!(find(&body, "a.x"), None);
    }
}
