//! A request while it is changed: first its fields, then its bytes, then what goes before them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::edit::Edit;
use super::spelling::Spelling;
use crate::contract::{Content, text_of};
use crate::exchange::{Coding, escape};
use crate::runner::Aimed;
use crate::transport::encode;

/// A request in parts, none of which needs to be valid.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) method: String,
    pub(super) path: Vec<u8>,
    /// Where in the path an identifier stands.
    pub(super) identifier: Option<Range<usize>>,
    pub(super) query: Vec<u8>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) fields: Option<Fields>,
    pub(super) body: Vec<u8>,
    /// What of the body is never taken apart: half a secret is one that nobody recognises.
    pub(super) solid: Vec<Range<usize>>,
    /// Whether the body goes in chunks instead of with its length before it.
    pub(super) chunked: bool,
}

/// The fields of a body, some of them in a spelling of their own.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) coding: Coding,
    value: Value,
    /// What stands in the value for a spelling, and the bytes that take its place.
    spelt: Vec<(String, Vec<u8>)>,
}

impl Fields {
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
            Some(Value::Object(map)) => drop(map.shift_remove(&unescaped(name))),
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

    /// Something that stands for bytes; letters and digits only, so that no coding changes it.
    fn token(&mut self, bytes: Vec<u8>) -> String {
        let token = format!("xFuzzx{}x", self.spelt.len());
        self.spelt.push((token.clone(), bytes));
        token
    }

    fn encode(&self, content: &Content) -> Vec<u8> {
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
        Value::Object(map) => map.iter().map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    pointers.extend(below.iter().map(|(key, _)| format!("{at}/{key}")));
    for (key, value) in below {
        collect(value, &format!("{at}/{key}"), pointers);
    }
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

fn replaced(mut text: Vec<u8>, sought: &[u8], bytes: &[u8]) -> Vec<u8> {
    let found = text.windows(sought.len().max(1)).position(|window| window == sought);
    if let Some(start) = found {
        text.splice(start..start + sought.len(), bytes.iter().copied());
    }
    text
}

impl Draft {
    /// The valid request.
    pub(super) fn of(aimed: &Aimed, content: Option<&Content>) -> Self {
        let target = aimed.head.uri.path_and_query();
        let path = target.map_or("/", |target| target.path()).as_bytes().to_vec();
        let query = target.and_then(|target| target.query()).unwrap_or_default().as_bytes().to_vec();
        let headers = aimed.head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
        let fields = content.filter(|content| content.coding != Coding::Other && !aimed.body.is_empty());
        let fields = fields.map(|content| Fields::new(content.coding, aimed.fields.clone()));
        Self {
            method: aimed.head.method.as_str().to_owned(),
            identifier: identifier(&path, &aimed.parameters),
            path,
            query,
            headers,
            fields,
            body: aimed.body.to_vec(),
            solid: Vec::new(),
            chunked: false,
        }
    }

    /// The request with these changes, whatever the order in which they are given. `prepare` sees it when it says
    /// what it is to say and is still whole.
    pub(super) fn with(&self, edits: &[Edit], content: Option<&Content>, prepare: impl FnOnce(&mut Self)) -> Self {
        let mut draft = self.clone();
        let mut ordered: Vec<&Edit> = edits.iter().collect();
        ordered.sort_by_key(|edit| edit.stage());
        let (fields, rest) = ordered.split_at(ordered.iter().take_while(|edit| edit.is_about_fields()).count());
        for edit in fields {
            edit.apply(&mut draft);
        }
        if let (Some(written), Some(content), false) = (&draft.fields, content, fields.is_empty()) {
            draft.body = written.encode(content);
        }
        prepare(&mut draft);
        for edit in rest {
            edit.apply(&mut draft);
        }
        draft
    }

    /// Another spelling of the path; the identifier in it stays the same.
    pub(super) fn move_to(&mut self, path: Vec<u8>) {
        let identifier = self.identifier.take().and_then(|place| self.path.get(place)).map(<[u8]>::to_vec);
        self.identifier = identifier.and_then(|identifier| place_of(&path, &identifier));
        self.path = path;
    }

    /// A place in the body at so many thousandths of it.
    pub(super) fn place(&self, thousandths: usize) -> usize {
        let place = self.body.len() * thousandths / 1000;
        self.solid.iter().find(|solid| solid.start < place && place < solid.end).map_or(place, |solid| solid.end)
    }

    /// The first header of this name.
    pub(super) fn header(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        self.headers.iter_mut().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// Path and query, as they stand in the first line.
    pub(super) fn target(&self) -> Vec<u8> {
        let mark: &[u8] = if self.query.is_empty() { b"" } else { b"?" };
        [&self.path, mark, &self.query].concat()
    }

    /// What is sent.
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

/// Where the value of a path parameter stands in a path: the last one, as it is spelt there.
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
