//! A notification, written from contract data and from what the status call tells: the inverse of
//! `x-agrees-with` and `x-echoes`.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::contract::{Content, EchoSource, Expression, Operation, text_of};
use crate::exchange::Coding;
use crate::target::Credential;
use crate::transport::encode;

/// What a notification is written from.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The identifier of the resource.
    pub(super) id: String,
    /// The fields that created it.
    pub(super) sent: Map<String, Value>,
    /// What the status call answers about it.
    pub(super) told: Value,
}

/// A notification as bytes, and how they are sent.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    /// The HTTP method.
    pub(super) method: String,
    /// The content type; none is sent without a body.
    pub(super) media_type: Option<String>,
    /// The body.
    pub(super) body: Vec<u8>,
    /// How the body is sent.
    pub(super) pace: Pace,
}

/// How a body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Whole.
    AtOnce,
    /// In pieces, spread over this time.
    Trickled(Duration),
    /// Half of it, then the connection ends.
    CutOff,
}

impl Letter {
    /// The documented form of these fields.
    pub(super) fn of(notification: &Operation, fields: &Map<String, Value>) -> Self {
        let (media_type, body) = encode(notification.request.as_ref(), fields);
        Self { method: notification.method.clone(), media_type: media_type.map(str::to_owned), body: body.into_bytes(), pace: Pace::AtOnce }
    }
}

/// The field of a notification that names its resource.
pub(super) fn id_field(notification: &Operation) -> Option<&str> {
    field_of(&notification.shows.as_ref()?.about.id)
}

/// The field of a notification that tells the state.
pub(super) fn state_field(notification: &Operation) -> Option<&str> {
    field_of(&notification.shows.as_ref()?.state)
}

fn field_of(place: &Expression) -> Option<&str> {
    match place {
        Expression::RequestBody(pointer) => pointer.strip_prefix('/'),
        Expression::RequestPath(_) | Expression::RequestQuery(_) | Expression::ResponseBody(_) => None,
    }
}

/// How the notification is coded.
pub(super) fn coding(notification: &Operation) -> Coding {
    notification.request.as_ref().map_or(Coding::Other, |content| content.coding)
}

/// The fields of a true notification, in the order of its contract. The error says what the contract lacks.
pub(super) fn fields(notification: &Operation, credential: &Credential, facts: &Facts) -> Result<Map<String, Value>, String> {
    let content = notification.request.as_ref().ok_or("the notification has no body in the contract")?;
    let properties = content.schema.expanded.get("properties").and_then(Value::as_object).into_iter().flatten();
    let told = properties.filter_map(|(name, schema)| Some((name.clone(), value(notification, credential, facts, name, schema)?)));
    conforming(content, told.collect())
}

fn value(notification: &Operation, credential: &Credential, facts: &Facts, name: &str, schema: &Value) -> Option<Value> {
    if let Some(part) = notification.credentials.fields.get(name) {
        return credential.get(part).map(|part| Value::String(part.clone()));
    }
    let agreement = notification.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref());
    let answered = agreement.and_then(|a| a.fields.get(name)).and_then(|field| facts.told.get(field)).filter(|v| !v.is_null());
    let echo = notification.echoes.iter().find(|echo| echo.pointer.strip_prefix('/') == Some(name)).map(|echo| &echo.from);
    let sent = match echo {
        Some(EchoSource::Creation(field)) => facts.sent.get(field),
        Some(EchoSource::Request(_)) | None => None,
    };
    let value = answered.or(sent)?;
    let is_text = schema.get("type").and_then(Value::as_str) == Some("string") || schema.get("enum").is_some();
    if is_text { text_of(value).map(Value::String) } else { Some(value.clone()) }
}

/// Without those optional fields that don't go together: what the status call has no word for can't be told.
fn conforming(content: &Content, mut fields: Map<String, Value>) -> Result<Map<String, Value>, String> {
    loop {
        let faults = content.schema.faults(&Value::Object(fields.clone())).len();
        if faults == 0 {
            return Ok(fields);
        }
        let better = fields.keys().find(|name| {
            let mut without = fields.clone();
            without.shift_remove(*name);
            content.schema.faults(&Value::Object(without)).len() < faults
        });
        match better.cloned() {
            Some(name) => _ = fields.shift_remove(&name),
            None => return Err("the contract does not tell how to write a conforming notification".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Contracts, Files};
    use serde_json::json;

    #[test]
    fn a_notification_is_written_from_the_contract() {
        let contracts = Contracts::read(&Files::contracts()).unwrap();
        let notification = contracts.notifications.get("gateway.v1.notification").unwrap();
        let credential = Credential::from([("merchant".into(), "7".into()), ("secret".into(), "s".into())]);
        let told = json!({
            "code": 0, "transId": "T", "test": "true", "price": "100", "curr": "CZK", "label": "l", "refId": "r", "email": "e",
            "status": "PAID", "payerName": "P", "threeDSApplied": true, "threeDSPreference": "SKIP"
        });
        let sent = json!({"fullName": "F", "price": 100}).as_object().cloned().unwrap();
        let fields = fields(notification, &credential, &Facts { id: "T".into(), sent, told }).unwrap();
        assert_eq!((&fields["secret"], &fields["payer_name"], &fields["full_name"]), (&json!("s"), &json!("P"), &json!("F")));
        assert!(!fields.contains_key("threeDSApplied"), "the words of its companion are not told by the status call");
        assert!(String::from_utf8(Letter::of(notification, &fields).body).unwrap().starts_with("transId=T&merchant=7&test=true"));
    }
}
