//! Changes to path and query.

use super::super::draft::Draft;

/// A change to path or query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum TargetEdit {
    /// This identifier in place of the one in the path.
    Identifier(&'static [u8]),
    /// An identifier of so many letters.
    LongIdentifier(usize),
    /// This before the last segment.
    BeforeLast(&'static [u8]),
    /// This at the end of the path.
    AtEnd(&'static [u8]),
    /// These pairs after the query.
    Query(&'static [u8]),
    /// The query once more, with another value at its end.
    QueryTwice,
    /// A query of so many letters.
    LongQuery(usize),
}

impl TargetEdit {
    /// Everything that is tried.
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

    pub(in super::super) fn apply(self, draft: &mut Draft) {
        match self {
            Self::Identifier(bytes) => identify(draft, bytes),
            Self::LongIdentifier(length) => identify(draft, &vec![b'A'; length]),
            Self::BeforeLast(bytes) => {
                let last = draft.path.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
                draft.path.splice(last..last, bytes.iter().copied());
                draft.identifier = None;
            }
            Self::AtEnd(bytes) => draft.path.extend(bytes),
            Self::Query(bytes) => also(draft, bytes),
            Self::QueryTwice => {
                let again = [draft.query.as_slice(), b"x"].concat();
                also(draft, &again);
            }
            Self::LongQuery(length) => also(draft, &[b"a=", vec![b'a'; length].as_slice()].concat()),
        }
    }

    pub(in super::super) fn describe(self) -> String {
        match self {
            Self::Identifier(bytes) => format!("the identifier in the path is \"{}\"", bytes.escape_ascii()),
            Self::LongIdentifier(length) => format!("the identifier in the path has {length} letters"),
            Self::BeforeLast(bytes) => format!("{} stands in the path before its last part", bytes.escape_ascii()),
            Self::AtEnd(bytes) => format!("{} stands at the end of the path", bytes.escape_ascii()),
            Self::Query(bytes) => format!("the query says {}", bytes.escape_ascii()),
            Self::QueryTwice => "the query stands there twice, the second time with another value at its end".to_owned(),
            Self::LongQuery(length) => format!("the query has {length} letters more"),
        }
    }
}

fn identify(draft: &mut Draft, bytes: &[u8]) {
    if let Some(place) = draft.identifier.take() {
        draft.path.splice(place, bytes.iter().copied());
    }
}

fn also(draft: &mut Draft, pairs: &[u8]) {
    if !draft.query.is_empty() {
        draft.query.push(b'&');
    }
    draft.query.extend(pairs);
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
