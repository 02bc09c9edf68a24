//! JSON, with what `serde_json::Value` would hide: repeated keys.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::BodyFault;

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
    let repeated = RefCell::new(Vec::new());
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Over { value, repeated: &repeated }.deserialize(&mut reader).and_then(|()| reader.end());
    read.map_err(|e| BodyFault::at_byte(offset + offset_of(text, e.line(), e.column()), format!("not JSON: {e}")))?;
    let faults = repeated.into_inner();
    Ok(faults.into_iter().map(|key| BodyFault::at_byte(offset, format!("the key `{key}` is repeated"))).collect())
}

fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    before + column.saturating_sub(1)
}

/// Deserialises over an existing value.
struct Over<'v, 'r> {
    value: &'v mut Value,
    repeated: &'r RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Over<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
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
        *self.value = value.into();
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
            if seq.next_element_seed(Over { value: &mut value, repeated: self.repeated })?.is_none() {
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
        let (same, mut next) = write_over(&mut map, &mut entries, self.repeated)?;
        if same < map.len() {
            map = map.into_iter().take(same).collect();
        }
        while let Some(key) = next {
            let mut value = Value::Null;
            entries.next_value_seed(Over { value: &mut value, repeated: self.repeated })?;
            if map.contains_key(&key) {
                self.repeated.borrow_mut().push(key);
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
    repeated: &RefCell<Vec<String>>,
) -> Result<(usize, Option<String>), A::Error> {
    let mut same = 0;
    for (key, value) in map.iter_mut() {
        match entries.next_key_seed(KeyLike(key))? {
            Some(None) => entries.next_value_seed(Over { value, repeated })?,
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
            assert_eq!(decode_json_into(&mut value, text.as_bytes(), 0).unwrap(), []);
            assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(value.to_string(), text, "in the order in which it is written");
        }
        let faults = decode_json_into(&mut value, br#"{"a":"y","a":"z"}"#, 100).unwrap();
        assert_eq!((value, faults[0].position.to_string()), (json!({"a": "y"}), "byte 100".to_owned()));
    }

    proptest! {
        #[test]
        fn it_reads_what_serde_json_reads(text in "[\\[\\]{}:,\"a-c0-9.e -]{0,24}") {
            let ours = decode_json(text.as_bytes());
            prop_assert_eq!(ours.is_ok(), serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}
