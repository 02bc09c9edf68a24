//! The layouts of files that a target file states: `layouts`.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};
use crate::spec::contract::{Column, Contracts, Layout, LayoutRows, Layouts};
use crate::wire::format::FileFormat;

/// The last place that a column may have.
const MOST_COLUMNS: u64 = 1_000;

/// Reads `layouts:`.
pub(super) fn read(fields: &mut Fields<'_>, contracts: &Contracts, problems: &mut Problems) -> Layouts {
    let mut layouts = Layouts::new();
    for entry in fields.map("layouts", problems) {
        let Some(rows) = contracts.layouts.get(&entry.key) else {
            let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("there is no layout `{}`", entry.key));
            problems.add(problem.names(&entry.key, contracts.layouts.keys().map(String::as_str)));
            continue;
        };
        let layout = match &rows.known {
            Some(known) => whole(&entry.value, known, problems),
            None => layout(&entry.value, &rows.columns, problems),
        };
        layouts.extend(layout.map(|layout| (entry.key.clone(), layout)));
    }
    layouts
}

/// A layout that the contract knows as a whole.
fn whole(node: &Node, known: &str, problems: &mut Problems) -> Option<Layout> {
    if node.text() == Some(known) {
        return Some(Layout { known: Some(known.to_owned()), ..Layout::default() });
    }
    problems.add(Diagnostic::at(node, format!("the layout of these files is stated by its name, `{known}`, or not at all")));
    None
}

fn layout(node: &Node, known: &[String], problems: &mut Problems) -> Option<Layout> {
    let mut fields = Fields::from_node(node, "a layout", problems)?;
    let separator = option(&mut fields, "separator", ";", problems);
    let charset = option(&mut fields, "charset", "utf-8", problems);
    let headings = fields.peek("headings").is_none() || fields.flag("headings", problems);
    let (decimal, thousands) = amounts(&mut fields, problems);
    let columns = fields.require("columns", problems).map(|node| columns(node, headings, known, problems)).unwrap_or_default();
    fields.finish(problems);
    Some(Layout { separator, charset, headings, decimal, thousands, columns, known: None })
}

/// How amounts are written: `decimal` and `thousands`.
fn amounts(fields: &mut Fields<'_>, problems: &mut Problems) -> (String, Option<String>) {
    let node = fields.peek("thousands").or_else(|| fields.peek("decimal"));
    let decimal = fields.text("decimal", problems).unwrap_or_else(|| ",".to_owned());
    let thousands = fields.text("thousands", problems);
    let mut stated = json!({ "decimal": decimal });
    if let (Some(stated), Some(thousands)) = (stated.as_object_mut(), &thousands) {
        stated.insert("thousands".to_owned(), json!(thousands));
    }
    if let (Err(error), Some(node)) = (FileFormat::parse(&json!({ "csv": { "amounts": stated } })), node) {
        problems.add(Diagnostic::at(node, error.to_string()));
    }
    (decimal, thousands)
}

/// An option of the format, which says itself what is wrong with a value.
fn option(fields: &mut Fields<'_>, key: &'static str, default: &str, problems: &mut Problems) -> String {
    let Some(value) = fields.text(key, problems) else { return default.to_owned() };
    if let (Err(error), Some(node)) = (FileFormat::parse(&json!({ "csv": { key: value } })), fields.peek(key)) {
        problems.add(Diagnostic::at(node, error.to_string()));
    }
    value
}

/// The headings, or the places, by the contract's name for each column.
fn columns(node: &Node, headings: bool, known: &[String], problems: &mut Problems) -> IndexMap<String, Column> {
    let entries = node.entries().unwrap_or_default();
    if entries.is_empty() {
        let what = if headings { "headings" } else { "places of the columns" };
        problems.add(Diagnostic::at(node, format!("`columns` is a mapping of names to the {what} in the file, at least one")));
    }
    let mut columns = IndexMap::<String, Column>::new();
    for Entry { key, key_span, value, .. } in entries {
        if !known.contains(key) {
            let problem = Diagnostic::new(&value.source, *key_span, format!("the layout has no column `{key}`"));
            problems.add(problem.names(key, known.iter().map(String::as_str)));
        }
        let Some(column) = column(value, headings, problems) else { continue };
        if columns.values().any(|other| *other == column) {
            problems.add(Diagnostic::at(
                value,
                match &column {
                    Column::Heading(heading) => format!("two columns have the heading `{heading}`"),
                    Column::Place(place) => format!("two columns are at place {place}"),
                },
            ));
        }
        columns.insert(key.clone(), column);
    }
    columns
}

