//! Changes of the fields of a body.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::paths::{at_each, find};
use crate::common::freedoms::{Change, FieldOrder, Moment};

/// A value that is another one each time.
const FRESH: &str = "$fresh";

/// Whether a body is one that the change is made to. Texts match as a part.
pub(super) fn matches(change: &Change, body: &Value) -> bool {
    let holds = |path: &str, wanted: &Value| match (find(body, path), wanted) {
        (Some(Value::String(text)), Value::String(part)) => text.contains(part.as_str()),
        (Some(value), wanted) => value == wanted || text_of(value) == text_of(wanted),
        (None, wanted) => wanted.is_null(),
    };
    change.r#where.iter().all(|(path, wanted)| holds(path, wanted)) && !change.unless.iter().any(|(path, value)| holds(path, value))
}

/// Makes the changes of fields.
pub(super) fn apply(change: &Change, body: &mut Value) {
    if let Some(whole) = &change.body {
        *body = whole.clone();
    }
    for path in &change.absent {
        at_each(body, path, &mut |fields, name| {
            fields.shift_remove(name);
        });
    }
    for path in &change.null {
        at_each(body, path, &mut |fields, name| {
            fields.insert(name.to_owned(), Value::Null);
        });
    }
    values(change, body);
    types(change, body);
    if let Some((moment, paths)) = &change.moments {
        paths.iter().for_each(|path| in_place(body, path, &mut |value| spell(*moment, value)));
    }
    for path in &change.reverse {
        if path.is_empty() {
            reverse(body);
        }
        in_place(body, path, &mut reverse);
    }
    if let Some(order) = change.order {
        arrange(order, body);
    }
}

fn reverse(list: &mut Value) {
    if let Value::Array(items) = list {
        items.reverse();
    }
}

fn values(change: &Change, body: &mut Value) {
    for (path, value) in &change.put {
        at_each(body, path, &mut |fields, name| {
            fields.insert(name.to_owned(), fresh(value));
        });
    }
    for (path, value) in &change.set {
        in_place(body, path, &mut |known| *known = fresh(value));
    }
    for (path, value) in &change.add {
        at_each(body, path, &mut |fields, name| {
            fields.entry(name).or_insert_with(|| fresh(value));
        });
    }
    for (path, table) in &change.replace {
        in_place(body, path, &mut |known| {
            if let Some(value) = table.get(&text_of(known)) {
                *known = alike(known, value);
            }
        });
    }
    for (path, suffix) in &change.suffix {
        in_place(body, path, &mut |known| {
            if let Value::String(text) = known {
                text.push_str(suffix);
            }
        });
    }
    for (path, (part, other)) in &change.part {
        in_place(body, path, &mut |known| {
            if let Value::String(text) = known {
                *text = text.replace(part, other);
            }
        });
    }
}

fn types(change: &Change, body: &mut Value) {
    for (path, count) in &change.last {
        in_place(body, path, &mut |known| {
            let text = text_of(known);
            let skipped = text.chars().count().saturating_sub(*count);
            *known = text.chars().skip(skipped).collect::<String>().into();
        });
    }
    for (path, more) in &change.plus {
        in_place(body, path, &mut |known| {
            if let Some(number) = known.as_i64() {
                *known = number.saturating_add(*more).into();
            }
        });
    }
    for (path, whole) in &change.from {
        in_place(body, path, &mut |known| {
            if let Some(number) = known.as_i64() {
                *known = whole.saturating_sub(number).into();
            }
        });
    }
    for path in &change.text {
        in_place(body, path, &mut |known| *known = text_of(known).into());
    }
    for path in &change.integer {
        in_place(body, path, &mut |known| {
            if let Ok(number) = text_of(known).parse::<i64>() {
                *known = number.into();
            }
        });
    }
}

/// Runs an action on every value that is present and not null.
fn in_place(body: &mut Value, path: &str, action: &mut impl FnMut(&mut Value)) {
    at_each(body, path, &mut |fields, name| {
        if let Some(value) = fields.get_mut(name).filter(|value| !value.is_null()) {
            action(value);
        }
    });
}

/// A form knows texts only: a code stays a text there.
fn alike(known: &Value, value: &Value) -> Value {
    if known.is_string() { text_of(value).into() } else { value.clone() }
}

