//! Changes to headers, and to how the body is framed.

use super::super::raw_request::RawRequest;

/// A change to the headers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum HeaderEdit {
    /// This header has this value.
    Is(&'static str, &'static [u8]),
    /// It is not sent.
    Without(&'static str),
    /// It is sent once more, with this value.
    Also(&'static str, &'static [u8]),
    /// It is sent twice with the same value.
    Twice(&'static str),
    /// Its value ends with this.
    Ends(&'static str, &'static [u8]),
    /// A header of this many letters.
    Long(usize),
    /// This many headers.
    Many(usize),
    /// The body goes in chunks.
    Chunked,
}

impl HeaderEdit {
    /// All changes.
    pub(in super::super) fn all(has_body: bool, is_authorized: bool) -> Vec<Self> {
        let types = TYPES.iter().map(|value| Self::Is("content-type", value));
        let parameters = PARAMETERS.iter().map(|value| Self::Ends("content-type", value));
        let doubled =
            [Self::Twice("content-type"), Self::Also("content-type", b"text/plain"), Self::Without("content-type"), Self::Chunked];
        let of_a_body = types.chain(parameters).chain(doubled).filter(|_| has_body);
        let codings = CODINGS.iter().map(|value| Self::Is("content-encoding", value));
        let of_credentials = [Self::Twice("authorization"), Self::Also("authorization", b"Basic Og==")];
        let credentials = AUTHORIZATIONS.iter().map(|value| Self::Is("authorization", value));
        let of_credentials = credentials.chain(of_credentials).chain([Self::Ends("authorization", b"\xff")]).filter(|_| is_authorized);
        let others = OTHERS.iter().map(|(name, value)| Self::Is(name, value));
        let sizes = [2_000, 20_000].map(Self::Long).into_iter().chain([90, 2_000].map(Self::Many));
        of_a_body.chain(codings).chain(of_credentials).chain(others).chain(sizes).collect()
    }

    pub(in super::super) fn apply(self, raw: &mut RawRequest) {
        match self {
            Self::Is(name, value) => match raw.header(name) {
                Some(present) => *present = value.to_vec(),
                None => raw.headers.push((name.to_owned(), value.to_vec())),
            },
            Self::Without(name) => raw.headers.retain(|(n, _)| n != name),
            Self::Also(name, value) => raw.headers.push((name.to_owned(), value.to_vec())),
            Self::Twice(name) => {
                let again = raw.header(name).cloned();
                raw.headers.extend(again.map(|value| (name.to_owned(), value)));
            }
            Self::Ends(name, end) => {
                if let Some(value) = raw.header(name) {
                    value.extend(end);
                }
            }
            Self::Long(length) => raw.headers.push(("x-long".to_owned(), vec![b'a'; length])),
            Self::Many(count) => raw.headers.extend((0..count).map(|number| (format!("x-{number}"), b"a".to_vec()))),
            Self::Chunked => raw.chunked = true,
        }
    }

    pub(in super::super) fn smaller(self) -> Vec<Self> {
        match self {
            Self::Long(20_000) => vec![Self::Long(2_000)],
            Self::Many(2_000) => vec![Self::Many(90)],
            _ => Vec::new(),
        }
    }

    pub(in super::super) fn describe(self) -> String {
        match self {
            Self::Is(name, value) => format!("the header {name} is \"{}\"", value.escape_ascii()),
            Self::Without(name) => format!("the header {name} is not sent"),
            Self::Also(name, value) => format!("the header {name} is sent once more, as \"{}\"", value.escape_ascii()),
            Self::Twice(name) => format!("the header {name} is sent twice"),
            Self::Ends(name, end) => format!("the header {name} ends with \"{}\"", end.escape_ascii()),
            Self::Long(length) => format!("a header has {length} letters"),
            Self::Many(count) => format!("there are {count} headers more"),
            Self::Chunked => "the body goes in chunks".to_owned(),
        }
    }
}

const TYPES: [&[u8]; 12] = [
    b"",
    b"application/json",
    b"application/x-www-form-urlencoded",
    b"application/xml",
    b"text/plain",
    b"text/html",
    b"multipart/form-data",
    b"multipart/form-data; boundary=x",
    b"application/octet-stream",
    b"*/*",
    b"application",
    b"application/json, application/x-www-form-urlencoded",
];
const PARAMETERS: [&[u8]; 8] = [
    b"; charset=utf-8",
    b"; charset=UTF-16",
    b"; charset=windows-1250",
    b"; charset=\"",
    b"; charset=nothing",
    b";",
    b"\xff",
    b"\rX-Injected: yes",
];
const CODINGS: [&[u8]; 4] = [b"gzip", b"br", b"identity", b"gzip, gzip, gzip"];
const AUTHORIZATIONS: [&[u8]; 8] =
    [b"", b"Basic", b"Basic %%%", b"Basic Og==", b"Basic /////w==", b"Bearer", b"Bearer a.b.c", b"Digest username=\"a\", realm=\"b\""];
const OTHERS: [(&str, &[u8]); 19] = [
    ("accept", b"application/xml"),
    ("accept", b"text/html;q=x"),
    ("accept", b"\xff"),
    ("accept-language", b"xx-\xe9"),
    ("accept-encoding", b"gzip;q=2, \x01"),
    ("expect", b"100-continue"),
    ("expect", b"the unexpected"),
    ("host", b""),
    ("host", b"a b"),
    ("host", b"evil.invalid"),
    ("x-forwarded-host", b"evil.invalid\rX-Injected: yes"),
    ("x-forwarded-for", b"999.999.999.999"),
    ("x-http-method-override", b"DELETE"),
    ("if-none-match", b"*"),
    ("if-modified-since", b"yesterday"),
    ("range", b"bytes=9-1,-"),
    ("cookie", b"a=\x01; b"),
    ("connection", b"upgrade"),
    ("upgrade", b"h2c, websocket"),
];
