//! Changes to the bytes of a body.

use super::super::raw_request::RawRequest;

/// A change to the bytes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum BodyEdit {
    /// Only the first thousandths of it.
    Cut(usize),
    /// These bytes inserted at a place, in thousandths of its length.
    Within(usize, &'static [u8]),
    /// These bytes before it.
    Before(&'static [u8]),
    /// These bytes after it.
    After(&'static [u8]),
    /// These bytes instead.
    Instead(&'static [u8]),
    /// This many letters instead.
    Letters(usize),
    /// The same text in UTF-16.
    Utf16,
}

impl BodyEdit {
    /// All changes. A missing body cannot be cut.
    pub(in super::super) fn all(has_body: bool) -> Vec<Self> {
        let instead = INSTEAD.iter().map(|bytes| Self::Instead(bytes)).chain([Self::Letters(100_000), Self::Letters(900_000)]);
        if !has_body {
            return instead.collect();
        }
        let cuts = [1, 100, 500, 900, 999].map(Self::Cut);
        let within = [200, 500, 800].into_iter().flat_map(|place| WITHIN.iter().map(move |bytes| Self::Within(place, bytes)));
        let before = BEFORE.iter().map(|bytes| Self::Before(bytes));
        let after = AFTER.iter().map(|bytes| Self::After(bytes));
        instead.chain(cuts).chain(within).chain(before).chain(after).chain([Self::Utf16]).collect()
    }

    pub(in super::super) fn apply(self, raw: &mut RawRequest) {
        let place = match self {
            Self::Cut(thousandths) | Self::Within(thousandths, _) => raw.place(thousandths),
            _ => 0,
        };
        let body = &mut raw.body;
        match self {
            Self::Cut(_) => body.truncate(place),
            Self::Within(_, bytes) => drop(body.splice(place..place, bytes.iter().copied())),
            Self::Before(bytes) => drop(body.splice(..0, bytes.iter().copied())),
            Self::After(bytes) => body.extend(bytes),
            Self::Instead(bytes) => *body = bytes.to_vec(),
            Self::Letters(count) => *body = vec![b'a'; count],
            Self::Utf16 => *body = String::from_utf8_lossy(body).encode_utf16().flat_map(u16::to_le_bytes).collect(),
        }
    }

    pub(in super::super) fn describe(self) -> String {
        match self {
            Self::Cut(thousandths) => format!("the body ends after {thousandths} ‰ of it"),
            Self::Within(thousandths, bytes) => format!("{} in the body at {thousandths} ‰ of its length", bytes.escape_ascii()),
            Self::Before(bytes) => format!("{} before the body", bytes.escape_ascii()),
            Self::After(bytes) => format!("{} after the body", bytes.escape_ascii()),
            Self::Instead(b"") => "there is no body".to_owned(),
            Self::Instead(bytes) => format!("the body is {}", bytes.escape_ascii()),
            Self::Letters(count) => format!("the body is {count} letters"),
            Self::Utf16 => "the body is written in UTF-16".to_owned(),
        }
    }
}

const INSTEAD: [&[u8]; 16] = [
    b"",
    b" ",
    b"{}",
    b"[]",
    b"[[]]",
    b"null",
    b"true",
    b"1",
    b"\"a\"",
    b"{",
    b"{\"\":{}}",
    b"=",
    b"&",
    b"\0\0\0\0",
    b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0",
    b"<?xml version=\"1.0\"?><a/>",
];
const WITHIN: [&[u8]; 6] = [b"\0", b"\xff", b"\xc0\x80", b"%", b"\"", b"\r\n\r\n"];
const BEFORE: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\r\n"];
const AFTER: [&[u8]; 5] = [b"\0", b"{}", b"&=&%", b"\r\n\r\n", b" "];
