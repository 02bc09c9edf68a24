//! Where something is wrong, may differ, or is changed. Findings, allowances, mutants, differences and the results of fuzzing all
//! use places.
//!
//! A place is compared and shown, and never parsed from its text. A file holds the text for its readers; a program that needs the
//! place itself writes the derived form beside it (tapes do). A place of which only the text is known is [`Place::Verbatim`].

use std::fmt;

use serde::{Deserialize, Serialize};

use super::file_position::FilePosition;
use super::pointer::{self, Pointer};

/// One of the messages of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// What is sent to the target.
    Request,
    /// What the target returns.
    Response,
    /// What the target sends on its own initiative.
    Notification,
}

/// A place in an exchange, or around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A message as a whole: it is missing, cut off, late, or should not be there.
    Whole(Message),
    /// The HTTP status of the response.
    Status,
    /// A header.
    Header {
        /// Of which message.
        message: Message,
        /// Its lower-case name.
        name: String,
    },
    /// The body or a part of it.
    Body {
        /// Of which message.
        message: Message,
        /// The JSON Pointer into the decoded body; none for the body as bytes.
        pointer: Option<Pointer>,
        /// The position in the file.
        #[serde(default, skip_serializing_if = "FilePosition::is_whole")]
        position: FilePosition,
    },
    /// A call as a whole: whether it is sent.
    Call,
    /// The connection: whether it can be made.
    Connection,
    /// Whether, when and how often a notification arrives.
    Delivery,
    /// The response to a notification that was acknowledged before.
    Redelivery,
    /// What a merchant hands over.
    Goods,
    /// The health of the target.
    Health,
    /// A field of the world's response to an action.
    World(Pointer),
    /// A text that was read from a file.
    Verbatim(String),
}

impl Place {
    /// A header, by its lower-case name.
    pub fn header(message: Message, name: impl Into<String>) -> Self {
        Self::Header { message, name: name.into() }
    }

    /// The body as it is written.
    pub fn body(message: Message) -> Self {
        Self::Body { message, pointer: None, position: FilePosition::whole() }
    }

    /// A part of the decoded body.
    pub fn value(message: Message, pointer: impl Into<Pointer>) -> Self {
        Self::Body { message, pointer: Some(pointer.into()), position: FilePosition::whole() }
    }

    /// A field of the decoded body, by its name.
    pub fn field(message: Message, name: &str) -> Self {
        Self::value(message, pointer::field("", name))
    }

    /// Adds the position in a file.
    #[must_use]
    pub fn in_file(self, found: FilePosition) -> Self {
        match self {
            Self::Body { message, pointer, .. } => Self::Body { message, pointer, position: found },
            other => other,
        }
    }

    /// The JSON Pointer to the part that is meant; none where it is no part of a value.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Body { pointer, .. } => pointer.as_ref().map(Pointer::as_str),
            Self::World(pointer) => Some(pointer.as_str()),
            Self::Whole(_)
            | Self::Status
            | Self::Header { .. }
            | Self::Call
            | Self::Connection
            | Self::Delivery
            | Self::Redelivery
            | Self::Goods
            | Self::Health
            | Self::Verbatim(_) => None,
        }
    }

    /// The same place in every response: each index becomes "every item", and file positions are dropped.
    #[must_use]
    pub fn general(&self) -> Self {
        match self {
            Self::Body { message, pointer, .. } => {
                Self::Body { message: *message, pointer: pointer.as_ref().map(Pointer::general), position: FilePosition::whole() }
            }
            Self::World(pointer) => Self::World(pointer.general()),
            other => other.clone(),
        }
    }

    /// What findings of one cause have in common: the general place, and whether it has a file position.
    #[must_use]
    pub fn cause(&self) -> Self {
        match self {
            Self::Body { position, .. } if !position.is_whole() => self.general().in_file(FilePosition::any()),
            other => other.general(),
        }
    }

    /// Whether a statement about this place also applies to the other one: it is the same place or a part of it.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Whole(whole), part) => part.message() == Some(*whole),
            (
                Self::Body { message, pointer, position },
                Self::Body { message: other_message, pointer: inner, position: other_position },
            ) => {
                message == other_message
                    && match (pointer, inner) {
                        (Some(outer), Some(inner)) => pointer::covers(outer.as_str(), inner.as_str()),
                        (Some(_), None) => false,
                        (None, _) => position.is_whole() || (inner.is_none() && position == other_position),
                    }
            }
            (Self::World(outer), Self::World(inner)) => pointer::covers(outer.as_str(), inner.as_str()),
            _ => self == other,
        }
    }

    /// The message that the place belongs to.
    pub fn message(&self) -> Option<Message> {
        match self {
            Self::Whole(message) | Self::Header { message, .. } | Self::Body { message, .. } => Some(*message),
            Self::Status => Some(Message::Response),
            Self::Call
            | Self::Connection
            | Self::Delivery
            | Self::Redelivery
            | Self::Goods
            | Self::Health
            | Self::World(_)
            | Self::Verbatim(_) => None,
        }
    }

    /// The place within its message, as `x-free` and the results of `mutate` name it: `/price`, `HTTP status`,
    /// `header content-type`, `body`.
    pub fn within_message(&self) -> impl fmt::Display + '_ {
        WithinMessage(self)
    }
}

