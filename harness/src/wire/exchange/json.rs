//! JSON, with what `serde_json::Value` would hide: repeated keys.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::body_fault::{BodyFault, FewFaults, MOST_FIELDS};

/// How many values a text may have however short they are, and from how many bytes each on average there may be more. A value takes a
/// hundred bytes of memory, and those of documented lists are longer than this.
const SHORT_VALUES: usize = 65_536;
const BYTES_OF_A_VALUE: usize = 8;

/// Decodes a JSON text. A repeated key keeps its first value and is a fault.
pub fn decode_json(bytes: &[u8]) -> Result<(Value, Vec<BodyFault>), BodyFault> {
    let mut value = Value::Null;
    let faults = decode_json_into(&mut value, bytes, 0)?;
    Ok((value, faults))
}

/// Decodes a JSON text into a value left by an earlier text, reusing its memory.
pub(crate) fn decode_json_over(value: &mut Value, bytes: &[u8]) -> Result<Vec<BodyFault>, BodyFault> {
    decode_json_into(value, bytes, 0)
}

/// Decodes a JSON text at an offset of a larger one. Values of the same shape are overwritten in place, which suits the items of
/// a list.
pub(super) fn decode_json_into(value: &mut Value, bytes: &[u8], offset: usize) -> Result<Vec<BodyFault>, BodyFault> {
    let text = std::str::from_utf8(bytes).map_err(|e| BodyFault::at_byte(offset + e.valid_up_to(), "the JSON text is not UTF-8"))?;
    let reading = Reading { offset, faults: RefCell::default(), values_left: Cell::new(SHORT_VALUES.max(bytes.len() / BYTES_OF_A_VALUE)) };
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Over { value, reading: &reading }.deserialize(&mut reader).and_then(|()| reader.end());
    read.map_err(|e| BodyFault::at_byte(offset + offset_of(text, e.line(), e.column()), explained(&e)))?;
    Ok(reading.faults.into_inner().into_list())
}

/// The largest number below which a floating point number has each whole number.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The whole number that is written with a point or an exponent: JSON knows numbers, not how they are written, so `0.0` is the code 0.
#[allow(clippy::cast_possible_truncation, reason = "it has no fraction, and is within the range")]
fn whole_number(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE).then_some(value as i64)
}

fn explained(error: &serde_json::Error) -> String {
    if error.is_data() { format!("not read: {error}") } else { format!("not JSON: {error}") }
}

fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    before + column.saturating_sub(1)
}

/// A text while it is read.
struct Reading {
    /// Its place in a larger text; its faults are there.
    offset: usize,
    faults: RefCell<FewFaults>,
    /// How many more values may be read.
    values_left: Cell<usize>,
}

impl Reading {
    fn repeats(&self, key: &str) {
        self.faults.borrow_mut().add(|| BodyFault::at_byte(self.offset, format!("the key `{key}` is repeated")));
    }

    /// Counts a value. Fails if there are too many.
    fn begin_value<E: Error>(&self) -> Result<(), E> {
        let left = self.values_left.get().checked_sub(1).ok_or_else(|| E::custom("it has too many values"))?;
        self.values_left.set(left);
        Ok(())
    }
}

/// Deserialises over an existing value.
struct Over<'v, 'r> {
    value: &'v mut Value,
    reading: &'r Reading,
}

impl<'de> DeserializeSeed<'de> for Over<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.reading.begin_value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Over<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        *self.value = Value::Bool(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        *self.value = value.into();
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        *self.value = value.into();
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        *self.value = whole_number(value).map_or_else(|| value.into(), Value::from);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        match self.value {
            Value::String(text) => {
                text.clear();
                text.push_str(value);
            }
            other => *other = Value::String(value.to_owned()),
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        *self.value = Value::Null;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut items = Vec::new();
        loop {
            let mut value = Value::Null;
            if seq.next_element_seed(Over { value: &mut value, reading: self.reading })?.is_none() {
                break;
            }
            items.push(value);
        }
        *self.value = Value::Array(items);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut map = match std::mem::take(self.value) {
            Value::Object(map) => map,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
        };
        let (same, mut next) = write_over(&mut map, &mut entries, self.reading)?;
        if same < map.len() {
            map = map.into_iter().take(same).collect();
        }
        while let Some(key) = next {
            let mut value = Value::Null;
            entries.next_value_seed(Over { value: &mut value, reading: self.reading })?;
            if map.contains_key(&key) {
                self.reading.repeats(&key);
            } else if map.len() == MOST_FIELDS {
                return Err(A::Error::custom(format!("an object of more than {MOST_FIELDS} fields")));
            } else {
                map.insert(key, value);
            }
            next = entries.next_key()?;
        }
        *self.value = Value::Object(map);
        Ok(())
    }
}

