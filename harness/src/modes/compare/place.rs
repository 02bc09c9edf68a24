//! Places of findings and of differences, so that both can be compared.

use serde_json::Value;

use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::spec::contract::Operation;

/// The general place of a finding. A finding about the states of a resource is about the whole body; its difference is in the
/// state.
pub(super) fn of_finding(operation: Option<&Operation>, finding: &Finding) -> Option<Place> {
    let at = finding.at.as_ref()?;
    let state = operation.and_then(|operation| operation.shows.as_ref()?.state.pointer());
    Some(match (at, state, &finding.got) {
        (Place::Body { message, pointer: None, position }, Some(pointer), Some(Value::String(_))) if position.is_whole() => {
            Place::value(*message, pointer)
        }
        _ => at.general(),
    })
}

/// Whether one of two places is a part of the other. A statement about a whole body does not apply to each part.
pub(super) fn touch(one: &Place, other: &Place) -> bool {
    let covers = |outer: &Place, inner: &Place| outer.covers(inner) && !matches!(outer.pointer(), Some("")) && !is_body(outer);
    one == other || covers(one, other) || covers(other, one)
}

fn is_body(place: &Place) -> bool {
    matches!(place, Place::Body { pointer: None, .. })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::contracts;
    use super::*;
    use crate::base::file_position::FilePosition;
    use crate::base::place::Message;

    fn value(pointer: &str) -> Place {
        Place::value(Message::Response, pointer)
    }

    #[test]
    fn an_item_of_a_list_is_any_item() {
        let at = value("/rows/3/x").in_file(FilePosition::line(3));
        assert_eq!(of_finding(None, &Finding::new("c", "o", "m").at(at)), Some(value("/rows/*/x")));
        assert_eq!(of_finding(None, &Finding::new("c", "o", "m").at(Place::Status)), Some(Place::Status));
        assert_eq!(of_finding(None, &Finding::new("c", "o", "m")), None);
    }

    #[test]
    fn a_state_that_is_wrong_shows_in_the_field_of_the_state() {
        let contracts = contracts();
        let finding = Finding::new("c", "shop.read", "m").at(Place::body(Message::Response)).compare("OPEN", json!("SENT"));
        assert_eq!(of_finding(contracts.operation("shop.read"), &finding), Some(value("/state")));
        let other = Finding { got: Some(json!(1)), ..finding };
        assert_eq!(of_finding(contracts.operation("shop.read"), &other), other.at);
    }

    #[test]
    fn a_place_touches_its_parts_and_not_its_neighbours() {
        assert!(touch(&value("/a"), &value("/a/b")) && touch(&value("/a/b"), &value("/a")));
        assert!(!touch(&value("/a"), &value("/ab")) && !touch(&value("/a"), &value("/b")));
        for whole in [Place::body(Message::Response), value("")] {
            assert!(!touch(&whole, &value("/a")), "what is said of the whole is not said of each part");
            assert!(touch(&whole, &whole));
        }
        let (response, notification) = (Place::Whole(Message::Response), Place::value(Message::Notification, "/x"));
        assert!(touch(&response, &value("/a")) && touch(&Place::Whole(Message::Notification), &notification));
        assert!(!touch(&response, &notification));
    }
}
