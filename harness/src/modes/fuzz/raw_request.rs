//! A raw request while it is changed: first its fields, then the bytes of its body, then its head.

use std::ops::Range;

use http::HeaderMap;
use serde_json::{Map, Value};

use super::spelling::Spelling;
use crate::base::pointer;
use crate::engine::request::{Consent, Encoded, Guard, Origin, PreparedRequest, RefusedRequest, encode};
use crate::spec::contract::Content;
use crate::wire::exchange::{Coding, escape};
use crate::wire::expression::text_of;

/// A request in parts, none of which needs to be valid.
#[derive(Clone, Debug)]
pub(super) struct RawRequest {
    pub(super) method: String,
    pub(super) path: Vec<u8>,
    /// The range of an identifier in the path.
    pub(super) identifier: Option<Range<usize>>,
    pub(super) query: Vec<u8>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) fields: Option<BodyFields>,
    pub(super) body: Vec<u8>,
    /// Ranges of the body that are never cut: half a secret would not be recognised and masked.
    pub(super) solid: Vec<Range<usize>>,
    /// Whether the body is sent in chunks, without its length.
    pub(super) chunked: bool,
}

/// The fields of a body, some of them in a spelling of their own.
#[derive(Clone, Debug)]
pub(super) struct BodyFields {
    pub(super) coding: Coding,
    value: Value,
    /// A placeholder in the value for a spelling, and the bytes that replace it.
    spelt: Vec<(String, Vec<u8>)>,
}

impl BodyFields {
    fn new(coding: Coding, fields: Map<String, Value>) -> Self {
        Self { coding, value: Value::Object(fields), spelt: Vec::new() }
    }

    /// The JSON Pointers of everything in it, the outer things first.
    pub(super) fn pointers(&self) -> Vec<String> {
        let mut pointers = Vec::new();
        collect(&self.value, "", &mut pointers);
        pointers
    }

    pub(super) fn set(&mut self, pointer: &str, spelling: &Spelling) {
        let token = self.token(spelling.bytes(self.coding));
        if let Some(place) = self.value.pointer_mut(pointer) {
            *place = Value::String(token);
        }
    }

    pub(super) fn remove(&mut self, pointer: &str) {
        let Some((parent, name)) = pointer.rsplit_once('/') else { return };
        match self.value.pointer_mut(parent) {
            Some(Value::Object(map)) => drop(map.shift_remove(&*pointer::unescaped(name))),
            Some(Value::Array(items)) => {
                if let Some(index) = name.parse().ok().filter(|index| *index < items.len()) {
                    items.remove(index);
                }
            }
            Some(_) | None => {}
        }
    }

    /// Adds a key of any name, also one that is there already, after all others.
    pub(super) fn add(&mut self, parent: &str, key: &str, spelling: &Spelling) {
        let (key, value) = (Value::String(key.to_owned()), spelling.bytes(self.coding));
        let key = self.token(Spelling::Value(key).bytes(self.coding));
        let value = self.token(value);
        if let Some(Value::Object(map)) = self.value.pointer_mut(parent) {
            map.insert(key, Value::String(value));
        }
    }

    /// A placeholder for bytes: letters and digits only, so that no coding changes it.
    fn token(&mut self, bytes: Vec<u8>) -> String {
        let token = format!("xFuzzx{}x", self.spelt.len());
        self.spelt.push((token.clone(), bytes));
        token
    }

    pub(super) fn encode(&self, content: &Content) -> Vec<u8> {
        let Some(map) = self.value.as_object() else { return Vec::new() };
        let text = encode(Some(content), map).1.into_bytes();
        self.spelt.iter().fold(text, |text, (token, bytes)| {
            let quoted = format!("\"{token}\"");
            let sought = if self.coding == Coding::Json { quoted.as_bytes() } else { token.as_bytes() };
            replaced(text, sought, bytes)
        })
    }
}

