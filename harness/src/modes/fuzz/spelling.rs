//! Replacement values, and their spelling on the wire.

use serde_json::{Value, json};

use crate::wire::exchange::{Coding, escape};
use crate::wire::expression::text_of;

/// A server may refuse a text of this length for its length alone.
const LONG: usize = 4096;

/// A replacement value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spelling {
    /// A value in valid spelling.
    Value(Value),
    /// A text in place of a number; not every one is a number.
    Number(&'static str),
    /// A text of this many letters.
    Long(usize),
    /// Lists nested this deep.
    Deep(usize),
    /// Literal bytes.
    Raw(&'static [u8]),
}

impl Spelling {
    /// All replacement values for bodies of this coding.
    pub(super) fn all(coding: Coding) -> Vec<Self> {
        let values = values().into_iter().chain(texts().iter().map(|text| json!(text))).map(Self::Value);
        let numbers = NUMBERS.iter().copied().map(Self::Number);
        let raw = if coding == Coding::Form { FORM } else { JSON };
        let raw = raw.iter().copied().map(Self::Raw);
        values.chain(numbers).chain(LENGTHS.map(Self::Long)).chain(DEPTHS.map(Self::Deep)).chain(raw).collect()
    }

    /// Its bytes in a body of this coding.
    pub(super) fn bytes(&self, coding: Coding) -> Vec<u8> {
        match (self, coding) {
            (Self::Value(value), Coding::Form) => escaped(&text_of(value).unwrap_or_else(|| value.to_string())),
            (Self::Value(value), Coding::Json | Coding::Other) => value.to_string().into_bytes(),
            (Self::Number(number), _) => number.as_bytes().to_vec(),
            (Self::Long(length), Coding::Form) => vec![b'a'; *length],
            (Self::Long(length), Coding::Json | Coding::Other) => [&b"\""[..], &vec![b'a'; *length], b"\""].concat(),
            (Self::Deep(depth), Coding::Form) => escaped(&format!("{}{}", "[".repeat(*depth), "]".repeat(*depth))),
            (Self::Deep(depth), Coding::Json | Coding::Other) => [vec![b'['; *depth], vec![b']'; *depth]].concat(),
            (Self::Raw(bytes), _) => bytes.to_vec(),
        }
    }

    /// The value, if it is in valid spelling.
    pub(super) fn value(&self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Long(length) => Some(Value::String("a".repeat(*length))),
            Self::Number(_) | Self::Deep(_) | Self::Raw(_) => None,
        }
    }

    /// Whether a server may refuse the whole request for its spelling, before any operation reads it.
    pub(super) fn is_malformed(&self) -> bool {
        match self {
            Self::Value(_) => false,
            Self::Long(length) => *length >= LONG,
            Self::Number(_) | Self::Deep(_) | Self::Raw(_) => true,
        }
    }

    /// Smaller ones of the same kind, the smallest first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Long(length) => LENGTHS.into_iter().filter(|smaller| smaller < length).map(Self::Long).collect(),
            Self::Deep(depth) => DEPTHS.into_iter().filter(|smaller| smaller < depth).map(Self::Deep).collect(),
            Self::Value(_) | Self::Number(_) | Self::Raw(_) => Vec::new(),
        }
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Value(value) => value.to_string(),
            Self::Number(number) => format!("the number {number}"),
            Self::Long(length) => format!("a text of {length} letters"),
            Self::Deep(depth) => format!("{depth} lists in each other"),
            Self::Raw(bytes) => format!("the bytes {}", bytes.escape_ascii()),
        }
    }
}

fn escaped(text: &str) -> Vec<u8> {
    let mut out = String::new();
    escape(text, &mut out);
    out.into_bytes()
}

const LENGTHS: [usize; 6] = [65, 129, 256, 4_096, 65_536, 300_000];
const DEPTHS: [usize; 4] = [2, 127, 1_000, 20_000];

