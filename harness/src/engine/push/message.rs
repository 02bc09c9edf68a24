//! Writes a notification from the contract and from what the status call reports: the inverse of `x-agrees-with` and
//! `x-echoes`.

use std::time::Duration;

use serde_json::{Map, Value};

use super::error::PushError;
use crate::engine::request::encode;
use crate::spec::contract::{Content, EchoSource, Operation};
use crate::spec::target::Credential;
use crate::wire::exchange::Coding;
use crate::wire::expression::{RuntimeExpression, text_of};

/// A resource, as far as a notification reports it.
#[derive(Clone, Debug)]
pub(crate) struct ResourceFacts {
    /// The identifier of the resource.
    pub(crate) id: String,
    /// The fields of the request that created it.
    pub(crate) creation: Map<String, Value>,
    /// The response of the status call.
    pub(crate) status: Value,
}

/// A notification as bytes, and how they are sent.
#[derive(Clone, Debug)]
pub(crate) struct PushMessage {
    /// The HTTP method.
    pub(crate) method: String,
    /// The content type; none is sent without a body.
    pub(crate) media_type: Option<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// How the body is sent.
    pub(crate) pace: Pace,
}

/// The pace at which a body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// At once.
    AtOnce,
    /// In pieces, spread over this time.
    Trickled(Duration),
    /// Half of it, then the connection ends.
    CutOff,
}

impl PushMessage {
    /// The documented notification with these fields.
    pub(crate) fn from_fields(notification: &Operation, fields: &Map<String, Value>) -> Self {
        let (media_type, body) = encode(notification.request.as_ref(), fields);
        Self { method: notification.method.clone(), media_type: media_type.map(str::to_owned), body: body.into_bytes(), pace: Pace::AtOnce }
    }
}

/// The field of a notification that identifies the resource.
pub(crate) fn id_field(notification: &Operation) -> Option<&str> {
    body_field(&notification.shows.as_ref()?.about.id)
}

/// The field of a notification that reports the state.
pub(crate) fn state_field(notification: &Operation) -> Option<&str> {
    body_field(&notification.shows.as_ref()?.state)
}

fn body_field(place: &RuntimeExpression) -> Option<&str> {
    match place {
        RuntimeExpression::RequestBody(pointer) => pointer.strip_prefix('/'),
        RuntimeExpression::RequestPath(_) | RuntimeExpression::RequestQuery(_) | RuntimeExpression::ResponseBody(_) => None,
    }
}

/// The coding of the body.
pub(crate) fn coding(notification: &Operation) -> Coding {
    notification.request.as_ref().map_or(Coding::Other, |content| content.coding)
}

/// The fields of a conforming notification, in the order of its contract.
pub(crate) fn fields(notification: &Operation, credential: &Credential, facts: &ResourceFacts) -> Result<Map<String, Value>, PushError> {
    let content = notification.request.as_ref().ok_or(PushError::NoBody)?;
    let properties = content.schema.expanded.get("properties").and_then(Value::as_object).into_iter().flatten();
    let fields = properties.filter_map(|(name, schema)| Some((name.clone(), value(notification, credential, facts, name, schema)?)));
    conforming(content, fields.collect())
}

fn value(notification: &Operation, credential: &Credential, facts: &ResourceFacts, name: &str, schema: &Value) -> Option<Value> {
    if let Some(part) = notification.credentials.fields.get(name) {
        return credential.get(part).map(|part| Value::String(part.clone()));
    }
    let agreement = notification.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref());
    let reported = agreement.and_then(|a| a.fields.get(name)).and_then(|field| facts.status.get(field)).filter(|v| !v.is_null());
    let echo = notification.echoes.iter().find(|echo| echo.pointer.strip_prefix('/') == Some(name)).map(|echo| &echo.from);
    let sent = match echo {
        Some(EchoSource::Creation(field)) => facts.creation.get(field),
        Some(EchoSource::Request(_)) | None => None,
    };
    let value = reported.or(sent)?;
    let is_text = schema.get("type").and_then(Value::as_str) == Some("string") || schema.get("enum").is_some();
    if is_text { text_of(value).map(Value::String) } else { Some(value.clone()) }
}

/// Drops optional fields until the rest conforms: some need a companion that the status call does not report.
fn conforming(content: &Content, mut fields: Map<String, Value>) -> Result<Map<String, Value>, PushError> {
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
            None => return Err(PushError::NotConforming),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::contract::Contracts;
    use serde_json::json;

    #[test]
    fn a_notification_is_written_from_the_contract() {
        let contracts = Contracts::shipped();
        let notification = contracts.notifications.get("gateway.v1.notification").unwrap();
        let credential = Credential::from([("merchant".into(), "7".into()), ("secret".into(), "s".into())]);
        let status = json!({
            "code": 0, "transId": "T", "test": "true", "price": "100", "curr": "CZK", "label": "l", "refId": "r", "email": "e",
            "status": "PAID", "payerName": "P", "threeDSApplied": true, "threeDSPreference": "SKIP"
        });
        let creation = json!({"fullName": "F", "price": 100}).as_object().cloned().unwrap();
        let fields = fields(notification, &credential, &ResourceFacts { id: "T".into(), creation, status }).unwrap();
        assert_eq!((&fields["secret"], &fields["payer_name"], &fields["full_name"]), (&json!("s"), &json!("P"), &json!("F")));
        assert!(!fields.contains_key("threeDSApplied"), "the status call does not report its companion");
        assert!(
            String::from_utf8(PushMessage::from_fields(notification, &fields).body).unwrap().starts_with("transId=T&merchant=7&test=true")
        );
    }
}
