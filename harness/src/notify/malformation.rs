//! Notifications that the documents don't know: each is a true one, broken in one way.

use serde_json::{Map, Value};

use super::letter::{Letter, Pace, coding, state_field};
use super::route::told_states;
use crate::contract::{Expected, Operation, Violation, violations};
use crate::exchange::{Coding, encode_form};

/// One way to break a notification.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Malformation {
    /// A field that breaks the schema.
    Violation(Box<Violation>),
    /// Bytes that are not UTF-8 (in a form also an escape that is none).
    BrokenEncoding,
    /// Half of the body, sent as if it were whole.
    Truncated,
    /// Half of the body, then the connection ends.
    CutOff,
    /// No body.
    Empty,
    /// The right body under another media type.
    OtherMediaType,
    /// Another method, without a body.
    OtherMethod,
    /// The state is told twice, differently.
    RepeatedKey,
}

/// Every way to break this notification.
pub(super) fn all(notification: &Operation) -> Vec<Malformation> {
    let broken = violations(notification).into_iter().filter(|violation| violation.expected != Expected::Accepted);
    let whole = [
        Malformation::BrokenEncoding,
        Malformation::Truncated,
        Malformation::CutOff,
        Malformation::Empty,
        Malformation::OtherMediaType,
        Malformation::OtherMethod,
        Malformation::RepeatedKey,
    ];
    broken.map(|violation| Malformation::Violation(Box::new(violation))).chain(whole).collect()
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
    /// The true notification with these fields, broken.
    pub(super) fn applied(&self, notification: &Operation, fields: &Map<String, Value>) -> Letter {
        let whole = Letter::of(notification, fields);
        let half = whole.body.len() / 2;
        match self {
            Self::Violation(violation) => Letter::of(notification, &violated(violation, fields)),
            Self::BrokenEncoding => Letter { body: appended(notification, &whole.body, b"note=%zz%ff", b"\"note\":\"\xff\""), ..whole },
            Self::Truncated => Letter { body: whole.body.into_iter().take(half).collect(), ..whole },
            Self::CutOff => Letter { pace: Pace::CutOff, ..whole },
            Self::Empty => Letter { body: Vec::new(), ..whole },
            Self::OtherMediaType => Letter { media_type: Some("text/plain".to_owned()), ..whole },
            Self::OtherMethod => Letter { method: "GET".to_owned(), media_type: None, body: Vec::new(), pace: Pace::AtOnce },
            Self::RepeatedKey => Letter { body: repeated(notification, &whole.body, fields), ..whole },
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
    let told = fields.get(field).and_then(Value::as_str).unwrap_or_default();
    let other = told_states(notification).into_iter().find(|state| state != told).unwrap_or_default();
    let json = format!("{}:{}", Value::from(field), Value::from(other.as_str()));
    appended(notification, body, encode_form([(field, other.as_str())]).as_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Contracts, Files};
    use crate::exchange::Decoded;

    #[test]
    fn no_malformed_notification_conforms() {
        let contracts = Contracts::read(&Files::contracts()).unwrap();
        for notification in contracts.notifications.values() {
            let mut fields = notification.example();
            fields.extend([("merchant".to_owned(), "7".into()), ("secret".to_owned(), "s".into())]);
            let all = all(notification);
            assert!(all.len() > 15, "{}", all.len());
            for malformation in all {
                let letter = malformation.applied(notification, &fields);
                assert!(!is_documented(notification, &letter), "{} {malformation}", notification.id);
            }
        }
    }

    fn is_documented(notification: &Operation, letter: &Letter) -> bool {
        let content = notification.request.as_ref().unwrap();
        let form = letter.method == notification.method
            && letter.media_type.as_deref() == Some(content.media_type.as_str())
            && letter.pace == Pace::AtOnce;
        match Decoded::of(content.coding, &letter.body) {
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