fn fresh(value: &Value) -> Value {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    match value {
        Value::String(text) if text == FRESH => format!("fresh-{}", NUMBER.fetch_add(1, Ordering::Relaxed)).into(),
        _ => value.clone(),
    }
}

pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn spell(moment: Moment, value: &mut Value) {
    let Value::String(text) = value else { return };
    let Some(plain) = text.strip_suffix('Z') else { return };
    *text = match moment {
        Moment::Millis if !plain.contains('.') => format!("{plain}.000Z"),
        Moment::Millis => return,
        Moment::Offset => format!("{plain}+00:00"),
        Moment::Zoneless => plain.to_owned(),
        Moment::Lower => text.to_lowercase(),
        Moment::Ordinal | Moment::Week => match dated(moment, plain) {
            Some(dated) => format!("{dated}Z"),
            None => return,
        },
    };
}

/// A time without its zone, with another form of the date. Week dates are written in the basic format, as is the time then.
fn dated(moment: Moment, plain: &str) -> Option<String> {
    let (date, time) = plain.split_once('T')?;
    let date: jiff::civil::Date = date.parse().ok()?;
    Some(match moment {
        Moment::Week => {
            let week = date.iso_week_date();
            format!("{:04}W{:02}{}T{}", week.year(), week.week(), week.weekday().to_monday_one_offset(), time.replace(':', ""))
        }
        _ => format!("{:04}-{:03}T{time}", date.year(), date.day_of_year()),
    })
}

fn arrange(order: FieldOrder, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(|inner| arrange(order, inner));
            let mut entries: Vec<(String, Value)> = std::mem::take(fields).into_iter().collect();
            match order {
                FieldOrder::Reversed => entries.reverse(),
                FieldOrder::Sorted => entries.sort_by(|(left, _), (right, _)| left.cmp(right)),
            }
            *fields = Map::from_iter(entries);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| arrange(order, item)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changed(change: Value, mut body: Value) -> Value {
        apply(&serde_json::from_value(change).unwrap(), &mut body);
        body
    }

    #[test]
    fn fields_are_left_out_nulled_put_and_replaced() {
        let body = json!({ "a": 1, "b": "x", "code": 1107 });
        assert_eq!(changed(json!({ "absent": ["a"], "null": ["b"] }), body.clone()), json!({ "b": null, "code": 1107 }));
        assert_eq!(changed(json!({ "replace": { "code": { "1107": 1309 } } }), body.clone())["code"], 1309);
        assert_eq!(changed(json!({ "replace": { "code": { "1107": 1309 } } }), json!({ "code": "1107" }))["code"], "1309");
        assert_eq!(
            changed(json!({ "set": { "z": 1 }, "add": { "y": 2, "a": 3 } }), body),
            json!({ "a": 1, "b": "x", "code": 1107, "y": 2 })
        );
    }

    #[test]
    fn values_are_spelled_otherwise() {
        let body = json!({ "n": 5, "t": "7", "at": "2026-01-15T12:00:00Z", "list": [1, 2] });
        let change = json!({ "text": ["n"], "integer": ["t"], "moments": ["millis", ["at"]], "reverse": ["list"], "order": "sorted" });
        let expected = json!({ "at": "2026-01-15T12:00:00.000Z", "list": [2, 1], "n": "5", "t": 7 });
        assert_eq!(changed(change, body).to_string(), expected.to_string());
    }

    #[test]
    fn a_number_is_another_one() {
        let change = json!({ "plus": { "n": 2 }, "from": { "config.n": 100, "null": 100, "none": 100 } });
        let body = json!({ "n": 5, "config": { "n": 5 }, "null": null });
        assert_eq!(changed(change, body), json!({ "n": 7, "config": { "n": 95 }, "null": null }));
    }

    #[test]
    fn a_change_may_be_for_some_bodies_alone() {
        let change: Change = serde_json::from_value(json!({ "where": { "message": "access" }, "unless": { "code": 0 } })).unwrap();
        assert!(matches(&change, &json!({ "code": 1400, "message": "unauthorized access" })));
        assert!(!matches(&change, &json!({ "code": 0, "message": "access" })));
        assert!(!matches(&change, &json!({ "code": 1400, "message": "other" })));
    }
}