struct WithinMessage<'p>(&'p Place);

impl fmt::Display for WithinMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Place::Status => f.write_str("HTTP status"),
            Place::Header { name, .. } => write!(f, "header {name}"),
            Place::Body { pointer: None, .. } => f.write_str("body"),
            Place::Body { pointer: Some(pointer), .. } => pointer.fmt(f),
            other => other.fmt(f),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Notification => "notification",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(message) => message.fmt(f),
            Self::Status => f.write_str("response HTTP status"),
            Self::Header { message, name } => write!(f, "{message} header {name}"),
            Self::Body { message, pointer, position } => {
                write!(f, "{message} body")?;
                match pointer.as_ref().map(Pointer::as_str) {
                    None | Some("") => {}
                    Some(pointer) => write!(f, " {pointer}")?,
                }
                if position.is_whole() { Ok(()) } else { write!(f, ", {position}") }
            }
            Self::Call => f.write_str("call"),
            Self::Connection => f.write_str("connection"),
            Self::Delivery => f.write_str("delivery"),
            Self::Redelivery => f.write_str("response, to what was acknowledged before"),
            Self::Goods => f.write_str("goods"),
            Self::Health => f.write_str("health"),
            Self::World(pointer) => pointer.fmt(f),
            Self::Verbatim(text) => f.write_str(text),
        }
    }
}

