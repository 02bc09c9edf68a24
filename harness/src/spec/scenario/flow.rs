//! JSON values as YAML on one line.

use serde_json::Value;

/// A value in YAML's flow style.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{}: {}", key(name), flow(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '/'));
    if plain { name.to_owned() } else { Value::String(name.to_owned()).to_string() }
}

/// Whether YAML reads a text as itself without quotes.
fn is_plain(text: &str) -> bool {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let starts_as_text = text.starts_with(|c: char| c.is_ascii_alphabetic());
    starts_as_text
        && !reserved.iter().any(|word| text.eq_ignore_ascii_case(word))
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_reads_back_as_it_was_written() {
        let value = json!({"transId": "{{ payment_1 }}", "amount": 1, "curr": "CZK", "test": "true", "case": "Null", "note": "a \"b\": c", "list": [1, null]});
        let text = flow(&value);
        let source = crate::base::source::Source::new("t.yaml", text.clone());
        let read = source.parse(&mut crate::base::source::Problems::new()).unwrap().to_json();
        assert_eq!(read, value, "{text}");
    }
}
