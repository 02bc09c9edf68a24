//! Secrets are masked when an exchange is recorded, never later.
//!
//! Two lines of defence. By structure: the fields and headers that the contract marks as secret are replaced by a mark that names
//! the *owner* of the secret, so that a check can still report a wrong secret without knowing it. By value: every known secret is
//! replaced anywhere else, in each spelling it may have on the wire.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::Value;

use super::disguise::{base64_cores, hex, html_escapes};
use super::form;
use super::hide::hidden;
use super::unescape::{found_in_any, replace};

/// The mark of a secret that belongs to no known identity.
pub const UNKNOWN_SECRET: &str = "***unknown***";

/// A known secret.
#[derive(Clone)]
pub struct Secret {
    /// The identity that owns it (`main`).
    pub owner: String,
    /// The parts of the credential that go before it in Basic headers (the merchant's identifier).
    pub logins: Vec<String>,
    /// The secret itself.
    pub value: String,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret of {}", self.owner)
    }
}

/// The mark that stands for the secret of an identity: `***main***`.
pub fn mark_of(owner: &str) -> String {
    format!("***{owner}***")
}

/// Replaces secrets by marks.
#[derive(Clone, Debug, Default)]
pub struct Masker {
    secrets: Vec<Secret>,
    finder: Option<Finder>,
    /// Whether a secret is a number.
    holds_a_number: bool,
}

/// Finds every spelling of every secret in one pass; of two that begin at the same place, the longer one.
#[derive(Clone)]
struct Finder {
    automaton: AhoCorasick,
    /// The mark of each spelling.
    marks: Vec<String>,
}

impl std::fmt::Debug for Finder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Finder of {} spellings", self.marks.len())
    }
}

impl Finder {
    fn new(spellings: impl IntoIterator<Item = (String, String)>) -> Option<Self> {
        let (texts, marks): (Vec<_>, Vec<_>) = spellings.into_iter().unzip();
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts).ok()?;
        (!texts.is_empty()).then_some(Self { automaton, marks })
    }

    fn find(&self, bytes: &[u8]) -> impl Iterator<Item = (Range<usize>, &str)> {
        let found = self.automaton.find_iter(bytes);
        found.map(|found| (found.range(), self.marks.get(found.pattern().as_usize()).map_or(UNKNOWN_SECRET, String::as_str)))
    }
}

impl Masker {
    /// A masker that knows these secrets.
    pub fn new(secrets: Vec<Secret>) -> Self {
        let known = || secrets.iter().filter(|s| !is_ordinary(&s.value));
        let finder = Finder::new(known().flat_map(|s| spellings_of(s).into_iter().map(|text| (text, mark_of(&s.owner)))));
        let holds_a_number = known().any(|s| s.value.parse::<serde_json::Number>().is_ok());
        Self { finder, holds_a_number, secrets }
    }

    /// The mark for a value in the place of a secret. An empty value stays empty.
    pub fn mark(&self, value: &str) -> String {
        if value.is_empty() {
            return String::new();
        }
        self.secrets.iter().find(|s| s.value == value).map_or_else(|| UNKNOWN_SECRET.to_owned(), |s| mark_of(&s.owner))
    }

    /// Whether these bytes contain a spelling of a known secret.
    pub(crate) fn knows(&self, bytes: &[u8]) -> bool {
        !self.found(bytes).is_empty()
    }

    /// Where known secrets are in these bytes.
    pub(crate) fn spans(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        self.found(bytes).into_iter().map(|(range, _)| range).collect()
    }

    /// Where known secrets are in these bytes, whatever of them is escaped, and the mark of each.
    fn found(&self, bytes: &[u8]) -> Vec<(Range<usize>, &str)> {
        let Some(finder) = &self.finder else { return Vec::new() };
        found_in_any(bytes, |bytes| finder.find(bytes).collect())
    }

