//! Malformed notifications: each is a conforming one, broken in one way.

use serde_json::{Map, Value};

use crate::engine::push::message::{Pace, PushMessage, coding, state_field};
use crate::engine::push::route::reported_states;
use crate::spec::contract::{Expected, Operation, Violation, violations};
use crate::wire::exchange::{Coding, encode_form};

/// One way to break a notification.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Malformation {
    /// A field that breaks the schema.
    Violation(Box<Violation>),
    /// Bytes that are not UTF-8, and in a form also a broken escape.
    BrokenEncoding,
    /// Half of the body, with a length that fits it.
    Truncated,
    /// Half of the body, then the connection ends.
    CutOff,
    /// No body.
    Empty,
    /// The right body under another media type.
    OtherMediaType,
    /// Another method, without a body.
    OtherMethod,
    /// Two different states.
    RepeatedKey,
}

/// Every way to break this notification.
pub(super) fn malformations(notification: &Operation) -> Vec<Malformation> {
    let broken = violations(notification).into_iter().filter(|violation| violation.expected != Expected::Accepted);
    let of_the_message = [
        Malformation::BrokenEncoding,
        Malformation::Truncated,
        Malformation::CutOff,
        Malformation::Empty,
        Malformation::OtherMediaType,
        Malformation::OtherMethod,
        Malformation::RepeatedKey,
    ];
    broken.map(|violation| Malformation::Violation(Box::new(violation))).chain(of_the_message).collect()
}

/// The ways that leave the state of the payment unknown.
pub(super) fn of_the_state(notification: &Operation) -> Vec<Malformation> {
    let field = state_field(notification).unwrap_or_default();
    let is_about_it = |malformation: &Malformation| match malformation {
        Malformation::Violation(violation) => violation.set.contains_key(field) || violation.remove.iter().any(|name| name == field),
        other => *other == Malformation::RepeatedKey,
    };
    malformations(notification).into_iter().filter(is_about_it).collect()
}

impl std::fmt::Display for Malformation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Violation(violation) => &violation.name,
            Self::BrokenEncoding => "an encoding that is broken",
            Self::Truncated => "half a body",
            Self::CutOff => "half a body, then the connection ends",
            Self::Empty => "no body",
            Self::OtherMediaType => "another media type",
            Self::OtherMethod => "another method",
            Self::RepeatedKey => "a repeated key",
        })
    }
}

impl Malformation {
    /// The notification with these fields, broken.
    pub(super) fn apply(&self, notification: &Operation, fields: &Map<String, Value>) -> PushMessage {
        let conforming = PushMessage::from_fields(notification, fields);
        let half = conforming.body.len() / 2;
        match self {
            Self::Violation(violation) => PushMessage::from_fields(notification, &violated(violation, fields)),
            Self::BrokenEncoding => {
                PushMessage { body: appended(notification, &conforming.body, b"note=%zz%ff", b"\"note\":\"\xff\""), ..conforming }
            }
            Self::Truncated => PushMessage { body: conforming.body.into_iter().take(half).collect(), ..conforming },
            Self::CutOff => PushMessage { pace: Pace::CutOff, ..conforming },
            Self::Empty => PushMessage { body: Vec::new(), ..conforming },
            Self::OtherMediaType => PushMessage { media_type: Some("text/plain".to_owned()), ..conforming },
            Self::OtherMethod => PushMessage { method: "GET".to_owned(), media_type: None, body: Vec::new(), pace: Pace::AtOnce },
            Self::RepeatedKey => PushMessage { body: repeated(notification, &conforming.body, fields), ..conforming },
        }
    }
}

fn violated(violation: &Violation, fields: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = fields.clone();
    fields.extend(violation.set.clone());
    fields.retain(|name, _| !violation.remove.contains(name));
    fields
}

/// The body with one more pair, in the coding of the notification.
fn appended(notification: &Operation, body: &[u8], form: &[u8], json: &[u8]) -> Vec<u8> {
    match coding(notification) {
        Coding::Json => [body.strip_suffix(b"}").unwrap_or(body), b",", json, b"}"].concat(),
        Coding::Form | Coding::Other => [body, b"&", form].concat(),
    }
}

fn repeated(notification: &Operation, body: &[u8], fields: &Map<String, Value>) -> Vec<u8> {
    let field = state_field(notification).unwrap_or_default();
    let state = fields.get(field).and_then(Value::as_str).unwrap_or_default();
    let other = reported_states(notification).into_iter().find(|other| other != state).unwrap_or_default();
    let json = format!("{}:{}", Value::from(field), Value::from(other.as_str()));
    appended(notification, body, encode_form([(field, other.as_str())]).as_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::contract::Contracts;
    use crate::wire::exchange::Decoded;

    #[test]
    fn no_malformed_notification_conforms() {
        let contracts = Contracts::shipped();
        for notification in contracts.notifications.values() {
            let mut fields = notification.example();
            fields.extend([("merchant".to_owned(), "7".into()), ("secret".to_owned(), "s".into())]);
            let all = malformations(notification);
            assert!(all.len() > 15, "{}", all.len());
            for malformation in all {
                let message = malformation.apply(notification, &fields);
                assert!(!is_documented(notification, &message), "{} {malformation}", notification.id);
            }
        }
    }

    #[test]
    fn a_state_may_be_missing_repeated_or_none() {
        let contracts = Contracts::shipped();
        for notification in contracts.notifications.values() {
            let names: Vec<_> = of_the_state(notification).iter().map(Malformation::to_string).collect();
            for name in ["status: absent", "a repeated key"] {
                assert!(names.iter().any(|known| known == name), "{names:?}");
            }
            assert!(names.len() < malformations(notification).len() / 2, "{names:?}");
        }
    }

    fn is_documented(notification: &Operation, message: &PushMessage) -> bool {
        let content = notification.request.as_ref().unwrap();
        let form = message.method == notification.method
            && message.media_type.as_deref() == Some(content.media_type.as_str())
            && message.pace == Pace::AtOnce;
        match Decoded::decode(content.coding, &message.body) {
            Decoded::Value(Value::Object(mut fields), faults) => {
                if content.coding == Coding::Form {
                    content.schema.read_form(&mut fields);
                }
                form && faults.is_empty() && content.schema.accepts(&Value::Object(fields))
            }
            Decoded::Value(..) | Decoded::Empty | Decoded::Opaque | Decoded::Unreadable(_) => false,
        }
    }
}
