//! Turning what went over the wire into recorded exchanges: decoding and masking happen here, once.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::contract::Content;
use crate::exchange::{Body, Coding, Decoded, Masker, escape};

/// A text as a form spells it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

/// Decodes and masks. One per run.
#[derive(Debug, Default)]
pub struct Recorder {
    masker: Masker,
    /// Addresses that differ from run to run, and what stands for them.
    aliases: Vec<(String, String)>,
    sequence: AtomicU64,
}

impl Recorder {
    /// A recorder that knows these secrets, and addresses that are written otherwise because they
    /// differ from run to run.
    pub fn new(masker: Masker, aliases: Vec<(String, String)>) -> Self {
        let escaped =
            aliases.iter().map(|(from, to)| (escaped(from), escaped(to))).filter(|(from, _)| !aliases.iter().any(|(f, _)| f == from));
        let aliases = escaped.chain(aliases.iter().cloned()).collect();
        Self { masker, aliases, sequence: AtomicU64::new(0) }
    }

    /// The place in time of an exchange that is complete now.
    pub fn arrival(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    /// A body from its bytes. `content` is what the contract says of it, where it says something.
    pub fn body(&self, bytes: &[u8], coding: Coding, content: Option<&Content>) -> Body {
        let mut decoded = Decoded::of(coding, bytes);
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        if let Decoded::Value(value, _) = &mut decoded {
            for name in content.map(|c| c.schema.secrets.as_slice()).unwrap_or_default() {
                self.mask_field(name, value, &mut text);
            }
            self.masker.value(value);
            self.alias_value(value);
            if let (Some(content), Coding::Form, Value::Object(fields)) = (content, coding, value) {
                content.schema.read_form(fields);
            }
        }
        Body { text: self.text(&text), decoded }
    }

    /// Masks a field that holds a secret by its structure, known or not, and the same value in the text.
    fn mask_field(&self, name: &str, value: &mut Value, text: &mut String) {
        if let Some(Value::String(secret)) = value.get_mut(name) {
            let mark = self.masker.mark(secret);
            *text = Masker::of_one(secret, &mark).text(text);
            *secret = mark;
        }
    }

    /// Headers with names in lower case, secrets masked. `Date` is left out: it says when, not what,
    /// and would make two recordings of the same thing differ.
    pub fn headers(&self, headers: &http::HeaderMap) -> Vec<(String, String)> {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let masked = |name: &http::HeaderName, value: String| match name.as_str() {
            "authorization" | "proxy-authorization" => self.masker.authorization(&value),
            "cookie" | "set-cookie" => self.masker.mark(&value),
            _ => self.text(&value),
        };
        let kept = headers.iter().filter(|(name, _)| *name != http::header::DATE);
        kept.map(|(name, value)| (name.as_str().to_owned(), masked(name, text(value)))).collect()
    }

    /// Any other text that is about to be recorded.
    pub fn text(&self, text: &str) -> String {
        let masked = self.masker.text(text);
        self.aliases.iter().fold(masked, |text, (from, to)| if text.contains(from.as_str()) { text.replace(from, to) } else { text })
    }

    fn alias_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.alias_value(item)),
            Value::Object(map) => map.values_mut().for_each(|item| self.alias_value(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
