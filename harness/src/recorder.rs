//! Turning what went over the wire into recorded exchanges: decoding and masking happen here, once.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::contract::Content;
use crate::exchange::{Body, BodyFault, Coding, Decoded, Masker, Request, UNKNOWN_SECRET, Vault, escape};
use crate::format::{Format, Places, View};

/// A text as a form spells it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

/// What stands in a record for a file that is no text.
fn listed(format: &Format, decoded: &Decoded, size: usize) -> String {
    debug_assert!(format.is_binary(), "other formats are texts");
    let entries = match decoded {
        Decoded::Value(value, _) => value.get("entries").and_then(Value::as_array),
        Decoded::Empty | Decoded::Unreadable(_) | Decoded::Opaque => None,
    };
    let names: Vec<&str> = entries.into_iter().flatten().filter_map(|entry| entry.get("name")?.as_str()).collect();
    format!("({size} bytes: {})", if names.is_empty() { "no archive".to_owned() } else { names.join(", ") })
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

    /// The body of a request, or one that nothing is known of. `content` is what the contract says of it,
    /// where it says something.
    pub fn body(&self, bytes: &[u8], coding: Coding, content: Option<&Content>) -> Body {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.masked(Body { text, decoded: Decoded::of(coding, bytes), places: Places::Unknown }, coding, content, None)
    }

    /// The body of the answer to a request. Files in it are opened, so that they are judged and compared by
    /// what they say.
    pub fn answer(&self, bytes: &[u8], media_type: Option<&str>, content: Option<&Content>, request: &Request, vault: &Vault) -> Body {
        let format = content.and_then(|content| content.format.as_ref());
        if let Some(format) = format.filter(|_| !bytes.is_empty()) {
            let (decoded, places) = match format.decode(bytes, request) {
                Ok(View { value, faults, places }) => (Decoded::Value(value, faults), places),
                Err(fault) => (Decoded::Unreadable(fault), Places::Unknown),
            };
            let text = format.text(bytes, request).unwrap_or_else(|| listed(format, &decoded, bytes.len()));
            return self.masked(Body { text, decoded, places }, Coding::Other, content, Some(vault));
        }
        let documented = content.filter(|content| !content.is_any()).map(|content| content.coding);
        let coding = documented.unwrap_or_else(|| media_type.map_or(Coding::Other, Coding::of));
        let mut decoded = Decoded::of(coding, bytes);
        let mut places = Places::Unknown;
        if let (Decoded::Value(value, faults), Some(content)) = (&mut decoded, content) {
            let (found, inside): (Vec<BodyFault>, _) = content.schema.open(value, request);
            faults.extend(found);
            places = inside;
        }
        self.masked(Body { text: String::from_utf8_lossy(bytes).into_owned(), decoded, places }, coding, content, Some(vault))
    }

    fn masked(&self, body: Body, coding: Coding, content: Option<&Content>, vault: Option<&Vault>) -> Body {
        let Body { mut text, mut decoded, places } = body;
        if let Decoded::Value(value, _) = &mut decoded {
            for name in content.map(|c| c.schema.secrets.as_slice()).unwrap_or_default() {
                self.mask_field(name, value, &mut text, vault);
            }
            self.masker.value(value);
            self.alias_value(value);
            if let (Some(content), Coding::Form, Value::Object(fields)) = (content, coding, value) {
                content.schema.read_form(fields);
            }
        }
        Body { text: vault.map_or_else(|| self.text(&text), |vault| vault.masked(self.text(&text))), decoded, places }
    }

    /// Masks a field that holds a secret by its structure, known or not, and the same value in the text.
    fn mask_field(&self, name: &str, value: &mut Value, text: &mut String, vault: Option<&Vault>) {
        if let Some(Value::String(secret)) = value.get_mut(name) {
            let known = self.masker.mark(secret);
            // One that the target hands out may be sent again; any other stays unknown.
            let handed_out = vault.filter(|_| known == UNKNOWN_SECRET).map(|vault| vault.keep(name, secret));
            let mark = handed_out.unwrap_or(known);
            *text = Masker::of_one(secret, &mark).text(text);
            *secret = mark;
        }
    }

    /// Headers with names in lower case, secrets masked. `Date` is left out: it says when, not what,
    /// and would make two recordings of the same thing differ.
    pub fn headers(&self, headers: &http::HeaderMap, vault: &Vault) -> Vec<(String, String)> {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let masked = |name: &http::HeaderName, value: String| match name.as_str() {
            "authorization" | "proxy-authorization" => self.masker.authorization(&value, |token| vault.mark(token)),
            "cookie" | "set-cookie" => self.masker.mark(&value),
            _ => vault.masked(self.text(&value)),
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
