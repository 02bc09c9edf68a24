//! A JSON Pointer taken apart once, for places that are looked up again and again.

use serde_json::Value;

/// A JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    text: String,
    parts: Vec<String>,
}

impl Pointer {
    /// A pointer from its text, or from the bare name of a field.
    pub(super) fn new(text: &str) -> Self {
        if text.is_empty() || text.starts_with('/') {
            let parts = text.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
            return Self { text: text.to_owned(), parts };
        }
        Self { text: format!("/{}", super::within::escaped(text)), parts: vec![text.to_owned()] }
    }

    /// The pointer as it is written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of the fields on its way.
    pub(super) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The value that it leads to.
    pub(super) fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.parts.iter().try_fold(value, |value, part| match value {
            Value::Object(fields) => fields.get(part),
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn it_finds_what_serde_json_finds() {
        let value = json!({"a/b": {"c~d": [1, {"e": 2}]}, "": 3});
        for text in ["", "/", "/a~1b", "/a~1b/c~0d/1/e", "/a~1b/c~0d/2", "/a~1b/x", "/a~1b/c~0d/1/e/f"] {
            assert_eq!(Pointer::new(text).find(&value), value.pointer(text), "{text}");
        }
        assert_eq!(Pointer::new("a/b"), Pointer::new("/a~1b"), "a bare name is that of a field");
    }
}