/// The heading of a column; its place where the file has no headings.
fn column(node: &Node, headings: bool, problems: &mut Problems) -> Option<Column> {
    let value = node.to_json();
    let column = match headings {
        true => value.as_str().filter(|heading| !heading.is_empty()).map(|heading| Column::Heading(heading.to_owned())),
        false => value.as_u64().filter(|place| (1..=MOST_COLUMNS).contains(place)).map(Column::Place),
    };
    if column.is_none() {
        let what = if headings {
            "a heading is a text; a file without a line of headings is stated by `headings: false`".to_owned()
        } else {
            format!("without headings a column is stated by its place, from 1 to {MOST_COLUMNS}")
        };
        problems.add(Diagnostic::at(node, what));
    }
    column
}

/// The JSON Schema of the key.
pub(super) fn schema(contracts: &Contracts) -> Value {
    let one = |rows: &LayoutRows| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["columns"],
            "properties": {
                "separator": { "type": "string", "minLength": 1, "maxLength": 1, "description": "What stands between two fields: `;` unless stated." },
                "charset": { "type": "string", "description": "The character encoding: utf-8 unless stated.", "examples": ["utf-8", "windows-1250"] },
                "headings": { "type": "boolean", "description": "Whether the first line has headings: true unless stated." },
                "decimal": { "enum": [",", "."], "description": "What stands before the decimals of an amount: `,` unless stated." },
                "thousands": { "enum": [",", ".", "'", " ", "\u{a0}", "\u{202f}"], "description": "What stands between the thousands of an amount: nothing unless stated." },
                "columns": {
                    "description": "The headings in the file, by name; their places, from 1, where it has no headings. What is not listed is not there.",
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": { "enum": rows.columns },
                    "additionalProperties": { "oneOf": [{ "type": "string", "minLength": 1 }, { "type": "integer", "minimum": 1, "maximum": MOST_COLUMNS }] },
                },
            },
        })
    };
    let whole = |known: &String| json!({ "const": known, "description": "The files have the layout of this name." });
    let of = |rows: &LayoutRows| rows.known.as_ref().map_or_else(|| one(rows), whole);
    let layouts: Map<String, Value> = contracts.layouts.iter().map(|(name, rows)| (name.clone(), of(rows))).collect();
    json!({
        "description": "The layouts of files that the documents do not show.",
        "type": "object",
        "additionalProperties": false,
        "properties": layouts,
    })
}

#[cfg(test)]
mod tests {
    use crate::base::source::Source;
    use crate::spec::contract::Contracts;
    use crate::spec::target::parse;

    #[test]
    fn a_wrong_layout_is_reported_at_its_place() {
        let contracts = Contracts::shipped();
        for (wrong, message) in [
            ("{ cvs: { columns: { Merchant: Shop } } }", "4:12: there is no layout `cvs` (valid here: abo, csv)"),
            ("{ abo: kpc }", "the layout of these files is stated by its name, `gpc`, or not at all"),
            ("{ abo: { columns: { Merchant: Shop } } }", "the layout of these files is stated by its name, `gpc`, or not at all"),
            ("{ csv: { separator: ',' } }", "`columns`"),
            ("{ csv: { columns: {} } }", "`columns` is a mapping of names to the headings in the file, at least one"),
            ("{ csv: { columns: { Mercant: Shop } } }", "the layout has no column `Mercant` (did you mean `Merchant`?)"),
            (
                "{ csv: { columns: { Merchant: 7 } } }",
                "a heading is a text; a file without a line of headings is stated by `headings: false`",
            ),
            ("{ csv: { headings: no-one, columns: { Merchant: Shop } } }", "`headings`"),
            ("{ csv: { headings: false, columns: { Merchant: Shop } } }", "a column is stated by its place, from 1 to 1000"),
            ("{ csv: { headings: false, columns: { Merchant: 0 } } }", "a column is stated by its place, from 1 to 1000"),
            ("{ csv: { headings: false, columns: { Merchant: 2, Měna: 2 } } }", "two columns are at place 2"),
            ("{ csv: { decimal: ';', columns: { Merchant: Shop } } }", "amounts have `,` or `.` before the decimals"),
            ("{ csv: { decimal: '.', thousands: '.', columns: { Merchant: Shop } } }", "amounts have `,` or `.` before the decimals"),
            ("{ csv: { columns: { Merchant: Shop, Měna: Shop } } }", "two columns have the heading `Shop`"),
            ("{ csv: { separator: ', ', columns: { Merchant: Shop } } }", "one character"),
            ("{ csv: { charset: latin-99, columns: { Merchant: Shop } } }", "latin-99"),
            ("{ csv: { comma: true, columns: { Merchant: Shop } } }", "comma"),
            ("[csv]", "`layouts`"),
        ] {
            let text = format!("title: t\nbase: http://x.invalid\ncredentials: {{ main: {{ merchant: '1' }} }}\nlayouts: {wrong}\n");
            let problems = parse(&Source::new("target.yaml", text), &contracts, &|_| None).unwrap_err().to_string();
            assert!(problems.contains(message), "{wrong}: {problems}");
        }
    }
}
