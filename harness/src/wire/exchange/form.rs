//! `application/x-www-form-urlencoded`, from the raw bytes: a lenient library would hide exactly what a
//! contract test is there to see (repeated keys, broken escapes, bytes that are not UTF-8).

use std::borrow::Cow;

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::body_fault::{BodyFault, FewFaults, MOST_FIELDS};
use crate::base::text::hex_byte;

/// Decodes a form to an object of strings. A repeated key keeps its first value and is a fault; so is an
/// escape that isn't one. Bytes that are not UTF-8 can't be read.
pub fn decode_form(bytes: &[u8]) -> Result<(Map<String, Value>, Vec<BodyFault>), BodyFault> {
    let mut fields = Map::new();
    let faults = decode_form_over(&mut fields, bytes)?;
    Ok((fields, faults))
}

/// Decodes a form into the fields left by an earlier one, reusing their memory: fields are overwritten in place as long as the keys are
/// the same in the same order.
pub(crate) fn decode_form_over(fields: &mut Map<String, Value>, bytes: &[u8]) -> Result<Vec<BodyFault>, BodyFault> {
    let mut faults = FewFaults::default();
    let mut pairs = Pairs { bytes, offset: 0 };
    let mut next = pairs.next();
    let mut same = 0;
    for (key, value) in fields.iter_mut() {
        let Some(pair) = next.as_ref().filter(|pair| pair.key == key.as_bytes() && !is_escaped(pair.key)) else { break };
        let written = unescape(pair.value, pair.value_at(), &mut faults)?;
        write_over(value, &written);
        same += 1;
        next = pairs.next();
    }
    if same < fields.len() {
        *fields = std::mem::take(fields).into_iter().take(same).collect();
    }
    while let Some(pair) = next {
        let key = unescape(pair.key, pair.offset, &mut faults)?;
        let value = unescape(pair.value, pair.value_at(), &mut faults)?;
        let is_full = fields.len() == MOST_FIELDS;
        match fields.entry(key) {
            Entry::Vacant(_) if is_full => {
                return Err(BodyFault::at_byte(pair.offset, format!("not read: more than {MOST_FIELDS} fields")));
            }
            Entry::Vacant(vacant) => {
                vacant.insert(Value::String(value.into_owned()));
            }
            Entry::Occupied(known) => {
                faults.add(|| BodyFault::at_byte(pair.offset, format!("the key `{}` is repeated", known.key())));
            }
        }
        next = pairs.next();
    }
    Ok(faults.into_list())
}

fn write_over(value: &mut Value, text: &str) {
    match value {
        Value::String(known) => {
            known.clear();
            known.push_str(text);
        }
        other => *other = Value::String(text.to_owned()),
    }
}

/// One pair of a form as it is written.
struct Pair<'b> {
    key: &'b [u8],
    value: &'b [u8],
    /// Where it begins.
    offset: usize,
}

impl Pair<'_> {
    fn value_at(&self) -> usize {
        self.offset + self.key.len() + 1
    }
}

/// The pairs of a form; empty ones are left out.
struct Pairs<'b> {
    bytes: &'b [u8],
    offset: usize,
}

impl<'b> Iterator for Pairs<'b> {
    type Item = Pair<'b>;

    fn next(&mut self) -> Option<Pair<'b>> {
        while !self.bytes.is_empty() {
            let end = self.bytes.iter().position(|byte| *byte == b'&').unwrap_or(self.bytes.len());
            let (pair, rest) = self.bytes.split_at(end);
            let offset = self.offset;
            self.offset += end + 1;
            self.bytes = rest.get(1..).unwrap_or_default();
            if !pair.is_empty() {
                let split = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
                let (key, value) = pair.split_at(split);
                return Some(Pair { key, value: value.strip_prefix(b"=").unwrap_or(value), offset });
            }
        }
        None
    }
}

fn is_escaped(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, b'+' | b'%'))
}

fn unescape<'b>(bytes: &'b [u8], offset: usize, faults: &mut FewFaults) -> Result<Cow<'b, str>, BodyFault> {
    let not_utf8 = |valid: usize| BodyFault::at_byte(offset + valid, "the form is not UTF-8");
    if !is_escaped(bytes) {
        return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| not_utf8(error.valid_up_to()));
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'+' => out.push(b' '),
            b'%' => match bytes.get(at + 1).zip(bytes.get(at + 2)).and_then(|(high, low)| hex_byte(*high, *low)) {
                Some(byte) => {
                    out.push(byte);
                    at += 2;
                }
                None => {
                    faults.add(|| BodyFault::at_byte(offset + at, "`%` is not followed by two hexadecimal digits"));
                    out.push(b'%');
                }
            },
            other => out.push(*other),
        }
        at += 1;
    }
    String::from_utf8(out).map(Cow::Owned).map_err(|error| not_utf8(error.utf8_error().valid_up_to()))
}

