//! JSON, with what `serde_json::Value` would hide: repeated keys.

use std::cell::RefCell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::BodyFault;

/// Decodes a JSON text. A repeated key keeps its first value and is a fault.
pub fn decode_json(bytes: &[u8]) -> Result<(Value, Vec<BodyFault>), BodyFault> {
    let text = std::str::from_utf8(bytes).map_err(|e| BodyFault::at_byte(e.valid_up_to(), "the JSON text is not UTF-8"))?;
    let repeated = RefCell::new(Vec::new());
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Noticing(&repeated).deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    let value = value.map_err(|e| BodyFault::at_byte(offset_of(text, e.line(), e.column()), format!("not JSON: {e}")))?;
    let faults = repeated.into_inner();
    Ok((value, faults.into_iter().map(|key| BodyFault::at_byte(0, format!("the key `{key}` is repeated"))).collect()))
}

fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    before + column.saturating_sub(1)
}

struct Noticing<'r>(&'r RefCell<Vec<String>>);

impl<'de> DeserializeSeed<'de> for Noticing<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Noticing<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Noticing(self.0))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Noticing(self.0))?;
            if map.contains_key(&key) {
                self.0.borrow_mut().push(key);
            } else {
                map.insert(key, value);
            }
        }
        Ok(Value::Object(map))
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
        assert_eq!(decode_json(b"{\"code\":0").unwrap_err().place, "byte 8");
        assert!(decode_json(b"{} {}").unwrap_err().message.contains("trailing"));
        assert_eq!(decode_json(b"\"\xff\"").unwrap_err().place, "byte 1");
        assert!(decode_json("[".repeat(100_000).as_bytes()).unwrap_err().message.contains("recursion"));
    }

    proptest! {
        #[test]
        fn it_reads_what_serde_json_reads(text in "[\\[\\]{}:,\"a-c0-9.e -]{0,24}") {
            let ours = decode_json(text.as_bytes());
            prop_assert_eq!(ours.is_ok(), serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}