    /// The length of the longest spelling of a known secret, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.finder.as_ref().map_or(0, |finder| finder.automaton.max_pattern_len())
    }

    /// Replaces every spelling of every known secret in a text.
    pub fn text(&self, text: &str) -> String {
        replace(text, self.found(text.as_bytes()))
    }

    /// An `Authorization` header: the scheme stays, a Basic login stays, the rest becomes a mark.
    /// `handed_out` knows the marks of tokens.
    pub fn authorization(&self, value: &str, handed_out: impl Fn(&str) -> Option<String>) -> String {
        let mark = |secret: &str| handed_out(secret).unwrap_or_else(|| self.mark(secret));
        if BARE_SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(value)) {
            return value.to_owned();
        }
        // What has no scheme in front may be a secret as a whole.
        let Some((scheme, rest)) = value.split_once(' ').filter(|(scheme, _)| scheme.bytes().all(is_of_a_scheme)) else {
            return mark(value);
        };
        let is_basic = scheme.eq_ignore_ascii_case("basic");
        let scheme = self.text(scheme);
        if !is_basic {
            return format!("{scheme} {}", mark(rest));
        }
        let decoded = STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        match decoded.as_deref().and_then(|pair| pair.split_once(':')) {
            Some((login, secret)) => format!("{scheme} {}:{}", self.text(login), self.mark(secret)),
            None => format!("{scheme} {UNKNOWN_SECRET}"),
        }
    }

    /// Replaces the secrets in every string of a value, keys included. A number that is a secret becomes a text.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                let found = self.found(text.as_bytes());
                if !found.is_empty() {
                    *text = replace(text, found);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => {
                map.values_mut().for_each(|item| self.value(item));
                if map.keys().any(|key| self.knows(key.as_bytes())) {
                    *map = std::mem::take(map).into_iter().map(|(key, item)| (self.text(&key), item)).collect();
                }
            }
            Value::Number(number) if self.holds_a_number && self.knows(number.to_string().as_bytes()) => {
                *value = Value::String(self.text(&number.to_string()));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The schemes of `Authorization` that are recorded where nothing follows them.
const BARE_SCHEMES: [&str; 2] = ["Basic", "Bearer"];

/// Whether the name of a scheme may contain this byte (RFC 9110, section 5.6.2).
fn is_of_a_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Hides secrets in what is about to be recorded.
pub(crate) trait Masking {
    /// Whether these bytes contain anything to hide.
    fn touches(&self, bytes: &[u8]) -> bool;

    /// Hides secrets in a value.
    fn mask(&self, value: &mut Value);
}

/// Replaces one value in a text by a mark, in each of its spellings.
pub(crate) fn hide(text: &str, value: &str, mark: &str) -> String {
    let spellings = match value.len() {
        0 => Vec::new(),
        1..=LONG => spellings_of(&Secret { owner: String::new(), logins: Vec::new(), value: value.to_owned() }),
        _ => escapes(value),
    };
    hidden(text, &spellings, mark)
}

/// The length beyond which only the plain spelling of a value is hidden: no secret is longer, and all spellings of megabytes
/// would take hundreds of them.
const LONG: usize = 16 * 1024;

/// Whether a secret is so short or so ordinary a word or number (`test`, `CZK`, `1`, `transId`) that hiding it everywhere would
/// hide the target's own words. Such a secret is hidden where credentials are sent, and nowhere else.
pub fn is_ordinary(secret: &str) -> bool {
    let all = |is: fn(&u8) -> bool| secret.bytes().all(|byte| is(&byte));
    secret.len() < 6 || (secret.len() < 12 && all(u8::is_ascii_alphabetic)) || (secret.len() < 9 && all(u8::is_ascii_digit))
}

/// A part of a secret that is at least this long is still worth hiding.
const SHORTEST_PART: usize = 6;

/// The spellings of a secret: plain, percent-encoded (both cases, `+` for a space), as a JSON string with and without `\u`
/// escapes, in HTML, in hex, Base64 of itself at any offset and of `login:secret`; each of them escaped once more, as in a
/// response that repeats a whole request; and the parts that remain of it in a form that did not escape it.
fn spellings_of(secret: &Secret) -> Vec<String> {
    let pairs = secret.logins.iter().map(|login| format!("{login}:{}", secret.value));
    let mut texts = escapes(&secret.value);
    for text in pairs.chain([secret.value.clone()]) {
        texts.extend([STANDARD.encode(&text), URL_SAFE.encode(&text)]);
    }
    texts.extend(base64_cores(&secret.value));
    texts.extend(hex(&secret.value));
    texts.extend(html_escapes(&secret.value));
    let again: Vec<String> = texts.iter().flat_map(|text| escapes(text)).collect();
    texts.extend(again);
    texts.extend(secret.value.replace('+', " ").split('&').filter(|part| part.len() >= SHORTEST_PART).map(str::to_owned));
    texts.sort();
    texts.dedup();
    texts
}

/// A text and its escaped spellings.
fn escapes(text: &str) -> Vec<String> {
    let mut percent = String::new();
    form::escape(text, &mut percent);
    // Most tokens have no character that anything escapes.
    if percent == text {
        return vec![percent];
    }
    let json = Value::String(text.to_owned()).to_string();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned();
    vec![
        text.to_owned(),
        percent.replace("%20", "+"),
        lower_escapes(&percent),
        percent,
        json.replace('/', "\\/"),
        unicode_escapes(text),
        json,
    ]
}

fn lower_escapes(percent: &str) -> String {
    let mut parts = percent.split('%');
    let mut lowered = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        lowered.extend(["%", &digits.to_ascii_lowercase(), rest]);
    }
    lowered
}

fn unicode_escapes(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(ascii @ 32..127) if ascii != b'"' && ascii != b'\\' => escaped.push(char::from(ascii)),
            _ => escaped.push_str(&format!("\\u{unit:04x}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masker(value: &str) -> Masker {
        Masker::new(vec![Secret { owner: "main".into(), logins: vec!["100001".into()], value: value.into() }])
    }

    #[test]
    fn a_mark_names_the_owner_of_the_secret() {
        let masker = masker("s3cr3t/ž");
        assert_eq!(masker.mark("s3cr3t/ž"), "***main***");
        assert_eq!(masker.mark("guess"), UNKNOWN_SECRET);
        assert_eq!(masker.mark(""), "");
    }

    #[test]
    fn the_basic_header_keeps_its_login() {
        let header = format!("Basic {}", STANDARD.encode("100001:s3cr3t"));
        assert_eq!(masker("s3cr3t").authorization(&header, |_| None), "Basic 100001:***main***");
        assert_eq!(masker("s3cr3t").authorization("Bearer abc.def", |_| None), format!("Bearer {UNKNOWN_SECRET}"));
        assert_eq!(masker("s3cr3t").authorization("Basic %%%", |_| None), format!("Basic {UNKNOWN_SECRET}"));
    }

    #[test]
    fn a_header_without_a_scheme_is_a_secret_as_a_whole() {
        let masker = masker("s3cr3t-4d1b");
        for (header, recorded) in [
            ("s3cr3t-4d1b", "***main***"),
            ("guess", UNKNOWN_SECRET),
            ("Basic\tMTAwMDAxOnMzY3IzdC00ZDFi", UNKNOWN_SECRET),
            ("Basic\ts3cr3t-4d1b and more", UNKNOWN_SECRET),
            ("s3cr3t-4d1b abc", "***main*** ***unknown***"),
            ("Basic", "Basic"),
            ("bearer", "bearer"),
            ("", ""),
        ] {
            assert_eq!(masker.authorization(header, |_| None), recorded, "{header}");
        }
        assert_eq!(masker.authorization("abc.def", |token| Some(format!("***{token}***"))), "***abc.def***");
    }

    #[test]
    fn a_value_of_any_length_is_hidden() {
        for length in [1, LONG, LONG + 1, 300_000] {
            let value = "é+".repeat(length / 3 + 1);
            let mut form = String::new();
            form::escape(&value, &mut form);
            assert_eq!(hide(&format!("a={form}&b={value}!"), &value, "***"), "a=***&b=***!", "{length}");
        }
        assert_eq!(hide("text", "", "***"), "text");
    }

    #[test]
    fn an_ordinary_word_is_hidden_in_its_place_alone() {
        for word in ["test", "CZK", "1", "transId", "12345678", ""] {
            let masker = masker(word);
            assert_eq!(masker.text(&format!("status={word}&a=%41{word}")), format!("status={word}&a=%41{word}"));
            assert_eq!(masker.mark(word), if word.is_empty() { "" } else { "***main***" });
        }
        assert!(!is_ordinary("s3cr3t") && !is_ordinary("correcthorsebattery") && !is_ordinary("123456789"));
    }

    #[test]
    fn a_number_that_is_a_secret_is_hidden() {
        let mut value = serde_json::json!({ "a": 9_081_726_354_819_u64, "b": [1, 9_081_726_354_819_u64, 12.5] });
        masker("9081726354819").value(&mut value);
        assert_eq!(value, serde_json::json!({ "a": "***main***", "b": [1, "***main***", 12.5] }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_characters_may_be_escaped_as_json_and_html_do(secret in "[a-zA-Z0-9+/\"\\\\<&ž🔑]{6,20}[-_]", which: u32, twice: bool) {
            let escaped = |escape: &dyn Fn(char) -> String| {
                let text: String = secret.chars().enumerate().map(|(i, c)| {
                    if which >> (i % 32) & 1 == 1 || "\"\\<&".contains(c) { escape(c) } else { c.to_string() }
                }).collect();
                if twice { text.replace('\\', "\\\\").replace('&', "&amp;") } else { text }
            };
            let json = escaped(&|c| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect());
            let decimal = escaped(&|c| format!("&#{};", u32::from(c)));
            let hexadecimal = escaped(&|c| format!("&#x{:04x};", u32::from(c)));
            for spelled in [json, decimal, hexadecimal] {
                prop_assert_eq!(masker(&secret).text(&format!("a={spelled}, b")), "a=***main***, b", "{}", spelled);
                prop_assert!(masker(&secret).knows(spelled.as_bytes()));
            }
        }

        #[test]
        fn any_characters_may_be_percent_encoded_in_any_case(secret in "[a-zA-Z0-9+/=]{6,20}[-_]", which: u32, lower: bool) {
            let mut written = String::new();
            for (index, byte) in secret.bytes().enumerate() {
                match (which >> (index % 32) & 1 == 1, lower) {
                    (false, _) => written.push(char::from(byte)),
                    (true, true) => written.push_str(&format!("%{byte:02x}")),
                    (true, false) => written.push_str(&format!("%{byte:02X}")),
                }
            }
            prop_assert_eq!(masker(&secret).text(&format!("a={written}&b=%ff")), "a=***main***&b=%ff");
        }

        #[test]
        fn base64_hides_it_at_no_offset_and_hex_not_at_all(secret in "[a-zA-Z0-9+/=]{11,20}-", before in "[a-z]{0,5}", after in "[a-z]{0,5}") {
            let masker = masker(&secret);
            let whole = format!("{before}{secret}{after}");
            for text in [STANDARD.encode(&whole), URL_SAFE.encode(&whole)] {
                prop_assert!(masker.text(&text).contains("***main***"), "{}", text);
            }
            let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
            prop_assert_eq!(masker.text(&hex), "***main***");
            prop_assert_eq!(masker.text(&hex.to_uppercase()), "***main***");
        }

        #[test]
        fn no_spelling_of_a_secret_survives(secret in "[a-zA-Z0-9 +/=&%\"\\\\žř]{8,20}") {
            let masker = masker(&secret);
            let mut form = String::new();
            form::escape(&secret, &mut form);
            let json = serde_json::json!({"k": secret}).to_string();
            let basic = STANDARD.encode(format!("100001:{secret}"));
            let all = format!("{secret} secret={form} {json} {basic}");
            let masked = masker.text(&all);
            for spelling in [&secret, &form, &basic] {
                prop_assert!(!masked.contains(spelling.as_str()), "{masked}");
            }
        }
    }
}