/// Encodes pairs: every byte but letters, digits and `-._~` is escaped, a space as `%20`.
pub fn encode_form<'p>(pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let mut out = String::new();
    for (key, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        escape(key, &mut out);
        out.push('=');
        escape(value, &mut out);
    }
    out
}

/// Percent-encodes into `out`.
pub fn escape(text: &str, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().map_or('0', char::from);
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(text: &str) -> (Value, Vec<String>) {
        let (map, faults) = decode_form(text.as_bytes()).unwrap();
        (Value::Object(map), faults.into_iter().map(|f| format!("{}: {}", f.position, f.message)).collect())
    }

    #[test]
    fn both_spellings_of_a_space_and_any_utf8_are_read() {
        assert_eq!(
            read("label=a+b%20c&name=P%C5%99%C3%ADpad&x=&y"),
            (json!({"label": "a b c", "name": "Případ", "x": "", "y": ""}), vec![])
        );
    }

    #[test]
    fn a_form_of_very_many_fields_is_not_read() {
        let form = |fields: usize| (0..fields).map(|index| format!("k{index}=0&")).collect::<String>();
        assert!(decode_form(form(MOST_FIELDS).as_bytes()).is_ok());
        assert_eq!(decode_form(form(MOST_FIELDS + 1).as_bytes()).unwrap_err().message, "not read: more than 10000 fields");
    }

    #[test]
    fn of_very_many_faults_the_first_ones_are_listed() {
        for text in ["a=0&".repeat(5_001), "%".repeat(5_000)] {
            let (_, faults) = decode_form(text.as_bytes()).unwrap();
            assert_eq!(faults.last().map(|fault| fault.message.as_str()), Some("4900 more faults are not listed"));
            assert_eq!(faults.len(), 101);
        }
    }

    #[test]
    fn a_repeated_key_is_noticed_and_the_first_value_kept() {
        assert_eq!(read("code=0&code=1400"), (json!({"code": "0"}), vec!["byte 7: the key `code` is repeated".to_owned()]));
    }

    #[test]
    fn a_broken_escape_is_noticed() {
        assert_eq!(read("a=5%zz"), (json!({"a": "5%zz"}), vec!["byte 3: `%` is not followed by two hexadecimal digits".to_owned()]));
    }

    #[test]
    fn what_is_not_utf8_cannot_be_read() {
        assert_eq!(decode_form(b"a=%ff").unwrap_err().message, "the form is not UTF-8");
        assert_eq!(decode_form(b"a=\xff").unwrap_err().position.to_string(), "byte 2");
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(pairs in proptest::collection::hash_map("\\PC{0,12}", "\\PC{0,12}", 0..6)) {
            let text = encode_form(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())));
            let (map, faults) = decode_form(text.as_bytes()).unwrap();
            prop_assert!(faults.is_empty());
            // An empty pair is written as `=`, which still is a pair.
            let expected: Map<_, _> = pairs.into_iter().map(|(k, v)| (k, Value::String(v))).collect();
            prop_assert_eq!(Value::Object(map), Value::Object(expected));
        }

        #[test]
        fn a_form_over_another_one_keeps_nothing_of_it(
            one in "([gh+]=?[g4%+]{0,3}[&=]?){0,6}",
            other in "([gh+]=?[g4%+]{0,3}[&=]?){0,6}",
            read: bool,
        ) {
            let alone = decode_form(other.as_bytes());
            let (mut fields, _) = decode_form(one.as_bytes()).unwrap();
            if read {
                // As a schema leaves it.
                fields.values_mut().for_each(|value| *value = Value::from(1));
            }
            let faults = decode_form_over(&mut fields, other.as_bytes()).unwrap();
            let order: Vec<String> = fields.keys().cloned().collect();
            let expected: Vec<String> = alone.as_ref().map(|(fields, _)| fields.keys().cloned().collect()).unwrap_or_default();
            prop_assert_eq!(order, expected);
            prop_assert_eq!(Ok((fields, faults)), alone);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode_form(&bytes);
        }
    }
}
