//! Turns wire messages into recorded exchanges. Decoding and masking happen here, once.

use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::{Map, Value};

use crate::base::file_position::FilePosition;
use crate::judge::items::ItemRules;
use crate::spec::contract::{Content, FactRule};
use crate::wire::exchange::{
    BinaryFile, Body, BodyFault, Coding, Decoded, Masker, Masking, Omitted, Request, Rest, UNKNOWN_SECRET, Vault, escape, hide, hide_named,
    is_jwt, read_json,
};
use crate::wire::format::{FileFormat, Places};
use crate::wire::ingest::Ingest;

/// How many bytes of text are kept of a response that is too long to be kept whole.
pub(crate) const KEPT_TEXT: usize = 64 * 1024;

/// The most bytes of a binary file that are kept. A part of an archive can't be opened.
const MAX_FILE_BYTES: usize = 16 * 1024;

/// A text as a form spells it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

/// Returns the text that a record has in place of a binary file.
fn listed(decoded: &Decoded, size: usize) -> String {
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
    /// Addresses that differ from run to run.
    aliased: Option<AhoCorasick>,
    /// What is written in place of each.
    aliases: Vec<String>,
    sequence: AtomicU64,
}

/// A response that is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Received<'r> {
    /// The media type that its header names.
    pub media_type: Option<&'r str>,
    /// The documented content, if there is one.
    pub content: Option<&'r Content>,
    /// The operation's rules about the facts of a response.
    pub fact_rules: &'r [FactRule],
    /// The request of the response.
    pub request: &'r Request,
    /// Keeps the secrets that it issues.
    pub vault: &'r Vault,
}

impl Received<'_> {
    fn format(&self) -> Option<&FileFormat> {
        self.content.and_then(|content| content.format.as_ref())
    }

    fn coding(&self) -> Coding {
        let documented = self.content.filter(|content| !content.is_any()).map(|content| content.coding);
        documented.unwrap_or_else(|| self.media_type.map_or(Coding::Other, Coding::from_media_type))
    }
}

impl Recorder {
    /// A recorder that knows these secrets, and addresses that are written otherwise because they
    /// differ from run to run.
    pub fn new(masker: Masker, aliases: Vec<(String, String)>) -> Self {
        let escaped =
            aliases.iter().map(|(from, to)| (escaped(from), escaped(to))).filter(|(from, _)| !aliases.iter().any(|(f, _)| f == from));
        let (from, aliases): (Vec<String>, Vec<String>) = escaped.chain(aliases.iter().cloned()).unzip();
        let aliased = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(from).ok().filter(|_| !aliases.is_empty());
        Self { masker, aliased, aliases, sequence: AtomicU64::new(0) }
    }

