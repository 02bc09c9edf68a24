//! Secrets are masked by the names of their fields, and then wherever their values stand in the same exchange.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderValue, header};
use serde_json::{Value, json};

use crate::base::journal::{JournalBody, JournalEntry, LONGEST};
use crate::wire::body::is_of_type;
use crate::wire::{credentials, form};

/// What stands in place of a secret.
const MASKED: &str = "***";

/// What the names of fields contain that hold secrets: `secret`, `password`, `token`, `deviceToken`.
const SECRET: [&str; 3] = ["secret", "password", "token"];

/// The shortest value that is looked for elsewhere: masking every digit 1 would show nothing, and hide nothing either.
const SHORTEST: usize = 4;

/// A body as it can be read.
enum Readable {
    Form(Vec<(String, String)>),
    Json(Value),
    Neither,
}

impl Readable {
    /// Reads JSON whatever it is declared to be, and a form if it is declared to be nothing else.
    fn new(body: &JournalBody) -> Self {
        let bytes = body.bytes.as_deref().unwrap_or_default();
        if let Ok(value) = serde_json::from_slice(bytes) {
            return Self::Json(value);
        }
        let declared = body.media_type.iter().map(|value| (header::CONTENT_TYPE, value.clone()));
        let is_form = is_of_type(&HeaderMap::from_iter(declared), "application/x-www-form-urlencoded");
        form::pairs(bytes).filter(|_| is_form).map_or(Self::Neither, Self::Form)
    }
}

/// The secrets of an exchange.
pub(super) struct Mask(BTreeSet<String>);

impl Mask {
    /// The secrets that a request and its response name.
    pub(super) fn of(entry: &JournalEntry) -> Self {
        let mut secrets = Self(BTreeSet::new());
        entry.authorization.iter().for_each(|value| secrets.add_authorization(value));
        let query = entry.uri.query().and_then(|query| form::pairs(query.as_bytes()));
        query.iter().for_each(|pairs| secrets.add_pairs(pairs));
        for body in [Some(&entry.request), entry.response.as_ref().map(|(_, body)| body)].into_iter().flatten() {
            match Readable::new(body) {
                Readable::Form(pairs) => secrets.add_pairs(&pairs),
                Readable::Json(value) => secrets.add_fields(&value),
                Readable::Neither => {}
            }
        }
        secrets
    }

    fn add_pairs(&mut self, pairs: &[(String, String)]) {
        pairs.iter().filter(|(name, _)| is_secret(name)).for_each(|(_, value)| self.add(value));
    }

    fn add(&mut self, value: &str) {
        if value.len() >= SHORTEST {
            self.0.insert(value.to_owned());
        }
    }

    /// What follows the scheme, and of Basic the password.
    fn add_authorization(&mut self, value: &HeaderValue) {
        let text = String::from_utf8_lossy(value.as_bytes());
        self.add(text.split_once(' ').map_or(&*text, |(_, credentials)| credentials.trim()));
        if let Some(claimed) = credentials::basic(&HeaderMap::from_iter([(header::AUTHORIZATION, value.clone())])) {
            self.add(&claimed.secret);
        }
    }

    fn add_fields(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
                Value::String(text) if is_secret(name) => self.add(text),
                Value::Number(number) if is_secret(name) => self.add(&number.to_string()),
                other => self.add_fields(other),
            }),
            Value::Array(items) => items.iter().for_each(|item| self.add_fields(item)),
            _ => {}
        }
    }

    /// A text without the secrets.
    pub(super) fn text(&self, text: &str) -> String {
        // The longest first: one secret may be a part of another.
        let mut secrets: Vec<&String> = self.0.iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASKED))
    }

    /// The fields of a query, as those of a form.
    pub(super) fn query(&self, query: &str) -> Value {
        form::pairs(query.as_bytes()).map_or_else(|| unreadable("it is no form"), |pairs| json!({ "form": self.form(&pairs) }))
    }

    /// The body of a request. One that can't be parsed is not shown, because a secret in it can't be found.
    pub(super) fn request(&self, body: &JournalBody) -> Value {
        self.shown(body, |bytes| unreadable(&format!("{} bytes, neither a form nor JSON", bytes.len())))
    }

    /// The body of a response.
    pub(super) fn response(&self, body: &JournalBody) -> Value {
        self.shown(body, |bytes| match std::str::from_utf8(bytes) {
            Ok(text) => json!({ "text": self.text(text) }),
            Err(_) => unreadable(&format!("{} bytes, no text", bytes.len())),
        })
    }

    fn shown(&self, body: &JournalBody, other: impl Fn(&[u8]) -> Value) -> Value {
        let Some(bytes) = &body.bytes else { return unreadable(&format!("longer than {} KiB", LONGEST / 1024)) };
        if bytes.is_empty() {
            return Value::Null;
        }
        match Readable::new(body) {
            Readable::Form(pairs) => json!({ "form": self.form(&pairs) }),
            Readable::Json(value) => json!({ "json": self.json(value) }),
            Readable::Neither => other(bytes),
        }
    }

    fn form(&self, pairs: &[(String, String)]) -> Value {
        let shown = |(name, value): &(String, String)| {
            let value = if is_secret(name) { MASKED.to_owned() } else { self.text(value) };
            json!([self.text(name), value])
        };
        pairs.iter().map(shown).collect()
    }

    fn json(&self, value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let shown = |(name, value): (String, Value)| {
                    let value = if is_secret(&name) && !value.is_null() { json!(MASKED) } else { self.json(value) };
                    (self.text(&name), value)
                };
                Value::Object(fields.into_iter().map(shown).collect())
            }
            Value::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Value::String(text) => json!(self.text(&text)),
            other => other,
        }
    }
}

fn unreadable(why: &str) -> Value {
    json!({ "unreadable": why })
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|secret| name.contains(secret))
}
