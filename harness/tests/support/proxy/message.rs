//! A message in parts, so that it can be changed.

use base64::Engine as _;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::ObservedRequest;

/// Status, headers and body of a message.
#[derive(Clone, PartialEq)]
pub struct Message {
    /// HTTP status; of a notification, the status that the gateway gets in the end (0 = that of the inbox).
    pub status: u16,
    pub headers: HeaderMap,
    /// The body's fields, in order.
    pub fields: Map<String, Value>,
    /// The bytes of the body, in place of the fields.
    pub raw: Option<Vec<u8>>,
    pub ending: Ending,
    form: bool,
}

/// How a response ends.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Ending {
    #[default]
    Whole,
    /// Chunked, without a length.
    Chunked,
    /// In the middle of the body.
    Cut,
    /// Before the first byte.
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

    /// Whether the response reports success.
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

    /// The current bytes of the body.
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

    /// Turns a refusal into the success that a gateway without the rule would return.
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

    /// Turns a refusal into the status of a payment.
    pub fn accept_status(&mut self, trans_id: &str) {
        self.accept();
        let record = json!({
            "test": "true", "price": "10000", "curr": "CZK", "label": "Beach ball", "refId": "order-1001",
            "email": "payer@example.com", "transId": trans_id, "status": "PENDING",
        });
        self.fields.extend(record.as_object().unwrap().clone());
    }

    /// Turns any response into a success. Transfers can't be made up here.
    pub fn grant(&mut self, asked: &ObservedRequest<'_>) {
        match asked.operation {
            _ if self.fulfils() || asked.is_of_api("transfers") => {}
            _ if asked.is_of_api("qr") || asked.is_of_api("device") => self.becomes_a_response(&asked.sound()),
            "gateway.v1.create" | "gateway.v2.create" | "gateway.v1.recurring" | "gateway.v2.recurring" => self.accept_creation(),
            "terminal.create" | "terminal.refund.create" => self.accept_creation(),
            "gateway.v1.status" | "gateway.v2.status" => self.accept_status(&asked.text("transId")),
            "terminal.status" | "terminal.refund.status" => self.accept_terminal_status(&asked.text("transId")),
            "terminal.closing" => self.accept_closing(),
            _ => self.accept(),
        }
    }

    /// Turns any response into a refusal.
    pub fn deny(&mut self, asked: &ObservedRequest<'_>) {
        if self.succeeds() {
            self.refuse(1400);
        } else if asked.is_of_api("transfers") {
            self.becomes_an_error(404);
        } else if self.fulfils() && (asked.is_of_api("qr") || asked.is_of_api("device")) {
            self.objects(asked, 400, "INVALID_REQUEST");
        }
    }

    /// Becomes a success with these fields.
    pub fn becomes_a_response(&mut self, fields: &Value) {
        self.status = 200;
        self.raw = None;
        self.header("content-type", "application/json");
        self.fields = fields.as_object().unwrap().clone();
    }

    /// Becomes an error of document 3; the QR API has no codes.
    pub fn objects(&mut self, asked: &ObservedRequest<'_>, status: u16, code: &str) {
        self.becomes_a_response(&json!({"errorMessage": "refused"}));
        self.status = status;
        if asked.is_of_api("device") {
            self.set("errorCode", code);
        }
    }

    /// Becomes an error of the API that was called.
    pub fn becomes_an_error_of_the_api(&mut self, asked: &ObservedRequest<'_>, status: u16) {
        match asked.is_of_api("qr") || asked.is_of_api("device") {
            true => self.objects(asked, status, "INVALID_REQUEST"),
            false => {
                self.refuse(1400);
                self.status = status;
            }
        }
    }

    /// An error of document 3.
    pub fn objection(asked: &ObservedRequest<'_>, status: u16, code: &str) -> Self {
        let mut message = Self::json(status, json!({}));
        message.objects(asked, status, code);
        message
    }

    /// A success with these fields.
    pub fn granted(fields: Value) -> Self {
        Self::json(200, fields)
    }

    /// Turns a refusal into the status of a terminal payment or refund.
    pub fn accept_terminal_status(&mut self, trans_id: &str) {
        self.accept();
        let record = json!({
            "price": "10000", "curr": "CZK", "refId": "2026000123", "transId": trans_id, "status": "PENDING", "reversed": false,
        });
        self.fields.extend(record.as_object().unwrap().clone());
    }

    /// Turns a refusal into a closing.
    pub fn accept_closing(&mut self) {
        self.accept();
        self.set("batchNumber", 1);
        self.set("batchData", json!([]));
    }

    /// Turns a success into an error.
    pub fn refuse(&mut self, code: i64) {
        self.fields = Map::from_iter([("code".to_owned(), code.into()), ("message".to_owned(), "refused".into())]);
    }

    /// Whether the response fulfils the request: by HTTP status, and by code where it has one.
    pub fn fulfils(&self) -> bool {
        (200..300).contains(&self.status) && (!self.has("code") || self.succeeds())
    }

    /// Turns the response into an error without a body of its own.
    pub fn becomes_an_error(&mut self, status: u16) {
        self.status = status;
        self.raw("");
    }

    /// Replaces the credentials of a call by those of the main merchant.
    pub fn in_the_name_of_main(&mut self, asked: &ObservedRequest<'_>) {
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

    /// Changes each record of a response that is a list.
    pub fn each(&mut self, change: impl Fn(&mut Value)) {
        self.records(|records| records.iter_mut().for_each(&change));
    }

    /// Changes the records of a response that is a list.
    pub fn records(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        if let Ok(Value::Array(mut records)) = serde_json::from_slice(&self.bytes()) {
            change(&mut records);
            self.raw(Value::Array(records).to_string());
        }
    }

    /// Turns the response into an HTML page.
    pub fn becomes_a_page(&mut self, status: u16, html: &str) {
        self.status = status;
        self.headers.remove(LOCATION);
        self.header("content-type", "text/html; charset=utf-8");
        self.raw(html);
    }

    /// Turns the response into a redirect.
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

    /// A response in the coding of the call's version.
    pub fn response_to(asked: &ObservedRequest<'_>, fields: Value) -> Self {
        let mut message = Self::json(200, fields);
        if asked.operation.contains(".v1.") {
            message.as_form();
        }
        message
    }

    /// The success of a call.
    pub fn success(asked: &ObservedRequest<'_>) -> Self {
        Self::response_to(asked, json!({"code": 0, "message": "OK"}))
    }

    /// The refusal of a call.
    pub fn refusal(asked: &ObservedRequest<'_>, code: i64) -> Self {
        Self::response_to(asked, json!({"code": code, "message": "refused"}))
    }

    pub(super) fn read(status: u16, headers: HeaderMap, bytes: &[u8]) -> Self {
        let media_type = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let form = media_type.starts_with("application/x-www-form-urlencoded");
        let fields = if form {
            harness::wire::exchange::decode_form(bytes).ok().map(|(fields, _)| fields)
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
    harness::wire::exchange::encode_form(texts.iter().map(|(name, value)| (*name, value.as_str())))
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

/// Removes the length of the body that was replaced.
pub(super) fn without_lengths(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    headers.remove(CONTENT_LENGTH);
    headers.remove(TRANSFER_ENCODING);
    headers
}