/// Serialises a place as its text. Deserialising yields [`Place::Verbatim`].
pub(crate) mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Place;

    #[allow(clippy::ref_option, reason = "serde asks for it")]
    pub(crate) fn serialize<S: Serializer>(place: &Option<Place>, serializer: S) -> Result<S::Ok, S::Error> {
        match place {
            Some(place) => serializer.collect_str(place),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Place>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map(Place::Verbatim))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn in_line(pointer: &str, line: usize) -> Place {
        Place::value(Message::Response, pointer).in_file(FilePosition::line(line).column(4))
    }

    #[test]
    fn a_place_is_shown_in_the_words_of_a_report() {
        for (place, shown) in [
            (Place::Whole(Message::Response), "response"),
            (Place::Status, "response HTTP status"),
            (Place::header(Message::Notification, "content-type"), "notification header content-type"),
            (Place::body(Message::Response), "response body"),
            (Place::field(Message::Request, "a/b"), "request body /a~1b"),
            (in_line("/rows/17/Amount", 19), "response body /rows/17/Amount, line 19, column 4"),
            (Place::body(Message::Response).in_file(FilePosition::byte(8)), "response body, byte 8"),
            (Place::World("/price".into()), "/price"),
            (Place::Redelivery, "response, to what was acknowledged before"),
        ] {
            assert_eq!(place.to_string(), shown);
        }
    }

    #[test]
    fn within_its_message_a_place_has_the_name_that_contracts_use() {
        for (place, name) in [
            (Place::Status, "HTTP status"),
            (Place::header(Message::Response, "server"), "header server"),
            (Place::body(Message::Notification), "body"),
            (Place::value(Message::Response, ""), ""),
            (Place::value(Message::Response, "/rows/*/price"), "/rows/*/price"),
            (Place::Delivery, "delivery"),
        ] {
            assert_eq!(place.within_message().to_string(), name);
        }
    }

    #[test]
    fn which_item_and_which_line_is_no_part_of_a_cause() {
        assert_eq!(in_line("/rows/17/Částka 2", 19).cause(), in_line("/rows/3/Částka 2", 5).cause());
        assert_ne!(in_line("/rows/17/Částka 2", 19).cause(), in_line("/rows/17/Částka 3", 19).cause());
        assert_ne!(Place::body(Message::Response).in_file(FilePosition::byte(3)).cause(), Place::body(Message::Response).cause());
        assert_eq!(in_line("/rows/17/price", 19).general().to_string(), "response body /rows/*/price");
    }

    #[test]
    fn a_place_covers_its_parts_and_not_its_neighbours() {
        let value = |pointer: &str| Place::value(Message::Response, pointer);
        assert!(value("/a").covers(&value("/a/b")) && !value("/a/b").covers(&value("/a")) && !value("/a").covers(&value("/ab")));
        assert!(Place::body(Message::Response).covers(&value("/a")) && !value("").covers(&Place::body(Message::Response)));
        assert!(Place::Whole(Message::Response).covers(&value("/a")) && Place::Whole(Message::Response).covers(&Place::Status));
        assert!(!Place::Whole(Message::Response).covers(&Place::body(Message::Notification)));
        assert!(!Place::Status.covers(&Place::header(Message::Response, "server")));
        let cut = Place::body(Message::Response).in_file(FilePosition::byte(3));
        assert!(!cut.covers(&value("/a")) && cut.covers(&cut));
    }

    #[test]
    fn a_file_holds_the_text_or_the_place() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Held {
            #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
            at: Option<Place>,
        }
        let held = Held { at: Some(in_line("/rows/0", 2)) };
        let text = serde_json::to_string(&held).unwrap();
        assert_eq!(text, r#"{"at":"response body /rows/0, line 2, column 4"}"#);
        let read: Held = serde_json::from_str(&text).unwrap();
        assert_eq!(read.at, Some(Place::Verbatim("response body /rows/0, line 2, column 4".to_owned())));
        assert_eq!(serde_json::from_str::<Held>("{}").unwrap(), Held { at: None });
    }

    fn any_place() -> impl Strategy<Value = Place> {
        let message = prop_oneof![Just(Message::Request), Just(Message::Response), Just(Message::Notification)];
        let pointer = || "(/[a-c0-9]{1,2}){0,3}";
        prop_oneof![
            message.clone().prop_map(Place::Whole),
            Just(Place::Status),
            Just(Place::Delivery),
            Just(Place::Health),
            (message.clone(), "[a-z]{1,3}").prop_map(|(message, name)| Place::header(message, name)),
            message.clone().prop_map(Place::body),
            pointer().prop_map(|pointer| Place::World(pointer.into())),
            (message, pointer(), proptest::option::of(1..9usize)).prop_map(|(message, pointer, line)| {
                let place = Place::value(message, pointer);
                line.map_or(place.clone(), |line| place.in_file(FilePosition::line(line)))
            }),
        ]
    }

    proptest! {
        #[test]
        fn a_cause_is_its_own_cause_and_a_derived_form_is_read_back(place in any_place()) {
            prop_assert_eq!(place.cause().cause(), place.cause());
            prop_assert_eq!(place.general().general(), place.general());
            let written = serde_json::to_string(&place).unwrap();
            prop_assert_eq!(serde_json::from_str::<Place>(&written).unwrap(), place);
        }

        #[test]
        fn what_a_place_covers_shows_as_a_part_of_it(one in any_place(), other in any_place()) {
            prop_assert!(one.covers(&one));
            if one.covers(&other) && other.covers(&one) {
                prop_assert_eq!(one.general(), other.general());
            }
            if let (true, Place::Body { pointer: Some(_), .. }) = (one.covers(&other), &one) {
                prop_assert!(other.general().to_string().starts_with(&one.general().to_string()));
            }
            if one == other {
                prop_assert_eq!(one.to_string(), other.to_string());
            }
        }
    }
}