/// Overwrites the values of a mapping as long as the keys are the same in the same order. Returns how many were, and the first
/// other key.
fn write_over<'de, A: MapAccess<'de>>(
    map: &mut Map<String, Value>,
    entries: &mut A,
    reading: &Reading,
) -> Result<(usize, Option<String>), A::Error> {
    let mut same = 0;
    for (key, value) in map.iter_mut() {
        match entries.next_key_seed(KeyLike(key))? {
            Some(None) => entries.next_value_seed(Over { value, reading })?,
            Some(other) => return Ok((same, other)),
            None => return Ok((same, None)),
        }
        same += 1;
    }
    Ok((same, entries.next_key()?))
}

/// Reads a key; returns nothing if it equals this one.
struct KeyLike<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for KeyLike<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyLike<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<String>, E> {
        Ok((key != self.0).then(|| key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_repeated_key_is_noticed_at_any_depth() {
        let (value, faults) = decode_json(br#"{"code":0,"a":[{"b":1,"b":2}],"code":1}"#).unwrap();
        assert_eq!(value, json!({"code": 0, "a": [{"b": 1}]}));
        assert_eq!(
            faults.iter().map(|f| f.message.as_str()).collect::<Vec<_>>(),
            ["the key `b` is repeated", "the key `code` is repeated"]
        );
    }

    #[test]
    fn of_very_many_repeated_keys_the_first_ones_are_listed() {
        let text = format!("{{{}\"b\":0}}", "\"a\":0,".repeat(5_000));
        let (_, faults) = decode_json(text.as_bytes()).unwrap();
        assert_eq!(faults.last().map(|fault| fault.message.as_str()), Some("4899 more faults are not listed"));
        assert_eq!(faults.len(), 101);
    }

    #[test]
    fn a_text_of_very_many_values_or_fields_is_not_read() {
        let list = |values: usize, value: &str| format!("[{value}{}]", format!(",{value}").repeat(values - 2));
        let object = |fields: usize| format!("{{{}}}", (0..fields).map(|index| format!("\"k{index}\":0")).collect::<Vec<_>>().join(","));
        for read in [list(SHORT_VALUES, "0"), list(2 * SHORT_VALUES, "\"123456\""), object(MOST_FIELDS)] {
            assert!(decode_json(read.as_bytes()).is_ok());
        }
        for (unread, reason) in [
            (list(SHORT_VALUES + 1, "0"), "not read: it has too many values"),
            (object(MOST_FIELDS + 1), "not read: an object of more than 10000 fields"),
        ] {
            let fault = decode_json(unread.as_bytes()).unwrap_err();
            assert!(fault.message.starts_with(reason), "{}", fault.message);
        }
    }

    #[test]
    fn what_is_not_json_says_where() {
        assert_eq!(decode_json(b"{\"code\":0").unwrap_err().position.to_string(), "byte 8");
        assert!(decode_json(b"{} {}").unwrap_err().message.contains("trailing"));
        assert_eq!(decode_json(b"\"\xff\"").unwrap_err().position.to_string(), "byte 1");
        assert!(decode_json("[".repeat(100_000).as_bytes()).unwrap_err().message.contains("recursion"));
    }

    #[test]
    fn an_item_is_written_over_the_one_before_and_keeps_nothing_of_it() {
        let mut value = Value::Null;
        for text in [
            r#"{"a":1,"b":"x","c":{"d":[1,2]}}"#,
            r#"{"a":2,"b":"y","c":{"d":[3]}}"#,
            r#"{"a":2,"b":null}"#,
            r#"{"b":"z","a":2,"c":"w"}"#,
            r#"{"b":"z","a":2,"c":"w","d":true}"#,
            r#"{}"#,
            r#"[1]"#,
            r#"{"a":"x"}"#,
        ] {
            assert_eq!(decode_json_over(&mut value, text.as_bytes()).unwrap(), []);
            assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(value.to_string(), text, "in the order in which it is written");
        }
        let faults = decode_json_into(&mut value, br#"{"a":"y","a":"z"}"#, 100).unwrap();
        assert_eq!((value, faults[0].position.to_string()), (json!({"a": "y"}), "byte 100".to_owned()));
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let (value, _) = decode_json(br#"[0.0, 1e2, -2.50e1, 0.5, 1e300]"#).unwrap();
        assert_eq!(value, json!([0, 100, -25, 0.5, 1e300]));
    }

    proptest! {
        #[test]
        fn it_reads_what_serde_json_reads(text in "[\\[\\]{}:,\"a-c0-9.e -]{0,24}") {
            let ours = decode_json(text.as_bytes());
            prop_assert_eq!(ours.is_ok(), serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}
