//! Layouts of files that the documents leave open, as a target file states them.
//!
//! A schema with `x-layout: NAME` describes a file of that layout, one with `x-columns: NAME` its rows; `layout: NAME` in an
//! `x-format` is how it is written. What a target states takes the place of what the contract assumes.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::base::source::{Problems, Source};

/// How a target writes the files of one layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Layout {
    /// What stands between two fields.
    pub separator: String,
    /// The character encoding.
    pub charset: String,
    /// The headings of its columns, by the name that the contract has for each.
    pub columns: IndexMap<String, String>,
}

/// Layouts by name.
pub type Layouts = IndexMap<String, Layout>;

/// The layout of which a schema describes the rows, with the names of its columns.
pub(super) fn of_rows(schema: &Arc<Source>) -> Option<(String, Vec<String>)> {
    let schema = schema.parse(&mut Problems::new())?.to_json();
    let columns = schema.get("properties")?.as_object()?.keys().cloned().collect();
    Some((schema.get("x-columns")?.as_str()?.to_owned(), columns))
}

/// The contracts of a target with these layouts.
pub(super) fn laid_out(source: &Arc<Source>, layouts: &Layouts) -> Option<String> {
    if !["x-layout", "x-columns", "layout:", "\"layout\""].iter().any(|word| source.text.contains(word)) {
        return None;
    }
    let mut contract = source.parse(&mut Problems::new())?.to_json();
    lay_out(&mut contract, layouts);
    Some(contract.to_string())
}

fn lay_out(part: &mut Value, layouts: &Layouts) {
    match part {
        Value::Object(map) => {
            let named = |map: &Map<String, Value>, key: &str| map.get(key).and_then(Value::as_str).and_then(|name| layouts.get(name));
            if named(map, "x-layout").is_some() {
                map.remove("x-assumed");
            }
            if let Some(layout) = named(map, "x-columns") {
                state_columns(map, layout);
            }
            if let Some(layout) = named(map, "layout") {
                map.insert("separator".to_owned(), json!(layout.separator));
                map.insert("charset".to_owned(), json!(layout.charset));
                map.insert("columns".to_owned(), json!(layout.columns));
            }
            map.values_mut().for_each(|value| lay_out(value, layouts));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| lay_out(item, layouts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A row has the stated columns, and nothing is known of the others.
fn state_columns(row: &mut Map<String, Value>, layout: &Layout) {
    row.remove("x-assumed");
    let has = |name: &Value| name.as_str().is_some_and(|name| layout.columns.contains_key(name));
    if let Some(Value::Array(required)) = row.get_mut("required") {
        required.retain(has);
    }
    if let Some(Value::Object(columns)) = row.get_mut("properties") {
        for (name, column) in columns {
            if let (false, Value::Object(column)) = (layout.columns.contains_key(name), column) {
                column.insert("x-assumed".to_owned(), json!("The layout in the target file has no such column."));
            }
        }
    }
    if let Some(Value::Array(sums)) = row.get_mut("x-adds-up") {
        let terms = |sum: &Value, key: &str| sum.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        sums.retain(|sum| {
            let terms = terms(sum, "plus").into_iter().chain(terms(sum, "minus"));
            terms.chain(sum.get("total").cloned()).all(|name| has(&name))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts() -> Layouts {
        let columns = [("a", "First"), ("b", "Second")].map(|(name, heading)| (name.to_owned(), heading.to_owned()));
        let layout = Layout { separator: ",".to_owned(), charset: "windows-1250".to_owned(), columns: columns.into_iter().collect() };
        [("file".to_owned(), layout)].into_iter().collect()
    }

    fn stated(contract: &Value) -> Value {
        let text = laid_out(&Source::new("schemas/x.json", contract.to_string()), &layouts()).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_stated_layout_is_no_assumption_and_has_its_own_columns_only() {
        let row = json!({
            "x-columns": "file", "x-assumed": "not shown", "required": ["a", "c"],
            "properties": { "a": {}, "c": {} },
            "x-adds-up": [{ "total": "a", "plus": ["b"] }, { "total": "a", "plus": ["b"], "minus": ["c"] }],
        });
        let expected = json!({
            "x-columns": "file", "required": ["a"],
            "properties": { "a": {}, "c": { "x-assumed": "The layout in the target file has no such column." } },
            "x-adds-up": [{ "total": "a", "plus": ["b"] }],
        });
        assert_eq!(stated(&row), expected);
    }

    #[test]
    fn a_format_of_the_layout_is_written_as_the_target_states() {
        let format = json!({ "x-format": { "zip": { "csv": { "separator": ";", "charset": "utf-8", "layout": "file" } } } });
        let csv = json!({
            "separator": ",", "charset": "windows-1250", "layout": "file", "columns": { "a": "First", "b": "Second" },
        });
        assert_eq!(stated(&format), json!({ "x-format": { "zip": { "csv": csv } } }));
        let other = json!({ "x-layout": "another", "x-assumed": "not shown" });
        assert_eq!(stated(&other), other);
    }
}