fn collect(value: &Value, at: &str, pointers: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (pointer::escaped(key).into_owned(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    pointers.extend(below.iter().map(|(key, _)| format!("{at}/{key}")));
    for (key, value) in below {
        collect(value, &format!("{at}/{key}"), pointers);
    }
}

fn replaced(mut text: Vec<u8>, sought: &[u8], bytes: &[u8]) -> Vec<u8> {
    let found = text.windows(sought.len().max(1)).position(|window| window == sought);
    if let Some(start) = found {
        text.splice(start..start + sought.len(), bytes.iter().copied());
    }
    text
}

impl RawRequest {
    /// Takes a prepared request apart.
    pub(super) fn new(request: &PreparedRequest, headers: &HeaderMap, content: Option<&Content>) -> Self {
        let path = request.url().path().as_bytes().to_vec();
        let query = request.url().query().unwrap_or_default().as_bytes().to_vec();
        let headers = headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
        let fields = content.filter(|content| content.coding != Coding::Other && !request.body().is_empty());
        let fields = fields.map(|content| BodyFields::new(content.coding, request.content().fields.clone()));
        Self {
            method: request.method().as_str().to_owned(),
            identifier: identifier(&path, &request.content().path),
            path,
            query,
            headers,
            fields,
            body: request.body().to_vec(),
            solid: Vec::new(),
            chunked: false,
        }
    }

    /// Another spelling of the path; the identifier in it stays the same.
    pub(super) fn move_to(&mut self, path: Vec<u8>) {
        let identifier = self.identifier.take().and_then(|place| self.path.get(place)).map(<[u8]>::to_vec);
        self.identifier = identifier.and_then(|identifier| place_of(&path, &identifier));
        self.path = path;
    }

    /// An index into the body, in thousandths of its length.
    pub(super) fn place(&self, thousandths: usize) -> usize {
        let place = self.body.len() * thousandths / 1000;
        self.solid.iter().find(|solid| solid.start < place && place < solid.end).map_or(place, |solid| solid.end)
    }

    /// The first header of this name.
    pub(super) fn header(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        self.headers.iter_mut().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// Asks the guard about the bytes that are sent.
    pub(super) fn consent(&self, guard: &Guard, origin: Origin<'_>) -> Result<Consent, RefusedRequest> {
        let target = self.target();
        let mut parts = target.splitn(2, |byte| *byte == b'?');
        let (path, query) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let headers: Vec<(&str, &[u8])> = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        guard.consent(&Encoded { method: &self.method, path, query, headers: &headers, body: &self.body }, origin)
    }

    /// Path and query, as in the request line.
    pub(super) fn target(&self) -> Vec<u8> {
        let mark: &[u8] = if self.query.is_empty() { b"" } else { b"?" };
        [&self.path, mark, &self.query].concat()
    }

    /// Returns the bytes that are sent.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = [self.method.as_bytes(), b" ", &self.target(), b" HTTP/1.1\r\n"].concat();
        for (name, value) in &self.headers {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        if self.chunked {
            bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
            for chunk in self.body.chunks(self.body.len().div_ceil(3).max(1)) {
                bytes.extend([format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat());
            }
            bytes.extend(b"0\r\n\r\n");
        } else {
            if !self.body.is_empty() || !matches!(self.method.as_str(), "GET" | "HEAD" | "DELETE") {
                bytes.extend(format!("content-length: {}\r\n", self.body.len()).into_bytes());
            }
            bytes.extend(b"\r\n");
            bytes.extend(&self.body);
        }
        bytes
    }
}

/// The range of a path parameter in a path: the last one, in its spelling there.
fn identifier(path: &[u8], parameters: &Map<String, Value>) -> Option<Range<usize>> {
    let spelt = |value: &Value| {
        let mut out = String::new();
        escape(&text_of(value)?, &mut out);
        Some(out).filter(|out| !out.is_empty())
    };
    parameters.values().rev().filter_map(spelt).find_map(|spelt| place_of(path, spelt.as_bytes()))
}

fn place_of(path: &[u8], part: &[u8]) -> Option<Range<usize>> {
    let start = path.windows(part.len().max(1)).rposition(|window| window == part)?;
    Some(start..start + part.len())
}
