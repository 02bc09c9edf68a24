//! Every field of a response or a notification that need not be there, or may be null, has a row in the table of
//! `breaks/conditions/`: when it is there, and what happens when it is missing or out of place.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::breaks::conditions::{Direction, table};

/// Records that no response shows as they are, or whose fields are not the documents'.
const LEFT_OUT: [(&str, &str); 4] = [
    ("abo-account.json", "the layout of the file is not documented; its parts are held against the detail"),
    ("payment-data.json", "the formats of the codes have documents of their own, and one schema for three of them"),
    ("catalog.json", "the catalog is not shown"),
    ("-batch.json", "a request"),
];

fn schemas() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts/schemas");
    let mut found = Vec::new();
    for api in ["gateway", "status", "terminal", "transfers", "qr", "device"] {
        for entry in std::fs::read_dir(folder.join(api)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{api}/{}", path.file_name().unwrap().to_string_lossy());
            let request = name.contains("-request") || LEFT_OUT.iter().any(|(end, _)| name.ends_with(end));
            if !request {
                found.push((name, serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()));
            }
        }
    }
    found
}

/// Whether a value may be null.
fn may_be_null(schema: &Value) -> bool {
    schema["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"))
}

/// The fields that need not be there or may be null, below a path.
fn conditional(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name));
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{path}{name}");
        if !required(name) || may_be_null(field) {
            found.insert(place.clone());
        }
        conditional(field, &format!("{place}/"), found);
        conditional(&field["items"], &format!("{place}/"), found);
    }
}

#[test]
fn every_conditional_field_has_a_row_in_both_directions() {
    let rows: BTreeSet<String> = table().iter().map(|row| format!("{}/{}", row.schema, row.field)).collect();
    let mut fields = BTreeSet::new();
    for (name, schema) in schemas() {
        conditional(&schema, &format!("{name}/"), &mut fields);
    }
    let without: Vec<_> = fields.difference(&rows).collect();
    assert!(without.is_empty(), "no row says when these are there: {without:#?}");
    assert!(fields.len() > 120, "{} fields", fields.len());
}

#[test]
fn every_row_is_of_a_field_that_exists_and_says_why() {
    let schemas = schemas();
    for row in table() {
        let (_, schema) = schemas.iter().find(|(name, _)| name == row.schema).unwrap_or_else(|| panic!("no record {}", row.schema));
        let parts = row.field.split('/');
        let found =
            parts.fold(schema, |at, part| if at["items"].is_object() { &at["items"]["properties"][part] } else { &at["properties"][part] });
        assert!(found.is_object(), "{} has no {}", row.schema, row.field);
        for direction in [row.missing, row.surplus] {
            assert!(!matches!(direction, Direction::Allowed(why) if why.is_empty()), "{}: {}", row.schema, row.when);
        }
    }
}
