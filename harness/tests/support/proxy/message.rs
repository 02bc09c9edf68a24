//! A body with its head, taken apart so that it can be changed.

use base64::Engine as _;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::Asked;

/// A body with its head.
#[derive(Clone, PartialEq)]
pub struct Message {
    /// HTTP status; of a notification, what the gateway is told in the end (0 = what the inbox says).
    pub status: u16,
    pub headers: HeaderMap,
    /// The body's fields, in order.
    pub fields: Map<String, Value>,
    /// The body as it is, instead of the fields.
    pub raw: Option<Vec<u8>>,
    pub ending: Ending,
    form: bool,
}

/// How an answer ends.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Ending {
    #[default]
    Whole,
    /// In pieces of unknown number.
    Chunked,
    /// In the middle.
    Cut,
    /// Before it began.
    Reset,
    /// Never.
    Never,
}

impl Message {
    /// A field as text; empty if it is not there.
    pub fn get(&self, field: &str) -> String {
        text_of(self.fields.get(field))
    }

    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Whether it says that the call succeeded.
    pub fn succeeds(&self) -> bool {
        self.get("code") == "0"
    }

    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }

    pub fn remove(&mut self, field: &str) {
        self.fields.shift_remove(field);
    }

    /// Sets a field that is there.
    pub fn replace(&mut self, field: &str, value: impl Into<Value>) {
        if self.has(field) {
            self.set(field, value);
        }
    }

    pub fn raw(&mut self, bytes: impl Into<Vec<u8>>) {
        self.raw = Some(bytes.into());
    }

    pub fn header(&mut self, name: &'static str, value: &str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }

    /// The body's bytes as they are now.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.raw {
            Some(bytes) => bytes.clone(),
            None if self.form => form(&self.fields).into_bytes(),
            None => Value::Object(self.fields.clone()).to_string().into_bytes(),
        }
    }

    pub fn body_text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    /// Turns a refusal into a success: what a gateway without the rule would answer.
    pub fn accept(&mut self) {
        self.status = 200;
        self.set("code", 0);
        self.set("message", "OK");
    }

    /// The same for a creation.
    pub fn accept_creation(&mut self) {
        self.accept();
        self.set("transId", "ZZZZ-0000-0001");
        self.set("redirect", "http://pay.example/ZZZZ-0000-0001");
    }

    /// A payment's status that was never asked for.
    pub fn accept_status(&mut self, trans_id: &str) {
        self.accept();
        let record = json!({
            "test": "true", "price": "10000", "curr": "CZK", "label": "Beach ball", "refId": "order-1001",
            "email": "payer@example.com", "transId": trans_id, "status": "PENDING",
        });
        self.fields.extend(record.as_object().unwrap().clone());
    }

    /// Answers as a target does that has nothing against anything. Transfers can't be made up here.
    pub fn grant(&mut self, asked: &Asked<'_>) {
        match asked.operation {
            _ if self.fulfils() || asked.of("transfers") => {}
            _ if asked.of("qr") || asked.of("device") => self.becomes_an_answer(&asked.sound()),
            "gateway.v1.create" | "gateway.v2.create" | "gateway.v1.recurring" | "gateway.v2.recurring" => self.accept_creation(),
            "terminal.create" | "terminal.refund.create" => self.accept_creation(),
            "gateway.v1.status" | "gateway.v2.status" => self.accept_status(&asked.text("transId")),
            "terminal.status" | "terminal.refund.status" => self.accept_terminal_status(&asked.text("transId")),
            "terminal.closing" => self.accept_closing(),
            _ => self.accept(),
        }
    }

    /// Answers as a target does that does nothing for anybody.
    pub fn deny(&mut self, asked: &Asked<'_>) {
        if self.succeeds() {
            self.refuse(1400);
        } else if asked.of("transfers") {
            self.becomes_an_error(404);
        } else if self.fulfils() && (asked.of("qr") || asked.of("device")) {
            self.objects(asked, 400, "INVALID_REQUEST");
        }
    }

    /// Becomes a success with these fields.
    pub fn becomes_an_answer(&mut self, fields: &Value) {
        self.status = 200;
        self.raw = None;
        self.header("content-type", "application/json");
        self.fields = fields.as_object().unwrap().clone();
    }

    /// Becomes an error of document 3; the QR API has no codes.
    pub fn objects(&mut self, asked: &Asked<'_>, status: u16, code: &str) {
        self.becomes_an_answer(&json!({"errorMessage": "refused"}));
        self.status = status;
        if asked.of("device") {
            self.set("errorCode", code);
        }
    }

    /// An error of document 3.
    pub fn objection(asked: &Asked<'_>, status: u16, code: &str) -> Self {
        let mut message = Self::json(status, json!({}));
        message.objects(asked, status, code);
        message
    }

    /// A success with these fields.
    pub fn granted(fields: Value) -> Self {
        Self::json(200, fields)
    }

    /// The status of a terminal payment or refund that was never asked for.
    pub fn accept_terminal_status(&mut self, trans_id: &str) {
        self.accept();
        let record = json!({
            "price": "10000", "curr": "CZK", "refId": "2026000123", "transId": trans_id, "status": "PENDING", "reversed": false,
        });
        self.fields.extend(record.as_object().unwrap().clone());
    }

    /// A closing that was not asked for by whom it may be.
    pub fn accept_closing(&mut self) {
        self.accept();
        self.set("batchNumber", 1);
        self.set("batchData", json!([]));
    }

    /// Turns a success into an error.
    pub fn refuse(&mut self, code: i64) {
        self.fields = Map::from_iter([("code".to_owned(), code.into()), ("message".to_owned(), "refused".into())]);
    }

    /// Whether it answers what was asked for: by HTTP status, and by code where it has one.
    pub fn fulfils(&self) -> bool {
        (200..300).contains(&self.status) && (!self.has("code") || self.succeeds())
    }

    /// An error that tells nothing but that it is one.
    pub fn becomes_an_error(&mut self, status: u16) {
        self.status = status;
        self.raw("");
    }

    /// Sends a call in the name of the main merchant, whoever sent it.
    pub fn in_the_name_of_main(&mut self, asked: &Asked<'_>) {
        self.header("authorization", &basic_header(&asked.credentials_of_main()));
    }

    /// A JSON or form body of another coding.
    pub fn as_json(&mut self) {
        self.form = false;
        self.header("content-type", "application/json");
    }

    pub fn as_form(&mut self) {
        self.form = true;
        self.header("content-type", "application/x-www-form-urlencoded");
    }

    pub fn is_form(&self) -> bool {
        self.form
    }

    /// Changes each record of an answer that is a list.
    pub fn each(&mut self, change: impl Fn(&mut Value)) {
        self.records(|records| records.iter_mut().for_each(&change));
    }

    /// Changes the records of an answer that is a list.
    pub fn records(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        if let Ok(Value::Array(mut records)) = serde_json::from_slice(&self.bytes()) {
            change(&mut records);
            self.raw(Value::Array(records).to_string());
        }
    }

    /// Turns the answer into a page for people.
    pub fn becomes_a_page(&mut self, status: u16, html: &str) {
        self.status = status;
        self.headers.remove(LOCATION);
        self.header("content-type", "text/html; charset=utf-8");
        self.raw(html);
    }

    /// Turns the answer into a redirect.
    pub fn becomes_a_redirect(&mut self, location: &str) {
        self.status = 302;
        self.header("location", location);
        self.header("content-type", "text/html; charset=utf-8");
        self.raw("");
    }

    fn json(status: u16, fields: Value) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let fields = fields.as_object().unwrap().clone();
        Self { status, headers, fields, raw: None, ending: Ending::Whole, form: false }
    }

    /// An answer of the coding that the call's version has.
    pub fn answer_to(asked: &Asked<'_>, fields: Value) -> Self {
        let mut message = Self::json(200, fields);
        if asked.operation.contains(".v1.") {
            message.as_form();
        }
        message
    }

    /// What a gateway answers that has nothing against a call.
    pub fn success(asked: &Asked<'_>) -> Self {
        Self::answer_to(asked, json!({"code": 0, "message": "OK"}))
    }

    /// What a gateway answers that does not want to do a call.
    pub fn refusal(asked: &Asked<'_>, code: i64) -> Self {
        Self::answer_to(asked, json!({"code": code, "message": "refused"}))
    }

    pub(super) fn read(status: u16, headers: HeaderMap, bytes: &[u8]) -> Self {
        let media_type = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let form = media_type.starts_with("application/x-www-form-urlencoded");
        let fields = if form {
            harness::exchange::decode_form(bytes).ok().map(|(fields, _)| fields)
        } else {
            serde_json::from_slice::<Value>(bytes).ok().and_then(|v| v.as_object().cloned())
        };
        let raw = fields.is_none().then(|| bytes.to_vec());
        Self { status, headers, fields: fields.unwrap_or_default(), raw, ending: Ending::Whole, form }
    }
}

/// A form, every reserved character escaped.
pub fn form(fields: &Map<String, Value>) -> String {
    let texts: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), text_of(Some(value)))).collect();
    harness::exchange::encode_form(texts.iter().map(|(name, value)| (*name, value.as_str())))
}

pub(super) fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A Basic header.
pub(super) fn basic_header((user, secret): &(String, String)) -> String {
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{secret}")))
}

/// Merchant and secret of a Basic header.
pub(super) fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let header = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?.to_owned();
    let decoded = String::from_utf8(base64::engine::general_purpose::STANDARD.decode(header).ok()?).ok()?;
    decoded.split_once(':').map(|(merchant, secret)| (merchant.to_owned(), secret.to_owned()))
}

/// The token of a Bearer header.
pub(super) fn bearer(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?.to_owned())
}

/// What says how long a body is belongs to the body that was there before.
pub(super) fn without_lengths(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    headers.remove(CONTENT_LENGTH);
    headers.remove(TRANSFER_ENCODING);
    headers
}
