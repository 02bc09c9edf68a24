//! Texts with their escapes undone, so that a secret is found however many of its characters are escaped.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use crate::base::text::hex_byte;

/// How many escapes around each other are undone: a form in JSON, JSON in a form.
const DEPTH: usize = 2;

/// One way to write a character.
#[derive(Clone, Copy)]
struct Kind {
    /// How each escape of this kind begins.
    begins: u8,
    read: fn(&[u8]) -> Option<Escape>,
}

/// Undone one after the other, because a secret may have a backslash, a percent sign or an ampersand of its own.
const KINDS: [Kind; 3] = [Kind { begins: b'%', read: percent }, Kind { begins: b'\\', read: json }, Kind { begins: b'&', read: html }];

/// A character that was escaped.
struct Escape {
    /// Its bytes, of which the first `decoded` count.
    bytes: [u8; 4],
    decoded: usize,
    /// How many bytes the escape takes.
    length: usize,
}

impl Escape {
    fn byte(byte: u8, length: usize) -> Self {
        Self { bytes: [byte, 0, 0, 0], decoded: 1, length }
    }

    fn character(code: u32, length: usize) -> Option<Self> {
        let mut bytes = [0; 4];
        let decoded = char::from_u32(code)?.encode_utf8(&mut bytes).len();
        Some(Self { bytes, decoded, length })
    }
}

/// Some bytes with escapes undone.
struct Reading<'t> {
    bytes: Cow<'t, [u8]>,
    /// What was undone in them; none in the original.
    of: Option<(&'t Reading<'t>, Kind)>,
    /// The place in those of each byte, with one more for the end. Most texts hold no secret, and then no place is asked for.
    places: OnceCell<Vec<usize>>,
}

/// Gives every reading of some bytes to a search, and returns what it finds, as places in the original, in their order.
/// Places that overlap become one, with what was found first.
pub(super) fn found_in_any<F, T>(bytes: &[u8], search: F) -> Vec<(Range<usize>, T)>
where
    F: Fn(&[u8]) -> Vec<(Range<usize>, T)>,
{
    let mut found = Vec::new();
    search_readings(&Reading { bytes: Cow::Borrowed(bytes), of: None, places: OnceCell::new() }, DEPTH, &search, &mut found);
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut apart: Vec<(Range<usize>, T)> = Vec::with_capacity(found.len());
    for (range, what) in found {
        match apart.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            Some(_) | None => apart.push((range, what)),
        }
    }
    apart
}

/// A text with something else in each of these places.
pub(super) fn replace<'m>(text: &str, places: impl IntoIterator<Item = (Range<usize>, &'m str)>) -> String {
    let (mut replaced, mut copied) = (String::with_capacity(text.len()), 0);
    for (range, mark) in places {
        replaced.push_str(text.get(copied..text.floor_char_boundary(range.start)).unwrap_or_default());
        replaced.push_str(mark);
        copied = text.ceil_char_boundary(range.end);
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    replaced
}

fn search_readings<F, T>(view: &Reading<'_>, depth: usize, search: &F, found: &mut Vec<(Range<usize>, T)>)
where
    F: Fn(&[u8]) -> Vec<(Range<usize>, T)>,
{
    found.extend(search(&view.bytes).into_iter().map(|(range, what)| (view.place(range.start)..view.place(range.end), what)));
    if depth > 0 {
        for undone in KINDS.into_iter().filter_map(|kind| view.undone(kind)) {
            search_readings(&undone, depth - 1, search, found);
        }
    }
}

impl Reading<'_> {
    /// The place in the original.
    fn place(&self, at: usize) -> usize {
        let Some((of, kind)) = self.of else { return at };
        let places = self.places.get_or_init(|| of.places_without(kind));
        of.place(places.get(at).copied().unwrap_or_default())
    }

    /// The bytes without the escapes of this kind; none where there are none.
    fn undone(&self, kind: Kind) -> Option<Reading<'_>> {
        let mut escapes = self.escapes(kind).peekable();
        escapes.peek()?;
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut copied = 0;
        for (at, escape) in escapes {
            bytes.extend_from_slice(self.bytes.get(copied..at).unwrap_or_default());
            bytes.extend(escape.bytes.iter().take(escape.decoded));
            copied = at + escape.length;
        }
        bytes.extend_from_slice(self.bytes.get(copied..).unwrap_or_default());
        Some(Reading { bytes: Cow::Owned(bytes), of: Some((self, kind)), places: OnceCell::new() })
    }

    /// The place here of each byte that is left without the escapes of this kind, and of their end.
    fn places_without(&self, kind: Kind) -> Vec<usize> {
        let mut places = Vec::with_capacity(self.bytes.len() + 1);
        let mut copied = 0;
        for (at, escape) in self.escapes(kind) {
            places.extend(copied..at);
            places.extend(std::iter::repeat_n(at, escape.decoded));
            copied = at + escape.length;
        }
        places.extend(copied..=self.bytes.len());
        places
    }

    /// The escapes of a kind and where each begins; none of them overlap.
    fn escapes(&self, kind: Kind) -> impl Iterator<Item = (usize, Escape)> {
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let rest = self.bytes.get(from..)?;
                let at = from + rest.iter().position(|byte| *byte == kind.begins)?;
                let escape = (kind.read)(self.bytes.get(at..)?);
                from = at + escape.as_ref().map_or(1, |escape| escape.length);
                if let Some(escape) = escape {
                    return Some((at, escape));
                }
            }
        })
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let is_digit = |digit: &u8| char::from(*digit).is_digit(radix);
    let text = std::str::from_utf8(digits).ok().filter(|_| !digits.is_empty() && digits.iter().all(is_digit))?;
    u32::from_str_radix(text, radix).ok()
}

