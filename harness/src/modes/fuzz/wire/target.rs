//! Changes to path and query.

use super::super::raw_request::RawRequest;

/// A change to path or query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum TargetEdit {
    /// This identifier in place of the one in the path.
    Identifier(&'static [u8]),
    /// An identifier of this many letters.
    LongIdentifier(usize),
    /// This before the last segment.
    BeforeLast(&'static [u8]),
    /// This at the end of the path.
    AtEnd(&'static [u8]),
    /// These pairs after the query.
    Query(&'static [u8]),
    /// The query once more, with another value at its end.
    QueryTwice,
    /// A query of this many letters.
    LongQuery(usize),
}

impl TargetEdit {
    /// All changes.
    pub(in super::super) fn all(has_identifier: bool, has_query: bool) -> Vec<Self> {
        let identifiers = IDENTIFIERS.iter().map(|bytes| Self::Identifier(bytes)).chain([256, 4_000].map(Self::LongIdentifier));
        let path = BEFORE_LAST.iter().map(|bytes| Self::BeforeLast(bytes)).chain(AT_END.iter().map(|bytes| Self::AtEnd(bytes)));
        let query = QUERIES.iter().map(|bytes| Self::Query(bytes)).chain([4_000, 60_000].map(Self::LongQuery));
        let twice = has_query.then_some(Self::QueryTwice);
        identifiers.filter(|_| has_identifier).chain(path).chain(query).chain(twice).collect()
    }

    /// Whether it may lead to another address. An identifier stays in its segment.
    pub(in super::super) fn changes_path(self) -> bool {
        match self {
            Self::Identifier(bytes) => bytes.is_empty() || bytes.contains(&b'.') || bytes.starts_with(b"%2e"),
            Self::BeforeLast(_) | Self::AtEnd(_) => true,
            Self::LongIdentifier(_) | Self::Query(_) | Self::QueryTwice | Self::LongQuery(_) => false,
        }
    }

    pub(in super::super) fn apply(self, raw: &mut RawRequest) {
        match self {
            Self::Identifier(bytes) => identify(raw, bytes),
            Self::LongIdentifier(length) => identify(raw, &vec![b'A'; length]),
            Self::BeforeLast(bytes) => {
                let last = raw.path.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
                raw.path.splice(last..last, bytes.iter().copied());
                raw.identifier = None;
            }
            Self::AtEnd(bytes) => raw.path.extend(bytes),
            Self::Query(bytes) => also(raw, bytes),
            Self::QueryTwice => {
                let again = [raw.query.as_slice(), b"x"].concat();
                also(raw, &again);
            }
            Self::LongQuery(length) => also(raw, &[b"a=", vec![b'a'; length].as_slice()].concat()),
        }
    }

    pub(in super::super) fn describe(self) -> String {
        match self {
            Self::Identifier(bytes) => format!("the identifier in the path is \"{}\"", bytes.escape_ascii()),
            Self::LongIdentifier(length) => format!("the identifier in the path has {length} letters"),
            Self::BeforeLast(bytes) => format!("{} in the path before its last segment", bytes.escape_ascii()),
            Self::AtEnd(bytes) => format!("{} at the end of the path", bytes.escape_ascii()),
            Self::Query(bytes) => format!("the query says {}", bytes.escape_ascii()),
            Self::QueryTwice => "the query is repeated, the second time with another value at its end".to_owned(),
            Self::LongQuery(length) => format!("the query has {length} letters more"),
        }
    }
}

fn identify(raw: &mut RawRequest, bytes: &[u8]) {
    if let Some(place) = raw.identifier.take() {
        raw.path.splice(place, bytes.iter().copied());
    }
}

fn also(raw: &mut RawRequest, pairs: &[u8]) {
    if !raw.query.is_empty() {
        raw.query.push(b'&');
    }
    raw.query.extend(pairs);
}

const IDENTIFIERS: [&[u8]; 14] = [
    b"",
    b"%00",
    b"%20",
    b"%",
    b"%ZZ",
    b"%ff%fe",
    b"%C0%80",
    b"%2e%2e%2f",
    b"..%2f..%2fa",
    b"%0d%0aX-Injected:%20yes",
    b"%F0%9F%92%A9",
    b"null",
    b"-1",
    b"99999999999999999999",
];
const BEFORE_LAST: [&[u8]; 7] = [b"/", b"/.", b"/x/..", b"/%2e%2e", b"/..%2f", b"%2f", b"/%00"];
const AT_END: [&[u8]; 8] = [b"/", b"//", b"/..", b"%00", b"%", b";a=b", b"%0d%0aX-Injected:%20yes", b".json"];
const QUERIES: [&[u8]; 10] =
    [b"=", b"&&&", b"%", b"%ff=%ff", b"a", b"a=%00", b"a[]=1&a[b]=2", b"a=%0d%0aX-Injected:%20yes", b"a=b?c=d", b"a=1&a=2"];
