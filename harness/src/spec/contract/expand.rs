//! Writes out every `$ref`, so that a schema is complete by itself and each part knows the file it came from.

use serde_json::{Map, Value};

use super::parsed_files::ParsedFiles;
use super::schema_walk::{Applies, Shape, applicator_of};
use crate::base::pointer;
use crate::base::source::{Diagnostic, Node, Problems};

/// `$ref`s nested deeper than this are circular; the documents' resources are not that deep.
const MAX_DEPTH: usize = 12;

/// Keywords of JSON Schema 2020-12 that the schemas use, and our own. Any other is a mistake.
const KEYWORDS: [&str; 58] = [
    "$comment",
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "prefixItems",
    "properties",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
    "x-adds-up",
    "x-amount",
    "x-columns",
    "x-layout",
    "x-layout-known",
    "x-assumed",
    "x-free",
    "x-clause",
    "x-clauses",
    "x-format",
    "x-not-refused",
    "x-refused-with",
    "x-secret",
    "x-unique",
];

/// Further keywords of request properties.
const REQUEST_KEYWORDS: [&str; 2] = ["x-circumstance", "x-violations"];

/// A schema with its `$ref`s written out.
pub(super) struct Expansion<'f> {
    files: &'f ParsedFiles<'f>,
    origins: Vec<(String, String)>,
}

impl<'f> Expansion<'f> {
    /// Expands a schema in `file` (a path within the contracts).
    pub(super) fn expand(files: &'f ParsedFiles<'f>, file: &str, node: &Node, problems: &mut Problems) -> (Value, Vec<(String, String)>) {
        let mut expansion = Self { files, origins: Vec::new() };
        let value = expansion.schema(node, Cursor { file, at: String::new(), depth: 0 }, problems);
        (value, expansion.origins)
    }

    fn schema(&mut self, node: &Node, cursor: Cursor<'_>, problems: &mut Problems) -> Value {
        let Some(entries) = node.entries() else {
            if !matches!(node.kind, crate::base::source::NodeKind::Bool(_)) {
                problems.add(Diagnostic::at(node, format!("a schema is a mapping, but this is {}", node.describe())));
            }
            return node.to_json();
        };
        let mut out = Map::new();
        let mut referred = None;
        for entry in entries {
            let key = entry.key.as_str();
            if !KEYWORDS.contains(&key) && !REQUEST_KEYWORDS.contains(&key) {
                let problem = Diagnostic::new(&node.source, entry.key_span, format!("`{key}` is not a keyword of a schema"));
                problems.add(problem.names(key, KEYWORDS.into_iter().chain(REQUEST_KEYWORDS)));
            } else if key == "$ref" {
                referred = self.reference(&entry.value, &cursor, problems);
            } else if key != "$id" && key != "$schema" && key != "$defs" {
                out.insert(key.to_owned(), self.keyword(key, &entry.value, &cursor, problems));
            }
        }
        join(opened(out), referred)
    }

    fn keyword(&mut self, key: &str, node: &Node, cursor: &Cursor<'_>, problems: &mut Problems) -> Value {
        match applicator_of(key) {
            None => node.to_json(),
            // See `opened`.
            Some(by) if by.applies == Applies::Decoded => self.schema(node, cursor.below("allOf/0"), problems),
            Some(by) => match by.shape {
                Shape::One => self.schema(node, cursor.below(key), problems),
                Shape::List => {
                    let items = node.list().unwrap_or_default().iter().enumerate();
                    Value::Array(items.map(|(i, item)| self.schema(item, cursor.below(&format!("{key}/{i}")), problems)).collect())
                }
                Shape::Map => {
                    let entries = node.entries().unwrap_or_default().iter();
                    let below = |name: &str| cursor.below(&pointer::field(key, name));
                    Value::Object(entries.map(|e| (e.key.clone(), self.schema(&e.value, below(&e.key), problems))).collect())
                }
            },
        }
    }

    fn reference(&mut self, node: &Node, cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Value> {
        let Some(reference) = node.text() else {
            problems.add(Diagnostic::at(node, format!("`$ref` is a text, but this is {}", node.describe())));
            return None;
        };
        if cursor.depth >= MAX_DEPTH {
            problems.add(Diagnostic::at(node, "this `$ref` goes in a circle"));
            return None;
        }
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let file = if file.is_empty() { cursor.file.to_owned() } else { relative_to(cursor.file, file) };
        if !self.files.has(&file) {
            let problem = Diagnostic::at(node, format!("there is no file `{file}` for this `$ref`"));
            problems.add(problem.names(&file, self.files.paths()));
            return None;
        }
        // A file that can't be parsed was reported where all are.
        let root = self.files.get(&file)?;
        let Some(found) = root.at_pointer(pointer).filter(|_| pointer.is_empty() || pointer.starts_with('/')) else {
            problems.add(Diagnostic::at(node, format!("`{file}` has nothing at `{pointer}`")));
            return None;
        };
        self.origins.push((cursor.at.clone(), format!("{file}#{pointer}")));
        Some(self.schema(found, Cursor { file: &file, at: cursor.at.clone(), depth: cursor.depth + 1 }, problems))
    }
}

/// A text that holds a file is judged by the content of the file: the decoded value replaces the text, and `contentSchema`
/// replaces the schema of the text.
fn opened(mut schema: Map<String, Value>) -> Map<String, Value> {
    if schema.contains_key("x-format")
        && let Some(content) = schema.remove("contentSchema")
    {
        for of_the_text in ["type", "contentEncoding", "contentMediaType", "minLength", "maxLength", "pattern"] {
            schema.remove(of_the_text);
        }
        schema.insert("allOf".to_owned(), Value::Array(vec![content]));
    }
    schema
}

/// The position of the expansion.
struct Cursor<'p> {
    file: &'p str,
    at: String,
    depth: usize,
}

impl Cursor<'_> {
    fn below(&self, path: &str) -> Cursor<'_> {
        Cursor { file: self.file, at: format!("{}/{path}", self.at), depth: self.depth }
    }
}

/// Keys beside a `$ref` are laid over the referred schema: ours win key by key, as readers expect of annotations (`description`,
/// `x-clause`). A constraint beside a `$ref` replaces none, because `allOf` keeps both.
fn join(own: Map<String, Value>, referred: Option<Value>) -> Value {
    let Some(referred) = referred else { return Value::Object(own) };
    match referred {
        Value::Object(mut map) if own.keys().all(|key| is_annotation(key)) => {
            map.extend(own);
            Value::Object(map)
        }
        other if own.is_empty() => other,
        other => {
            let mut own = own;
            let parts = own.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(parts) = parts {
                parts.push(other);
            }
            Value::Object(own)
        }
    }
}

fn is_annotation(key: &str) -> bool {
    matches!(key, "title" | "description" | "$comment" | "examples" | "default") || key.starts_with("x-")
}

/// A path relative to the folder of a file: `../b.json` beside `schemas/a/c.json` is `schemas/b.json`.
pub(super) fn relative_to(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::schema_walk::APPLICATORS;
    use super::*;

    #[test]
    fn the_applicators_are_known_and_those_that_nothing_follows_are_refused() {
        let knows = |keyword: &str| KEYWORDS.contains(&keyword) || REQUEST_KEYWORDS.contains(&keyword);
        assert!(APPLICATORS.iter().all(|by| knows(by.keyword)));
        // Keywords of JSON Schema 2020-12 that contracts do not use.
        for keyword in
            ["dependentSchemas", "patternProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "additionalItems"]
        {
            assert!(applicator_of(keyword).is_none() && !knows(keyword), "{keyword}");
        }
    }
}
