//! Layouts of files that the documents leave open, as a target file states them.
//!
//! A schema with `x-layout: NAME` describes a file of that layout, one with `x-columns: NAME` its rows; `layout: NAME` in an
//! `x-format` is how it is written. One that the contract knows as a whole (`x-layout-known: NAME`) is stated by that name. What a
//! target states takes the place of what the contract assumes.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::base::source::{Node, Problems, Source};

/// How a target writes the files of one layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Layout {
    /// What stands between two fields.
    pub separator: String,
    /// The character encoding.
    pub charset: String,
    /// Whether the first line has headings.
    #[serde(default = "has_headings")]
    pub headings: bool,
    /// What stands before the decimals of an amount.
    #[serde(default = "decimal_comma")]
    pub decimal: String,
    /// What stands between the thousands of an amount, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thousands: Option<String>,
    /// Its columns, by the name that the contract has for each.
    pub columns: IndexMap<String, Column>,
    /// The name of a layout that is known as a whole: then nothing else of it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

/// How a column is found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// By its heading.
    Heading(String),
    /// By its place, from 1, in a file without headings.
    Place(u64),
}

fn has_headings() -> bool {
    true
}

fn decimal_comma() -> String {
    ",".to_owned()
}

/// The rows of a layout, as the contract describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutRows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The columns of amounts.
    pub amounts: Vec<String>,
    /// The name by which a target states the layout, where the contract knows it as a whole.
    pub known: Option<String>,
}

/// Layouts by name.
pub type Layouts = IndexMap<String, Layout>;

/// The layout of which a schema describes the rows, and what it says of them.
pub(super) fn read_rows(schema: &Node) -> Option<(String, LayoutRows)> {
    if let Some(known) = schema.get("x-layout-known") {
        let layout = schema.get("x-layout")?.text()?.to_owned();
        return Some((layout, LayoutRows { known: Some(known.text()?.to_owned()), ..LayoutRows::default() }));
    }
    let layout = schema.get("x-columns")?.text()?.to_owned();
    let columns = schema.get("properties")?.entries()?;
    let amounts = columns.iter().filter(|column| column.value.get("x-amount").is_some()).map(|column| column.key.clone()).collect();
    Some((layout, LayoutRows { columns: columns.iter().map(|column| column.key.clone()).collect(), amounts, known: None }))
}

/// Returns the text of a contract file with the target's layouts filled in; `None` if it mentions no layout.
pub(super) fn with_layouts(source: &Arc<Source>, layouts: &Layouts, rows: &IndexMap<String, LayoutRows>) -> Option<String> {
    if !["x-layout", "x-columns", "layout:", "\"layout\""].iter().any(|word| source.text.contains(word)) {
        return None;
    }
    let mut contract = source.parse(&mut Problems::new())?.to_json();
    lay_out(&mut contract, layouts, rows);
    Some(contract.to_string())
}

fn lay_out(part: &mut Value, layouts: &Layouts, rows: &IndexMap<String, LayoutRows>) {
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
                let rows = map.get("layout").and_then(Value::as_str).and_then(|name| rows.get(name));
                let amounts = amounts(layout, rows.map(|rows| rows.amounts.as_slice()).unwrap_or_default());
                map.insert("separator".to_owned(), json!(layout.separator));
                map.insert("charset".to_owned(), json!(layout.charset));
                map.insert("headings".to_owned(), json!(layout.headings));
                map.insert("columns".to_owned(), json!(layout.columns));
                map.insert("amounts".to_owned(), amounts);
            }
            map.values_mut().for_each(|value| lay_out(value, layouts, rows));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| lay_out(item, layouts, rows)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// How amounts are written in the stated ones of these columns.
fn amounts(layout: &Layout, columns: &[String]) -> Value {
    let columns: Vec<_> = columns.iter().filter(|name| layout.columns.contains_key(*name)).collect();
    let mut amounts = json!({ "decimal": layout.decimal, "columns": columns });
    if let (Some(amounts), Some(thousands)) = (amounts.as_object_mut(), &layout.thousands) {
        amounts.insert("thousands".to_owned(), json!(thousands));
    }
    amounts
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
        let columns = [("a", "First"), ("b", "Second")].map(|(name, heading)| (name.to_owned(), Column::Heading(heading.to_owned())));
        let layout = Layout {
            separator: ",".to_owned(),
            charset: "windows-1250".to_owned(),
            headings: true,
            decimal: ".".to_owned(),
            thousands: None,
            columns: columns.into_iter().collect(),
            known: None,
        };
        [("file".to_owned(), layout)].into_iter().collect()
    }

    fn stated(contract: &Value) -> Value {
        let rows = LayoutRows { amounts: vec!["b".to_owned(), "c".to_owned()], ..LayoutRows::default() };
        let rows = [("file".to_owned(), rows)].into_iter().collect();
        let text = with_layouts(&Source::new("schemas/x.json", contract.to_string()), &layouts(), &rows).unwrap();
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
            "separator": ",", "charset": "windows-1250", "layout": "file", "headings": true, "columns": { "a": "First", "b": "Second" },
            "amounts": { "decimal": ".", "columns": ["b"] },
        });
        assert_eq!(stated(&format), json!({ "x-format": { "zip": { "csv": csv } } }));
        let other = json!({ "x-layout": "another", "x-assumed": "not shown" });
        assert_eq!(stated(&other), other);
    }
}