/// Values of other types, and limits of numbers.
fn values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(-0.001),
        json!(2_147_483_648_u64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!([]),
        json!([1]),
        json!([[], {}]),
        json!({}),
        json!({"a": 1}),
    ]
}

/// Texts that are often read wrongly: empty, nearly numbers, control characters, NUL, line ends of headers,
/// combining characters, direction marks, the ends of Unicode's planes, and what templates, shells, markup and
/// queries would take for their own.
fn texts() -> &'static [&'static str] {
    &[
        "",
        " ",
        "0",
        "-1",
        "1e3",
        "0x10",
        "１０",
        "true",
        "null",
        "a\u{0}b",
        "\u{1}\u{8}\u{1f}\u{7f}",
        "a\nb\tc",
        INJECTED,
        "e\u{301}\u{323}\u{302}",
        "\u{202e}abc\u{2066}",
        "\u{feff}a",
        "\u{d7ff}\u{e000}\u{ffff}",
        "\u{10ffff}",
        "👩‍👩‍👧",
        "ǅßİ",
        "a'b\"c`d\\e",
        "<b>&amp;</b>]]>",
        "{{ 7 * 7 }}%s%n",
        "../../a",
        "a&b=c;d#e?f+g",
        "9999-99-99",
        "2024-02-30T25:61:61Z",
    ]
}

/// A header that a response has only if the target writes what it is sent into its own headers.
pub(super) const MARK: &str = "x-injected";
const INJECTED: &str = "a\r\nX-Injected: yes";

const NUMBERS: &[&str] = &[
    "1e400",
    "-1e400",
    "1e-400",
    "1E9",
    "1e2147483648",
    "100000000000000000000000000000000",
    "0.1000000000000000055511151231257827",
    "1.0",
    "-0",
    "-0.0",
    "01",
    "0x10",
    "+1",
    "1.",
    ".5",
    "-",
    "NaN",
    "Infinity",
    "1_000",
];

const JSON: &[&[u8]] = &[
    br#""\ud800""#,
    br#""\udc00\ud800""#,
    br#""\u0000""#,
    br#""\ud83d\ude00""#,
    br#""\x41""#,
    br#""\u12""#,
    b"\"a",
    b"'a'",
    b"tru",
    b"undefined",
    b"\"a\nb\"",
    b"\"a\0b\"",
    b"\"\xff\xfe\"",
    b"\"\xc0\x80\"",
    b"\"\xed\xa0\x80\"",
    b"\"\xf4\x90\x80\x80\"",
    b"[1,]",
    b"/* */ 1",
];

const FORM: &[&[u8]] = &[
    b"%",
    b"%4",
    b"%ZZ",
    b"%u0041",
    b"%ff",
    b"%C0%80",
    b"%ED%A0%80",
    b"%00",
    b"a%0d%0aX-Injected:%20yes",
    b"&&=&",
    b";a=b",
    b"a=b=c",
    b"+",
    b"\xff\xfe",
    b"\0",
    b"a b",
    b"\r\n",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_malformed_spelling_is_json_and_reads_back() {
        for spelling in Spelling::all(Coding::Json).into_iter().filter(|spelling| !spelling.is_malformed()) {
            let read: Value = serde_json::from_slice(&spelling.bytes(Coding::Json)).unwrap();
            assert_eq!(Some(read), spelling.value(), "{}", spelling.describe());
        }
    }

    #[test]
    fn what_is_no_malformed_spelling_reads_back_from_a_form() {
        for spelling in Spelling::all(Coding::Form).into_iter().filter(|spelling| !spelling.is_malformed()) {
            let (read, faults) = crate::wire::exchange::decode_form(&[b"a=", spelling.bytes(Coding::Form).as_slice()].concat()).unwrap();
            let value = spelling.value().unwrap();
            assert!(faults.is_empty());
            assert_eq!(read.get("a").and_then(Value::as_str), Some(text_of(&value).unwrap_or_else(|| value.to_string()).as_str()));
        }
    }
}