    /// The place in time of an exchange that is complete now.
    pub fn arrival(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    /// The body of a request, or of an undocumented message. `content` is its documented content, if there is one.
    pub fn body(&self, bytes: &[u8], coding: Coding, content: Option<&Content>) -> Body {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.masked(Body { text, decoded: Decoded::decode(coding, bytes), ..Body::default() }, coding, content, None)
    }

    /// The body of the response to a request. Files in it are opened, so that their content is judged and compared.
    pub fn response(&self, bytes: &[u8], received: Received<'_>) -> Body {
        let mut ingest = self.ingest(received);
        if let Some(format) = received.format().filter(|_| !bytes.is_empty()) {
            let (decoded, places, rests) = taken_in(format.read(&mut { bytes }, received.request, &mut ingest), ingest);
            let text = format.text(bytes, received.request).unwrap_or_else(|| listed(&decoded, bytes.len()));
            let file = format.is_binary(received.request).then(|| {
                let kept = (rests.is_empty() && self.may_keep(bytes, &decoded, received.vault)).then(|| bytes.to_vec());
                Box::new(BinaryFile { size: bytes.len(), bytes: kept })
            });
            let body = Body { text, decoded, places, omitted: Omitted::if_any(rests, None), file };
            return self.masked(body, Coding::Other, received.content, Some(received.vault));
        }
        let coding = received.coding();
        let mut body =
            Body { text: String::from_utf8_lossy(bytes).into_owned(), decoded: Decoded::decode(coding, bytes), ..Body::default() };
        if let (Decoded::Value(value, faults), Some(content)) = (&mut body.decoded, received.content) {
            body.places = content.schema.open(value, received.request, &mut ingest);
            let (found, rests) = ingest.end();
            faults.extend(found);
            body.omitted = Omitted::if_any(rests, None);
        }
        self.masked(body, coding, received.content, Some(received.vault))
    }

    /// Whether the bytes of a binary file may be kept. A secret can't be masked in packed bytes: all of the file was read, and nothing in
    /// it is a secret.
    fn may_keep(&self, bytes: &[u8], decoded: &Decoded, vault: &Vault) -> bool {
        let Decoded::Value(value, faults) = decoded else { return false };
        let has_secret = |text: String| text.contains("***") || vault.masked(self.masker.text(&text)) != text;
        let is_whole = bytes.len() <= MAX_FILE_BYTES && faults.is_empty();
        is_whole && !has_secret(value.to_string()) && !has_secret(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The body of a response that is too long to be kept: it is judged while it is read. `head` is how it
    /// begins; the text of the record is a part of it.
    pub fn long_response(&self, head: &[u8], rest: &mut dyn BufRead, received: Received<'_>) -> Body {
        let mut ingest = self.ingest(received);
        let mut source = Counted { source: head.chain(rest), bytes: 0 };
        let beginning = head.get(..head.len().min(KEPT_TEXT)).unwrap_or_default();
        let text = received
            .format()
            .map_or_else(|| Some(String::from_utf8_lossy(beginning).into_owned()), |format| format.text(beginning, received.request));
        let (decoded, places, rests) = match (received.format(), received.content) {
            (Some(format), _) => taken_in(format.read(&mut source, received.request, &mut ingest), ingest),
            (None, Some(content)) if content.coding == Coding::Json => {
                taken_in(read_json(&mut source, &|field| content.schema.file(field), received.request, &mut ingest), ingest)
            }
            (None, _) => match io::copy(&mut source, &mut io::sink()) {
                Ok(_) => (Decoded::Opaque, Places::Unknown, Vec::new()),
                Err(error) => (Decoded::Unreadable(BodyFault::new(FilePosition::whole(), error.to_string())), Places::Unknown, Vec::new()),
            },
        };
        let cut_from = text.as_ref().map(|_| source.bytes);
        let file = text.is_none().then(|| Box::new(BinaryFile { size: source.bytes, bytes: None }));
        let text = text.unwrap_or_else(|| listed(&decoded, source.bytes));
        let body = Body { text, decoded, places, omitted: Omitted::if_any(rests, cut_from), file };
        let mut body = self.masked(body, Coding::Other, received.content, Some(received.vault));
        if cut_from.is_some() {
            self.cut(&mut body.text, received.vault);
        }
        body
    }

    /// Removes the end of a text that was cut: half a secret there would not be recognised.
    fn cut(&self, text: &mut String, vault: &Vault) {
        let alias = self.aliased.as_ref().map_or(0, AhoCorasick::max_pattern_len);
        let longest = self.masker.longest().max(vault.longest()).max(alias);
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(longest)));
    }

    /// Returns how a response is read.
    fn ingest<'r>(&'r self, received: Received<'r>) -> Ingest<'r> {
        let Some(content) = received.content else { return Ingest::keep_all() };
        Ingest::by(ItemRules { lists: &content.lists, fact_rules: received.fact_rules, request: received.request, masking: self })
    }

    fn masked(&self, mut body: Body, coding: Coding, content: Option<&Content>, vault: Option<&Vault>) -> Body {
        let secrets = content.map(|content| content.schema.secrets.as_slice()).unwrap_or_default();
        if !matches!(body.decoded, Decoded::Value(..)) {
            // A body that can't be read may hold what it should hold all the same.
            body.text = secrets.iter().fold(body.text, |text, name| hide_named(&text, name, UNKNOWN_SECRET));
        }
        if let Decoded::Value(value, faults) = &mut body.decoded {
            faults.extend(content.map(|c| c.schema.jwts.as_slice()).unwrap_or_default().iter().filter_map(|name| not_a_jwt(name, value)));
            for name in secrets {
                self.mask_field(name, value, &mut body.text, vault);
            }
            self.mask(value);
            match (content, coding, value) {
                (Some(content), Coding::Form, Value::Object(fields)) => content.schema.read_form(fields),
                (Some(content), Coding::Json, Value::Object(fields)) => content.schema.read_nulls(fields),
                _ => {}
            }
        }
        body.text = vault.map_or_else(|| self.text(&body.text), |vault| vault.masked(self.text(&body.text)));
        body
    }

    /// Masks a field that holds a secret by its structure, known or not, and the same value in the text.
    fn mask_field(&self, name: &str, value: &mut Value, text: &mut String, vault: Option<&Vault>) {
        if let Some(Value::String(secret)) = value.get_mut(name) {
            let mut mark = self.masker.mark(secret);
            // Other occurrences of a known secret are found when the whole text is searched.
            if mark == UNKNOWN_SECRET {
                // One that the target hands out may be sent again; any other stays unknown.
                mark = vault.map_or(mark, |vault| vault.keep(name, secret));
                *text = hide(text, secret, &mark);
            }
            *secret = mark;
        }
    }

    /// Returns headers with names in lower case and secrets masked. `Date` is left out: it would make two recordings of
    /// the same thing differ.
    pub fn headers(&self, headers: &http::HeaderMap, vault: &Vault) -> Vec<(String, String)> {
        let kept = headers.iter().filter(|(name, _)| *name != http::header::DATE);
        kept.map(|(name, value)| (name.as_str().to_owned(), self.header(name.as_str(), value.as_bytes(), vault))).collect()
    }

    /// One header, whatever its name and its bytes.
    pub(crate) fn header(&self, name: &str, value: &[u8], vault: &Vault) -> String {
        let text = String::from_utf8_lossy(value);
        match name {
            "authorization" | "proxy-authorization" => self.masker.authorization(&text, |token| vault.mark(token)),
            "cookie" | "set-cookie" => self.masker.mark(&text),
            _ => vault.masked(self.text(&text)),
        }
    }

    /// Where known secrets are in these bytes.
    pub(crate) fn secrets(&self, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        self.masker.spans(bytes)
    }

    /// Bytes of which some may be no text: the text among them is masked, the rest stays unchanged.
    pub(crate) fn bytes(&self, bytes: &[u8], vault: &Vault) -> Vec<u8> {
        let masked = bytes.utf8_chunks().map(|chunk| {
            let text = vault.masked(self.text(chunk.valid()));
            [text.as_bytes(), chunk.invalid()].concat()
        });
        masked.collect::<Vec<_>>().concat()
    }

    /// Named values that are about to be recorded: the parameters of a request, or of an action of the world.
    pub(crate) fn fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        fields.iter().map(|(name, value)| (name.clone(), self.value(value))).collect()
    }

