//! The layouts of files that a target file states: `layouts`.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};
use crate::spec::contract::{Contracts, Layout, Layouts};
use crate::wire::format::FileFormat;

/// Reads `layouts:`.
pub(super) fn read(fields: &mut Fields<'_>, contracts: &Contracts, problems: &mut Problems) -> Layouts {
    let mut layouts = Layouts::new();
    for entry in fields.map("layouts", problems) {
        let Some(columns) = contracts.layouts.get(&entry.key) else {
            let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("there is no layout `{}`", entry.key));
            problems.add(problem.names(&entry.key, contracts.layouts.keys().map(String::as_str)));
            continue;
        };
        layouts.extend(layout(&entry.value, columns, problems).map(|layout| (entry.key.clone(), layout)));
    }
    layouts
}

fn layout(node: &Node, known: &[String], problems: &mut Problems) -> Option<Layout> {
    let mut fields = Fields::from_node(node, "a layout", problems)?;
    let separator = option(&mut fields, "separator", ";", problems);
    let charset = option(&mut fields, "charset", "utf-8", problems);
    let columns = fields.require("columns", problems).map(|node| columns(node, known, problems)).unwrap_or_default();
    fields.finish(problems);
    Some(Layout { separator, charset, columns })
}

/// An option of the format, which says itself what is wrong with a value.
fn option(fields: &mut Fields<'_>, key: &'static str, default: &str, problems: &mut Problems) -> String {
    let Some(value) = fields.text(key, problems) else { return default.to_owned() };
    if let (Err(error), Some(node)) = (FileFormat::parse(&json!({ "csv": { key: value } })), fields.peek(key)) {
        problems.add(Diagnostic::at(node, error.to_string()));
    }
    value
}

/// The headings by the contract's name for each column.
fn columns(node: &Node, known: &[String], problems: &mut Problems) -> IndexMap<String, String> {
    let entries = node.entries().unwrap_or_default();
    if entries.is_empty() {
        problems.add(Diagnostic::at(node, "`columns` is a mapping of names to the headings in the file, at least one"));
    }
    let mut columns = IndexMap::<String, String>::new();
    for Entry { key, key_span, value, .. } in entries {
        if !known.contains(key) {
            let problem = Diagnostic::new(&value.source, *key_span, format!("the layout has no column `{key}`"));
            problems.add(problem.names(key, known.iter().map(String::as_str)));
        }
        let Some(heading) = value.text().filter(|heading| !heading.is_empty()) else {
            problems.add(Diagnostic::at(value, "a heading is a text"));
            continue;
        };
        if columns.values().any(|other| other == heading) {
            problems.add(Diagnostic::at(value, format!("two columns have the heading `{heading}`")));
        }
        columns.insert(key.clone(), heading.to_owned());
    }
    columns
}

/// The JSON Schema of the key.
pub(super) fn schema(contracts: &Contracts) -> Value {
    let one = |columns: &Vec<String>| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["columns"],
            "properties": {
                "separator": { "type": "string", "minLength": 1, "maxLength": 1, "description": "What stands between two fields: `;` unless stated." },
                "charset": { "type": "string", "description": "The character encoding: utf-8 unless stated.", "examples": ["utf-8", "windows-1250"] },
                "columns": {
                    "description": "The headings in the file, by name. What is not listed is not there.",
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": { "enum": columns },
                    "additionalProperties": { "type": "string", "minLength": 1 },
                },
            },
        })
    };
    let layouts: Map<String, Value> = contracts.layouts.iter().map(|(name, columns)| (name.clone(), one(columns))).collect();
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
    use crate::spec::contract::{Contracts, Files};
    use crate::spec::target::parse;

    #[test]
    fn a_wrong_layout_is_reported_at_its_place() {
        let contracts = Contracts::read(&Files::contracts()).unwrap();
        for (wrong, message) in [
            ("{ cvs: { columns: { Merchant: Shop } } }", "4:12: there is no layout `cvs` (valid here: csv)"),
            ("{ csv: { separator: ',' } }", "`columns`"),
            ("{ csv: { columns: {} } }", "`columns` is a mapping of names to the headings in the file, at least one"),
            ("{ csv: { columns: { Mercant: Shop } } }", "the layout has no column `Mercant` (did you mean `Merchant`?)"),
            ("{ csv: { columns: { Merchant: 7 } } }", "a heading is a text"),
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
