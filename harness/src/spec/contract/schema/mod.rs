//! One JSON Schema, with its `$ref`s written out, compiled once.
//!
//! Every keyword can be traced to its clause: the schema's own `x-clauses` for the keyword, else the nearest `x-clause` at or
//! above it.

mod clause_tree;
mod clauses;
mod exclusion;
mod faults;
mod unique;
mod validator;

use std::collections::HashSet;
use std::sync::Arc;

use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use crate::base::file_position::FilePosition;
use crate::base::pointer;
use crate::spec::contract::coerce::Coercion;
use crate::spec::contract::schema_path::{self, PathStep, SchemaPath};
use crate::spec::contract::schema_walk::{self, Part, describing, required_anywhere};
use crate::spec::contract::sum::{Sum, SumError};
use crate::wire::exchange::Request;
use crate::wire::format::{FileFormat, FormatError, Places};
use crate::wire::ingest::Ingest;
use clause_tree::ClauseTree;

pub(crate) use exclusion::{Exclusion, Wanted};
pub(crate) use faults::{FaultCause, REPORTED_PER_CAUSE};

/// Why a schema can't be compiled.
#[derive(Debug, thiserror::Error)]
pub(super) enum SchemaError {
    #[error(transparent)]
    FileFormat(#[from] FormatError),
    #[error(transparent)]
    Sum(#[from] SumError),
    #[error(transparent)]
    Invalid(Box<ValidationError<'static>>),
}

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    /// `schemas/gateway/status-record.json`, or the place of an inline schema.
    pub name: String,
    /// The schema with every `$ref` written out.
    pub expanded: Value,
    /// The reason why the whole schema is assumed, if it is.
    pub assumed: Option<String>,
    /// Where an expanded part came from: pointer in `expanded` → `file#pointer`.
    pub(super) origins: Vec<(String, String)>,
    /// Top-level properties that hold a secret.
    pub secrets: Vec<String>,
    /// Top-level properties that must be JSON Web Tokens.
    pub jwts: Vec<String>,
    /// How texts of a form become values.
    pub coercion: Coercion,
    /// Texts that hold files.
    formats: Vec<(SchemaPath, FileFormat)>,
    /// Totals and their terms.
    sums: Vec<(SchemaPath, Sum)>,
    validator: Validator,
    /// Properties that some subschema lists as required.
    required: HashSet<String>,
    /// What of it carries clauses.
    tree: ClauseTree,
}

impl Schema {
    /// Compiles an expanded schema.
    pub(super) fn compile(name: String, expanded: Value, origins: Vec<(String, String)>) -> Result<Arc<Self>, SchemaError> {
        Self::compiled(name, expanded, origins).map(Arc::new)
    }

    fn compiled(name: String, expanded: Value, origins: Vec<(String, String)>) -> Result<Self, SchemaError> {
        let validator = validator::compile(&expanded).map_err(SchemaError::Invalid)?;
        let required: HashSet<String> = required_anywhere(&expanded).into_iter().map(str::to_owned).collect();
        Ok(Self {
            assumed: expanded.get("x-assumed").and_then(Value::as_str).map(str::to_owned),
            secrets: secret_properties(&expanded),
            jwts: jwt_properties(&expanded),
            formats: formats(&expanded)?,
            sums: sums(&expanded)?,
            coercion: Coercion::from_schema(&expanded, |name| required.contains(name)),
            tree: ClauseTree::new(&expanded, &required),
            required,
            validator,
            name,
            expanded,
            origins,
        })
    }

    /// A part of the schema as a schema: it carries the same clauses, and names the same places.
    pub(super) fn part(&self, at: &str) -> Option<Self> {
        let mut expanded = self.expanded.pointer(at)?.clone();
        if let Value::Object(part) = &mut expanded {
            for keyword in ["x-clause", "x-assumed"] {
                let inherited = self.nearest(at, keyword).map(Value::String);
                inherited.map(|inherited| part.entry(keyword).or_insert(inherited));
            }
        }
        let below = self.origins.iter().filter_map(|(place, origin)| {
            let rest = pointer::strip_prefix(place, at)?;
            Some((rest.to_owned(), origin.clone()))
        });
        let origins = std::iter::once((String::new(), self.origin(at))).chain(below).collect();
        Self::compiled(self.name.clone(), expanded, origins).ok()
    }

    /// Whether it describes neither files nor secrets, which are opened and masked before they are judged.
    pub(super) fn is_plain(&self) -> bool {
        self.formats.is_empty() && self.secrets.is_empty()
    }

    /// Whether none of its texts holds a file.
    pub(crate) fn has_no_files(&self) -> bool {
        self.formats.is_empty()
    }

    /// Why [`Self::accepts`] is not enough to judge a value, if so.
    pub(crate) fn beyond_a_schema(&self) -> Option<&'static str> {
        let reasons = [
            (self.secrets.is_empty(), "the response holds a secret, which is masked first"),
            (self.formats.is_empty(), "the response holds a file, which is read"),
            (self.sums.is_empty(), "totals in the response are added up"),
        ];
        reasons.into_iter().find(|(is_absent, _)| !is_absent).map(|(_, reason)| reason)
    }

    /// The file in the text of a top-level field.
    pub(crate) fn file(&self, field: &str) -> Option<&FileFormat> {
        let is_field = |path: &SchemaPath| matches!(path.as_slice(), [PathStep::Field(name)] if name == field);
        self.formats.iter().find(|(path, _)| is_field(path)).map(|(_, format)| format)
    }

    /// Reads the texts of a form as the values that the schema describes. A field that is required only sometimes may be empty
    /// otherwise; then the reading without it is the right one.
    pub fn read_form(&self, fields: &mut Map<String, Value>) {
        self.coercion.apply(fields);
        if !fields.values().any(|value| value == "") || self.accepts(&Value::Object(fields.clone())) {
            return;
        }
        let without: Map<_, _> = fields.iter().filter(|(_, value)| *value != "").map(|(k, v)| (k.clone(), v.clone())).collect();
        let without = Value::Object(without);
        if self.accepts(&without)
            && let Value::Object(without) = without
        {
            *fields = without;
        }
    }

    /// Reads nulls in JSON: an optional field that is null, although the documents give it a type without null, counts as absent.
    /// A field that is required only sometimes may be null otherwise.
    pub fn read_nulls(&self, fields: &mut Map<String, Value>) {
        if !fields.values().any(Value::is_null) {
            return;
        }
        self.coercion.remove_nulls(fields, false);
        if !fields.values().any(Value::is_null) || self.accepts(&Value::Object(fields.clone())) {
            return;
        }
        let mut without = fields.clone();
        self.coercion.remove_nulls(&mut without, true);
        if self.accepts(&Value::Object(without.clone())) {
            *fields = without;
        }
    }

    /// Whether null at a place counts as absent: only for top-level fields whose type excludes null.
    pub fn takes_null_as_absent(&self, place: &str) -> bool {
        place.strip_prefix('/').is_some_and(|name| self.coercion.is_never_null(name))
    }

    /// Whether the instance conforms, without the reasons.
    pub fn accepts(&self, instance: &Value) -> bool {
        self.validator.is_valid(instance)
    }

    /// Replaces the texts that hold files by the content of the files. An unreadable file stays a text.
    pub(crate) fn open(&self, instance: &mut Value, request: &Request, ingest: &mut Ingest<'_>) -> Places {
        let mut files = Vec::new();
        for (path, format) in &self.formats {
            schema_path::visit_mut(instance, path, "", &mut |pointer, value| {
                let Some(text) = value.as_str() else { return };
                if let Some((opened, places)) =
                    ingest.inside(&FilePosition::whole(), pointer, |ingest| format.read(&mut text.as_bytes(), request, ingest))
                {
                    files.push((pointer.to_owned(), FilePosition::whole(), places));
                    *value = opened;
                }
            });
        }
        if files.is_empty() { Places::Unknown } else { Places::Files(files) }
    }

    /// Why a place in an instance is assumed, if it is: everything that describes it is assumed or, if nothing describes it,
    /// something that describes the value around it is.
    pub fn assumed_at(&self, pointer: &str) -> Option<String> {
        schema_walk::inherited(&self.expanded, pointer, schema_walk::always, "x-assumed").map(str::to_owned)
    }

    /// The fields that are always required of the value itself.
    pub(crate) fn required_fields(&self) -> Vec<&str> {
        let parts = schema_walk::of_the_same_value(&self.expanded, schema_walk::always).into_iter();
        parts.filter_map(|part| part.get("required")?.as_array()).flatten().filter_map(Value::as_str).collect()
    }

    /// All subschemas about the value at a JSON Pointer, whether they apply to it or not.
    pub(crate) fn describing(&self, pointer: &str) -> Vec<&Value> {
        describing(&self.expanded, pointer)
    }

    /// Why the documents leave the value at a JSON Pointer open (`x-free`), if they do.
    pub(crate) fn allowance_at(&self, pointer: &str) -> Option<String> {
        let allowance = self.describing(pointer).into_iter().find_map(|schema| schema.get("x-free")?.as_str());
        allowance.map(str::to_owned).or_else(|| self.allowance_at(pointer::split_last(pointer)?.0))
    }

    /// Whether some subschema lists the property as required.
    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.contains(name)
    }

