//! JSON request bodies: one flat object, read without building a tree.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Fields;
use super::fields::{Unreadable, Value};

/// The media type of responses.
pub(crate) const MEDIA_TYPE: &str = "application/json; charset=UTF-8";

/// Reads an object. Anything else, malformed JSON and repeated fields are refused; nested values are not read.
pub(crate) fn decode(body: &[u8]) -> Result<Fields<'_>, Unreadable> {
    let text = std::str::from_utf8(body).map_err(|_| Unreadable("the JSON is not UTF-8"))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let Object(fields) = Object::deserialize(&mut reader).map_err(|_| Unreadable("the body is not a JSON object with each field once"))?;
    reader.end().map_err(|_| Unreadable("something follows the JSON object"))?;
    Ok(fields)
}

struct Object<'a>(Fields<'a>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::new(false);
        while let Some((Text(name), Scalar(value))) = object.next_entry()? {
            fields.add(name, value).map_err(|Unreadable(why)| A::Error::custom(why))?;
        }
        Ok(Object(fields))
    }
}

/// Text, borrowed from the body where nothing in it is escaped.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

struct Scalar<'a>(Option<Value<'a>>);

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar(Some(Value::Text(Cow::Borrowed(text)))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar(Some(Value::Text(Cow::Owned(text.to_owned())))))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar(Some(Value::Integer(number))))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar(Some(i64::try_from(number).map_or(Value::Other, Value::Integer))))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Scalar(Some(Value::Decimal(number))))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar(Some(Value::Boolean(flag))))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Scalar(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(Some(Value::Other)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(Some(Value::Other)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn values_keep_their_types() {
        let fields =
            decode(br#"{"text":"a\n","number":7,"digits":"7","flag":true,"word":"false","nothing":null,"deep":{"a":[1]}}"#).unwrap();
        assert_eq!(fields.text("text"), Ok(Some("a\n")));
        assert_eq!((fields.integer("number"), fields.integer("digits")), (Ok(Some(7)), Ok(Some(7))));
        assert_eq!((fields.flag("flag"), fields.flag("word")), (Ok(Some(true)), Ok(Some(false))));
        assert_eq!(fields.text("nothing"), Ok(None));
        assert!(fields.text("deep").is_err() && fields.text("number").is_err() && fields.flag("number").is_err());
    }

    #[test]
    fn fractions_and_huge_numbers_are_no_int32() {
        let fields = decode(br#"{"a":1.5,"b":100.0,"c":2147483648,"d":18446744073709551615,"e":1e400000000}"#);
        assert!(fields.is_err(), "a number out of any range makes the text unreadable");
        let fields = decode(br#"{"a":1.5,"b":100.0,"c":2147483648,"d":18446744073709551615}"#).unwrap();
        assert!(["a", "b", "c", "d"].into_iter().all(|name| fields.integer(name).is_err()));
        let fields = fields.loosely();
        assert_eq!(fields.integer("b"), Ok(Some(100)), "JSON Schema calls it an integer");
        assert!(["a", "c", "d"].into_iter().all(|name| fields.integer(name).is_err()));
    }

    #[test]
    fn one_and_zero_are_booleans_where_fields_are_read_loosely_only() {
        let fields = decode(br#"{"one":1,"zero":0,"word one":"1","word zero":"0","two":2,"less":-1,"half":1.0,"word two":"2"}"#);
        let fields = fields.unwrap();
        let names = ["one", "zero", "word one", "word zero"];
        assert!(names.into_iter().all(|name| fields.flag(name).is_err()));
        let fields = fields.loosely();
        assert_eq!(names.map(|name| fields.flag(name)), [Ok(Some(true)), Ok(Some(false)), Ok(Some(true)), Ok(Some(false))]);
        assert!(["two", "less", "half", "word two"].into_iter().all(|name| fields.flag(name).is_err()));
    }

    #[test]
    fn only_one_object_with_each_field_once_is_read() {
        for broken in [&b""[..], b"[]", b"1", b"{", b"{}{}", br#"{"a":1,"a":1}"#, b"{\"a\":\"\xff\"}", &[b'['; 100_000]] {
            assert!(decode(broken).is_err());
        }
    }
}