/// `%41`.
fn percent(bytes: &[u8]) -> Option<Escape> {
    let &[high, low] = bytes.strip_prefix(b"%")?.first_chunk::<2>()?;
    Some(Escape::byte(hex_byte(high, low)?, 3))
}

/// `\u0041`, also in pairs, and `\"`.
fn json(bytes: &[u8]) -> Option<Escape> {
    let plain = |byte| Some(Escape::byte(byte, 2));
    match bytes.strip_prefix(b"\\")?.first()? {
        quoted @ (b'"' | b'\\' | b'/') => plain(*quoted),
        b'n' => plain(b'\n'),
        b't' => plain(b'\t'),
        b'r' => plain(b'\r'),
        b'b' => plain(8),
        b'f' => plain(12),
        b'u' => unicode(bytes),
        _ => None,
    }
}

fn unicode(bytes: &[u8]) -> Option<Escape> {
    let unit = |at: usize| bytes.get(at..)?.strip_prefix(b"\\u")?.get(..4).and_then(|digits| number(digits, 16));
    match unit(0)? {
        high @ 0xD800..=0xDBFF => {
            let low = unit(6).filter(|low| (0xDC00..=0xDFFF).contains(low))?;
            Escape::character(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), 12)
        }
        code => Escape::character(code, 6),
    }
}

/// The entities of HTML and XML that stand for characters with a meaning there.
const NAMED: [(&[u8], u8); 5] = [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];

/// The longest number of a character, in digits, with zeros before it.
const MOST_DIGITS: usize = 8;

/// `&#65;`, `&#x41;` and `&amp;`.
fn html(bytes: &[u8]) -> Option<Escape> {
    if bytes.first() != Some(&b'&') {
        return None;
    }
    if let Some((name, byte)) = NAMED.iter().find(|(name, _)| bytes.starts_with(name)) {
        return Some(Escape::byte(*byte, name.len()));
    }
    let (radix, start) = match bytes.get(1..3)? {
        [b'#', b'x' | b'X'] => (16, 3),
        [b'#', _] => (10, 2),
        _ => return None,
    };
    let rest = bytes.get(start..)?;
    let digits = rest.iter().take(MOST_DIGITS).take_while(|digit| char::from(**digit).is_digit(radix)).count();
    let semicolon = usize::from(rest.get(digits) == Some(&b';'));
    Escape::character(number(rest.get(..digits)?, radix)?, start + digits + semicolon)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, needle: &str) -> Vec<String> {
        let search = |bytes: &[u8]| -> Vec<(Range<usize>, ())> {
            let starts = (0..bytes.len()).filter(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(needle.as_bytes())));
            starts.map(|at| (at..at + needle.len(), ())).collect()
        };
        found_in_any(text.as_bytes(), search).into_iter().map(|(range, ())| text.get(range).unwrap_or("no text").to_owned()).collect()
    }

    #[test]
    fn a_text_is_found_in_every_escape_of_it() {
        for spelled in [
            "Až\"/🔑",
            "%41%c5%BE\"%2f🔑",
            "\\u0041\\u017E\\\"\\/\\ud83d\\uDD11",
            "&#65;&#x17e;&quot;&#0047;&#X1F511;",
            "&#65&#382;&quot;/&#128273;",
            "%2541%25C5%25be\"/🔑",
            "\\\\u0041ž\\\"/🔑",
            "&amp;#65;&#382;&quot;/🔑",
            "%5Cu0041ž%22/🔑",
        ] {
            assert_eq!(found(&format!("%ff&&\\x{spelled};%&#"), "Až\"/🔑"), [spelled], "{spelled}");
        }
    }

    #[test]
    fn what_is_found_in_two_readings_is_one_place() {
        assert_eq!(found("a%61a", "aa"), ["a%61a"]);
        assert_eq!(found("nothing", "aa"), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(prop_oneof![Just(b'%'), Just(b'\\'), Just(b'u'), Just(b'&'), Just(b'#'), Just(b'd'), Just(b'8'), any::<u8>()], 0..60)) {
            let all = found_in_any(&bytes, |bytes| vec![(0..bytes.len(), ())]);
            prop_assert!(all.iter().all(|(range, ())| range.end <= bytes.len()));
        }
    }
}
