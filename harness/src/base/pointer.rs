//! JSON Pointers (RFC 6901): everything that spells, reads or compares one.
//!
//! Most pointers travel as text, because texts are what schemas, scripts and messages hold; the functions here work
//! on such texts without allocating. [`Pointer`] is one that is kept and shared, [`CompiledPointer`] one that is
//! looked up again and again. The crate `jsonptr` is not used: it unescapes every token on every lookup, knows no bare
//! field names and no general places (`/rows/*/price`), and what is left of it is shorter than its error handling.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Stands for every item of a list in a general pointer: `/rows/*/price`.
const EVERY_ITEM: &str = "*";

/// A field name as a token of a pointer: `a/b` is `a~1b`.
pub(crate) fn escaped(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1").into() } else { name.into() }
}

/// A token of a pointer as the field name that it stands for.
pub(crate) fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

/// The field names along a pointer.
pub(crate) fn names(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    tokens(pointer).map(unescaped)
}

/// The tokens of a pointer, as they are spelled.
pub(crate) fn tokens(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.split('/').skip(1)
}

/// The pointer to a field of the value at `pointer`.
pub(crate) fn field(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", escaped(name))
}

/// The pointer to an item of the list at `pointer`.
pub(crate) fn item(pointer: &str, index: usize) -> String {
    format!("{pointer}/{index}")
}

/// The pointer to the parent of the value at `pointer`, and the last token; none for the root.
pub(crate) fn split_last(pointer: &str) -> Option<(&str, &str)> {
    pointer.rsplit_once('/')
}

/// The part of a pointer below `outer`; none if it leads elsewhere.
pub(crate) fn strip_prefix<'p>(pointer: &'p str, outer: &str) -> Option<&'p str> {
    pointer.strip_prefix(outer).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether the value at `inner` is that at `outer` or a part of it.
pub(crate) fn covers(outer: &str, inner: &str) -> bool {
    strip_prefix(inner, outer).is_some()
}

/// Whether a pointer leads to this field of the root.
pub(crate) fn is_field(pointer: &str, name: &str) -> bool {
    pointer.strip_prefix('/').is_some_and(|token| token == escaped(name))
}

/// Whether a token names an item of a list by its place.
pub(crate) fn is_index(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())
}

/// A JSON Pointer that is cheap to share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pointer(Arc<str>);

impl Pointer {
    /// The pointer as it is spelled.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same pointer with `*` for every item of a list.
    #[must_use]
    pub(crate) fn general(&self) -> Self {
        if !tokens(&self.0).any(is_index) {
            return self.clone();
        }
        let tokens = self.0.split('/').map(|token| if is_index(token) { EVERY_ITEM } else { token });
        Self(tokens.collect::<Vec<_>>().join("/").into())
    }
}

impl From<&str> for Pointer {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Pointer {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A JSON Pointer taken apart once, for places that are looked up again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompiledPointer {
    text: String,
    names: Vec<String>,
}

impl CompiledPointer {
    /// Compiles a pointer, or the bare name of a field.
    pub(crate) fn new(text: &str) -> Self {
        if text.is_empty() || text.starts_with('/') {
            return Self { text: text.to_owned(), names: names(text).map(Cow::into_owned).collect() };
        }
        Self { text: field("", text), names: vec![text.to_owned()] }
    }

    /// The pointer as it is spelled.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The field names along the pointer.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The value that it leads to.
    pub(crate) fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.names.iter().try_fold(value, |value, name| match value {
            Value::Object(fields) => fields.get(name),
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_compiled_pointer_finds_what_serde_json_finds() {
        let value = json!({"a/b": {"c~d": [1, {"e": 2}]}, "": 3});
        for text in ["", "/", "/a~1b", "/a~1b/c~0d/1/e", "/a~1b/c~0d/2", "/a~1b/x", "/a~1b/c~0d/1/e/f"] {
            assert_eq!(CompiledPointer::new(text).find(&value), value.pointer(text), "{text}");
        }
        assert_eq!(CompiledPointer::new("a/b"), CompiledPointer::new("/a~1b"), "a bare name is that of a field");
    }

    #[test]
    fn a_value_covers_its_parts_and_not_its_neighbours() {
        for (outer, inner, covered) in
            [("/a", "/a", true), ("/a", "/a/b", true), ("", "/a", true), ("/a", "/ab", false), ("/a/b", "/a", false), ("/a", "", false)]
        {
            assert_eq!(covers(outer, inner), covered, "{outer} {inner}");
        }
    }

    #[test]
    fn every_item_of_a_list_is_one_general_place() {
        let general = |text: &str| Pointer::from(text).general().to_string();
        assert_eq!(general("/rows/17/Amount 2"), "/rows/*/Amount 2");
        assert_eq!(general("/v2/amount1/x_2"), "/v2/amount1/x_2");
        assert_eq!((general(""), general("/0")), (String::new(), "/*".to_owned()));
    }

    proptest! {
        #[test]
        fn any_names_can_be_spelled_and_read_back(path in proptest::collection::vec("[a-z~/01 ř]{0,6}", 0..5)) {
            let pointer = path.iter().fold(String::new(), |pointer, name| field(&pointer, name));
            prop_assert_eq!(names(&pointer).collect::<Vec<_>>(), path.clone());
            let compiled = CompiledPointer::new(&pointer);
            prop_assert_eq!((compiled.as_str(), compiled.names()), (pointer.as_str(), path.as_slice()));
            let mut value = json!(1);
            for name in path.iter().rev() {
                value = json!({ name: value });
            }
            prop_assert_eq!(compiled.find(&value), Some(&json!(1)));
            prop_assert_eq!(value.pointer(&pointer), Some(&json!(1)));
        }

        #[test]
        fn a_pointer_covers_exactly_what_begins_with_its_names(
            outer in proptest::collection::vec("[ab~/]{0,2}", 0..3), inner in proptest::collection::vec("[ab~/]{0,2}", 0..4),
        ) {
            let spelled = |path: &[String]| path.iter().fold(String::new(), |pointer, name| field(&pointer, name));
            prop_assert_eq!(covers(&spelled(&outer), &spelled(&inner)), inner.starts_with(&outer));
        }

        #[test]
        fn a_general_pointer_is_its_own_general_form(text in "(/[a-z0-9*~]{0,3}){0,4}") {
            let general = Pointer::from(text).general();
            prop_assert_eq!(general.general(), general.clone());
            prop_assert!(!tokens(general.as_str()).any(is_index));
        }
    }
}