    /// A value that is about to be recorded.
    pub(crate) fn value(&self, value: &Value) -> Value {
        let mut masked = value.clone();
        self.mask(&mut masked);
        masked
    }

    /// Any other text that is about to be recorded.
    pub fn text(&self, text: &str) -> String {
        let mut masked = self.masker.text(text);
        self.alias_text(&mut masked);
        masked
    }

    fn alias_text(&self, text: &mut String) {
        if let Some(aliased) = self.aliased.as_ref().filter(|aliased| aliased.is_match(text.as_str())) {
            *text = aliased.replace_all(text, &self.aliases);
        }
    }

    fn alias_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.alias_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.alias_value(item)),
            Value::Object(map) => map.values_mut().for_each(|item| self.alias_value(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl Masking for Recorder {
    fn touches(&self, bytes: &[u8]) -> bool {
        self.masker.knows(bytes) || self.aliased.as_ref().is_some_and(|aliased| aliased.is_match(bytes))
    }

    fn mask(&self, value: &mut Value) {
        self.masker.value(value);
        self.alias_value(value);
    }
}

/// The fault of a field that holds a text, and not a JSON Web Token.
fn not_a_jwt(name: &str, value: &Value) -> Option<BodyFault> {
    let text = value.get(name)?.as_str()?;
    let message = "is no JWT: three parts of Base64url, separated by dots, of which the first is a JSON object";
    (!is_jwt(text)).then(|| BodyFault::new(FilePosition::whole(), format!("`{name}` {message}")).about(format!("/{name}")))
}

/// Returns the decoded response and its faults.
fn taken_in(read: Result<(Value, Places), BodyFault>, ingest: Ingest<'_>) -> (Decoded, Places, Vec<Rest>) {
    match read {
        Ok((value, places)) => {
            let (faults, rests) = ingest.end();
            (Decoded::Value(value, faults), places, rests)
        }
        Err(fault) => (Decoded::Unreadable(fault), Places::Unknown, Vec::new()),
    }
}

/// A reader that counts the bytes that were read.
struct Counted<R> {
    source: R,
    bytes: usize,
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.source.consume(bytes);
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(out)?;
        self.bytes += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
