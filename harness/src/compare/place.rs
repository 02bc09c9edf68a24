//! Where a difference or a finding stands, in words that are the same for both.

use serde_json::Value;

use crate::contract::Operation;
use crate::verdict::Finding;

/// The place of a finding, without the item of a list and the line of a file.
pub(super) fn of_finding(operation: Option<&Operation>, finding: &Finding) -> String {
    let at = finding.at.as_deref().unwrap_or_default();
    if at.starts_with("answer HTTP") {
        return "answer HTTP status".to_owned();
    }
    if let Some(name) = at.strip_prefix("answer headers /") {
        return format!("answer header {name}");
    }
    // What is wrong with the way of a resource shows in its state.
    let is_whole = at == "answer body" || at == "notification body";
    let state = operation.and_then(|operation| operation.shows.as_ref()?.state.pointer()).filter(|_| is_whole);
    match (state, finding.got.as_ref()) {
        (Some(pointer), Some(Value::String(_))) => format!("{at} {pointer}"),
        _ => general(at.split(", ").next().unwrap_or_default()),
    }
}

/// A place with `*` for every item of a list.
pub(super) fn general(place: &str) -> String {
    let Some((whole, pointer)) = place.split_once(" /") else { return place.to_owned() };
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = pointer.split('/').map(|part| if is_index(part) { "*" } else { part }).collect();
    format!("{whole} /{}", parts.join("/"))
}

/// Whether one of two places is a part of the other.
pub(super) fn touch(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        let has_pointer = outer.contains(" /") || outer == "notification" || outer == "answer";
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || (has_pointer && rest.starts_with(['/', ' '])))
    };
    within(one, other) || within(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_list_is_any_item() {
        assert_eq!(general("answer body /rows/12/price"), "answer body /rows/*/price");
        assert_eq!(general("answer HTTP status"), "answer HTTP status");
        let finding = |at: &str| Finding::new("c", "o", "m").at(at);
        assert_eq!(of_finding(None, &finding("answer body /rows/3/x, entry `a.csv`, line 3")), "answer body /rows/*/x");
        assert_eq!(of_finding(None, &finding("answer HTTP /status")), "answer HTTP status");
        assert_eq!(of_finding(None, &finding("answer headers /location")), "answer header location");
    }

    #[test]
    fn a_place_touches_its_parts_and_not_its_neighbours() {
        assert!(touch("answer body /a", "answer body /a/b") && touch("answer body /a/b", "answer body /a"));
        assert!(!touch("answer body /a", "answer body /ab") && !touch("answer body /a", "answer body /b"));
        assert!(!touch("answer body", "answer body /a"), "what is said of the whole is not said of each part");
        assert!(touch("answer", "answer body /a") && touch("notification", "notification body /x"));
        assert!(!touch("answer", "notification body /x"));
    }
}
