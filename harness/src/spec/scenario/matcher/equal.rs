//! When two values are the same.

use serde_json::{Number, Value};

use crate::spec::contract::AmountFormat;

/// Whether two JSON values are equal. A number is its value, however it is written: `10000.0` is 10000.
pub(super) fn equal(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Number(number), Value::Number(other)) => number == other || same_number(number, other),
        (Value::Array(items), Value::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(item, other)| equal(item, other))
        }
        (Value::Object(fields), Value::Object(others)) => {
            let has = |(name, other): (&String, &Value)| fields.get(name).is_some_and(|field| equal(field, other));
            fields.len() == others.len() && others.iter().all(has)
        }
        _ => value == other,
    }
}

/// Two integers are compared as such: a fraction holds fewer digits.
fn same_number(number: &Number, other: &Number) -> bool {
    (number.is_f64() || other.is_f64()) && number.as_f64() == other.as_f64()
}

/// Whether two texts are the same amount with a decimal comma, whatever the number of decimals and of spaces.
pub(super) fn same_amount(value: &Value, other: &Value) -> bool {
    let amount = |value: &Value| AmountFormat::Comma.minor_units(value).filter(|_| value.is_string());
    value == other || (amount(value).is_some() && amount(value) == amount(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_is_its_value_at_any_depth() {
        for (one, other) in [
            (json!(10000.0), json!(10000)),
            (json!([{ "a": 1e2 }]), json!([{ "a": 100 }])),
            (json!({ "a": 1, "b": -0.0 }), json!({ "b": 0, "a": 1.0 })),
        ] {
            assert!(equal(&one, &other) && equal(&other, &one), "{one} {other}");
        }
        for (one, other) in [
            (json!(10000.5), json!(10000)),
            (json!("10000.0"), json!(10000)),
            (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)),
            (json!([1.0]), json!([1, 1])),
            (json!({ "a": 1.0 }), json!({ "b": 1 })),
            (json!(1), json!(true)),
        ] {
            assert!(!equal(&one, &other) && !equal(&other, &one), "{one} {other}");
        }
    }

    #[test]
    fn an_amount_has_any_number_of_decimals() {
        for other in ["123,45", "123,450", "123,4500", "123,45000"] {
            assert!(same_amount(&json!(other), &json!("123,45")), "{other}");
        }
        assert!(same_amount(&json!("1 234,5000"), &json!("1234,50")) && same_amount(&json!(""), &json!("")));
        for other in ["123,4501", "123,46", "-123,45", "12345", "123.45", "", "a"] {
            assert!(!same_amount(&json!(other), &json!("123,45")), "{other}");
        }
        assert!(!same_amount(&json!(12345), &json!("123,45")), "an amount is a text");
    }
}
