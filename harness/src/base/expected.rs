//! What was expected and what was there instead, in words.

use serde_json::Value;
use unicode_width::UnicodeWidthChar as _;

/// Both in words, so that a reader sees how they differ: what would look the same is escaped.
pub(crate) fn compared(expected: Option<&Value>, got: Option<&Value>) -> [Option<String>; 2] {
    [expected.map(in_words), got.map(seen)].map(|words| words.as_deref().map(escaped))
}

/// What was there, as it is. Only a length, which stands for a list of another one, is told in words: a target may send what looks like
/// any other matcher.
fn seen(got: &Value) -> String {
    match matcher(got) {
        Some(("$length", Value::Number(_))) => in_words(got),
        _ => got.to_string(),
    }
}

/// A text whose combining marks, characters without a width and blanks of other kinds are spelled as JSON does.
fn escaped(text: &str) -> String {
    let looks_like_another = |c: char| c.width() == Some(0) || (c.is_whitespace() && c != ' ');
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if looks_like_another(c) {
            shown.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A value as it is, and a matcher of a scenario (`{"$any": true}`, see docs/scenarios.md) in words.
pub(crate) fn in_words(expected: &Value) -> String {
    matcher(expected).and_then(|(name, value)| of_matcher(name, value)).unwrap_or_else(|| expected.to_string())
}

/// The name and the value of a matcher: an object of one field.
fn matcher(expected: &Value) -> Option<(&str, &Value)> {
    let mut fields = expected.as_object()?.iter();
    let (name, value) = fields.next()?;
    fields.next().is_none().then_some((name.as_str(), value))
}

fn of_matcher(name: &str, value: &Value) -> Option<String> {
    let inner = in_words(value);
    Some(match name {
        "$any" => "any value".to_owned(),
        "$absent" => "no value".to_owned(),
        "$not" => format!("anything but {inner}"),
        "$one-of" => value.as_array()?.iter().map(in_words).collect::<Vec<_>>().join(" or "),
        "$pattern" => format!("a text that matches `{}`", value.as_str()?),
        "$greater-than" => format!("more than {inner}"),
        "$less-than" => format!("less than {inner}"),
        "$at-least" => format!("at least {inner}"),
        "$at-most" => format!("at most {inner}"),
        "$near" => format!("a time near {inner}"),
        "$length" => format!("a length of {inner}"),
        "$amount" => format!("the amount {inner}"),
        "$contains" => format!("something that contains {inner}"),
        "$lacks" => format!("nothing in it that is {inner}"),
        "$somewhere" => format!("{inner} somewhere in it"),
        "$optional" => format!("{inner}, or no value"),
        "$unsigned" => format!("{inner}, whatever the signs"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_matcher_is_told_in_words() {
        for (expected, words) in [
            (json!({"$any": true}), "any value"),
            (json!({"$not": {"$absent": true}}), "anything but no value"),
            (json!({"$one-of": ["OPEN", 7, {"$at-least": 9}]}), "\"OPEN\" or 7 or at least 9"),
            (json!({"$optional": {"$pattern": r"^\d$"}}), r"a text that matches `^\d$`, or no value"),
            (json!({"$unsigned": {"$one-of": [4, 5]}}), "4 or 5, whatever the signs"),
            (json!({"$contains": {"$length": 3}}), "something that contains a length of 3"),
        ] {
            assert_eq!(in_words(&expected), words);
        }
    }

    #[test]
    fn texts_that_look_the_same_are_told_apart() {
        let texts = |expected: &str, got: &str| compared(Some(&json!(expected)), Some(&json!(got))).map(Option::unwrap);
        assert_eq!(texts("č. 1", "c\u{30c}. 1"), [r#""č. 1""#, r#""c\u030c. 1""#]);
        assert_eq!(texts("a b", "a\u{a0}b\u{200b}"), [r#""a b""#, r#""a\u00a0b\u200b""#]);
        assert_eq!(texts("žluťoučký 🔑", "žluťoučký 🔑 \n"), [r#""žluťoučký 🔑""#, r#""žluťoučký 🔑 \n""#]);
    }

    #[test]
    fn of_what_was_there_only_a_length_is_told_in_words() {
        let got = |got: Value| compared(None, Some(&got))[1].clone().unwrap();
        assert_eq!(got(json!({"$length": 2})), "a length of 2");
        assert_eq!(got(json!({"$absent": true})), r#"{"$absent":true}"#);
        assert_eq!(got(json!({"$length": "2"})), r#"{"$length":"2"}"#);
    }

    #[test]
    fn any_other_value_is_told_as_it_is() {
        for expected in [json!(0), json!("OPEN"), json!({}), json!({"$any": true, "a": 1}), json!({"$such": 1}), json!({"$one-of": 1})] {
            assert_eq!(in_words(&expected), expected.to_string());
        }
    }
}