    fn nearest(&self, holder: &str, keyword: &str) -> Option<String> {
        let mut at = Some(holder);
        while let Some(pointer) = at {
            let found = self.expanded.pointer(pointer).and_then(|schema| schema.get(keyword)?.as_str());
            if let Some(found) = found {
                return Some(found.to_owned());
            }
            at = pointer::split_last(pointer).map(|(above, _)| above);
        }
        None
    }

    /// The place of a part of the expanded schema in the files.
    pub fn origin(&self, pointer: &str) -> String {
        let nearest = self.origins.iter().filter(|(prefix, _)| pointer::covers(prefix, pointer)).max_by_key(|(prefix, _)| prefix.len());
        match nearest {
            Some((prefix, origin)) => format!("{origin}{}", pointer.get(prefix.len()..).unwrap_or_default()),
            None => format!("{}#{pointer}", self.name),
        }
    }
}

fn formats(schema: &Value) -> Result<Vec<(SchemaPath, FileFormat)>, SchemaError> {
    schema_path::carrying(schema, "x-format").into_iter().map(|(path, format)| Ok((path, FileFormat::parse(format)?))).collect()
}

fn sums(schema: &Value) -> Result<Vec<(SchemaPath, Sum)>, SchemaError> {
    let listed = schema_path::carrying(schema, "x-adds-up").into_iter();
    let all = listed.flat_map(|(path, rules)| rules.as_array().into_iter().flatten().map(move |rule| (path.clone(), rule)));
    all.map(|(path, rule)| Ok((path, Sum::parse(rule)?))).collect()
}

fn secret_properties(schema: &Value) -> Vec<String> {
    properties_with(schema, "x-secret", &Value::Bool(true))
}

/// A secret is masked before its schema sees it, so the recorder checks its form.
fn jwt_properties(schema: &Value) -> Vec<String> {
    properties_with(schema, "format", &Value::String("jwt".to_owned()))
}

fn properties_with(schema: &Value, keyword: &str, value: &Value) -> Vec<String> {
    let always = schema_walk::of_the_same_value(schema, schema_walk::always).into_iter();
    let fields = always.flat_map(schema_walk::subschemas).filter(|sub| sub.by.part == Part::Field);
    fields.filter(|sub| sub.schema.get(keyword) == Some(value)).map(|sub| sub.name.to_owned()).collect()
}

#[cfg(test)]
mod tests;
