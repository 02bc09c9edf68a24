//! `application/x-www-form-urlencoded`, from the raw bytes: a lenient library would hide exactly what a
//! contract test is there to see (repeated keys, broken escapes, bytes that are not UTF-8).

use serde_json::{Map, Value};

use super::body_fault::{BodyFault, FewFaults, MOST_FIELDS};

/// Decodes a form to an object of strings. A repeated key keeps its first value and is a fault; so is an
/// escape that isn't one. Bytes that are not UTF-8 can't be read.
pub fn decode_form(bytes: &[u8]) -> Result<(Map<String, Value>, Vec<BodyFault>), BodyFault> {
    let mut fields = Map::new();
    let mut faults = FewFaults::default();
    let mut offset = 0;
    for pair in bytes.split(|b| *b == b'&') {
        if !pair.is_empty() {
            let split = pair.iter().position(|b| *b == b'=').unwrap_or(pair.len());
            let (key, value) = pair.split_at(split);
            let key = unescape(key, offset, &mut faults)?;
            let value = unescape(value.strip_prefix(b"=").unwrap_or(value), offset + split + 1, &mut faults)?;
            if fields.contains_key(&key) {
                faults.add(|| BodyFault::at_byte(offset, format!("the key `{key}` is repeated")));
            } else if fields.len() == MOST_FIELDS {
                return Err(BodyFault::at_byte(offset, format!("not read: more than {MOST_FIELDS} fields")));
            } else {
                fields.insert(key, Value::String(value));
            }
        }
        offset += pair.len() + 1;
    }
    Ok((fields, faults.into_list()))
}

fn unescape(bytes: &[u8], offset: usize, faults: &mut FewFaults) -> Result<String, BodyFault> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'+' => out.push(b' '),
            b'%' => match bytes.get(at + 1).zip(bytes.get(at + 2)).and_then(|(h, l)| hex(*h).zip(hex(*l))) {
                Some((high, low)) => {
                    out.push(high * 16 + low);
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
    String::from_utf8(out).map_err(|e| BodyFault::at_byte(offset + e.utf8_error().valid_up_to(), "the form is not UTF-8"))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
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
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode_form(&bytes);
        }
    }
}
