//! If both sides conform: whether the contract leaves a difference to the target.

use serde_json::Value;
use url::Url;

use super::diff::ChangedValue;
use super::model::{DifferenceKind, DifferenceStanding};
use super::rename::{Renames, identifiers};
use super::schema_description::SchemaDescription;
use crate::base::pointer;
use crate::spec::contract::{Content, Operation};
use crate::wire::expression::text_of;

/// The standing of a difference, and the reason in one sentence.
pub(super) type Opinion = (DifferenceStanding, &'static str);

/// A difference that the documents leave open to the target.
const FREE: fn(&'static str) -> Opinion = |why| (DifferenceStanding::Freedom, why);
/// A difference that no rule decides.
const OPEN: fn(&'static str) -> Opinion = |why| (DifferenceStanding::Changed, why);

/// The standing of a change in a body; none if it is no difference. `content` is the documented content of the body.
pub(super) fn of_change(operation: &Operation, content: Option<&Content>, change: &ChangedValue<'_>, renames: &Renames) -> Option<Opinion> {
    if is_identifier(operation, &change.pointer) {
        let same = change.a.zip(change.b).is_some_and(|(a, b)| renames.are_names_of_one(a, b));
        return (!same).then(|| OPEN("what is one thing on one side is another or several on the other"));
    }
    if operation.success.field().is_some_and(|field| pointer::is_field(&change.pointer, field)) {
        return Some(of_code(operation, change));
    }
    if content.is_some_and(|content| content.schema.allowance_at(&change.pointer).is_some()) {
        return Some(FREE("left to the target by the contract (x-free)"));
    }
    let description = content.map(|content| SchemaDescription::at(&content.schema.expanded, &change.pointer)).unwrap_or_default();
    Some(match change.kind {
        DifferenceKind::Field if description.described => FREE("optional fields"),
        _ if !description.described => FREE("further fields and parts that no schema describes"),
        DifferenceKind::Items => OPEN("the lists have other lengths"),
        DifferenceKind::Order if description.closed => OPEN("the same items are in another order"),
        DifferenceKind::Order => FREE("the order of lists"),
        DifferenceKind::Value | DifferenceKind::Type => match (change.a, change.b) {
            (Some(a), Some(b)) => of_values(description, a, b),
            _ => FREE("optional fields"),
        },
        DifferenceKind::Field
        | DifferenceKind::Acceptance
        | DifferenceKind::Status
        | DifferenceKind::Body
        | DifferenceKind::Header
        | DifferenceKind::Exchange
        | DifferenceKind::Finding => OPEN("no rule says which"),
    })
}

fn of_values(description: SchemaDescription, a: &Value, b: &Value) -> Opinion {
    if text_of(a).is_some_and(|text| text_of(b) == Some(text)) {
        return FREE("the same in another type");
    }
    if [a, b].into_iter().any(is_nothing) {
        return FREE("optional fields");
    }
    match (a, b) {
        (Value::String(a), Value::String(b)) if !description.closed => of_texts(description, a, b),
        _ if description.closed => OPEN("both are documented, and no rule says which"),
        _ => OPEN("no rule says which"),
    }
}

fn of_texts(description: SchemaDescription, a: &str, b: &str) -> Opinion {
    if is_time(a) && is_time(b) {
        return FREE("times");
    }
    if is_address(a) && is_address(b) {
        return FREE("addresses");
    }
    if description.free_text { FREE("free texts") } else { OPEN("no rule says which") }
}

/// The standing of another code, if both sides accept or both refuse.
fn of_code(operation: &Operation, change: &ChangedValue<'_>) -> Opinion {
    let documented = |code: Option<&Value>| code.and_then(text_of).is_some_and(|code| operation.codes.contains_key(&code));
    if documented(change.a) && documented(change.b) { FREE("another documented code") } else { OPEN("no rule says which code") }
}

/// The standing of another HTTP status, if both sides accept or both refuse.
pub(super) fn of_status(operation: &Operation, a: u16, b: u16) -> Opinion {
    let documented = |status: u16| operation.codes.is_empty() || operation.codes.contains_key(&status.to_string());
    match operation.success.field() {
        Some(_) => FREE("HTTP statuses where a code shows the outcome"),
        None if (200..300).contains(&a) && (200..300).contains(&b) => FREE("other statuses of success"),
        None if documented(a) && documented(b) => FREE("another documented code"),
        None => OPEN("no rule says which status"),
    }
}

/// Whether the contract names this place of a response or a notification as an identifier.
fn is_identifier(operation: &Operation, pointer: &str) -> bool {
    identifiers(operation).any(|place| place.pointer() == Some(pointer))
}

/// Whether a field has a value that means the same as its absence.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || value == ""
}

fn is_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// A day or an instant as ISO 8601 writes it.
fn is_time(text: &str) -> bool {
    let begins = text.bytes().take(4).filter(u8::is_ascii_digit).count() == 4 && text.len() >= "20261231".len();
    let parses = || text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok();
    begins && text.contains(['-', 'T']) && parses()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn standing(description: SchemaDescription, a: Value, b: Value) -> DifferenceStanding {
        of_values(description, &a, &b).0
    }

    #[test]
    fn what_the_schema_leaves_open_is_free() {
        let text = SchemaDescription { described: true, free_text: true, closed: false };
        assert_eq!(standing(text, json!("OK"), json!("V pořádku")), DifferenceStanding::Freedom);
        let pattern = SchemaDescription { free_text: false, ..text };
        assert_eq!(standing(pattern, json!("2026-01-15T12:15:00Z"), json!("20260116T121500+0100")), DifferenceStanding::Freedom);
        assert_eq!(standing(pattern, json!("2026-01-15"), json!("2026-01-16")), DifferenceStanding::Freedom);
        assert_eq!(standing(pattern, json!("https://a.example/1"), json!("http://b.example")), DifferenceStanding::Freedom);
        assert_eq!(standing(pattern, json!("10000"), json!(10000)), DifferenceStanding::Freedom);
        assert_eq!(standing(pattern, json!(null), json!("x")), DifferenceStanding::Freedom);
    }

    #[test]
    fn what_no_rule_decides_is_a_change() {
        let pattern = SchemaDescription { described: true, ..SchemaDescription::default() };
        let closed = SchemaDescription { closed: true, ..pattern };
        assert_eq!(standing(pattern, json!("unknown"), json!("120")), DifferenceStanding::Changed);
        assert_eq!(standing(pattern, json!(1), json!(2)), DifferenceStanding::Changed);
        assert_eq!(standing(pattern, json!("12345678"), json!("12345679")), DifferenceStanding::Changed, "no day without a sign of one");
        assert_eq!(standing(closed, json!("PAID"), json!("PENDING")), DifferenceStanding::Changed);
        assert_eq!(standing(closed, json!(true), json!(false)), DifferenceStanding::Changed);
    }
}
