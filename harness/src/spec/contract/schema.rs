//! One JSON Schema, with its `$ref`s written out, compiled once.
//!
//! Every keyword can be traced to the clause it carries: the schema's own `x-clauses` for the keyword,
//! else the nearest `x-clause` at or above it.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexSet;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use super::coerce::Coercion;
use super::schema_path::{self, PathStep, SchemaPath};
use super::schema_walk::{self, Applies, Part, describing};
use super::sum::{Sum, SumError};
use crate::base::file_position::FilePosition;
use crate::base::pointer;
use crate::wire::exchange::{Request, Rest, SchemaFault};
use crate::wire::format::{Format, FormatError, Places};
use crate::wire::ingest::Ingest;

/// Why a schema can't be compiled.
#[derive(Debug, thiserror::Error)]
pub(super) enum SchemaError {
    #[error(transparent)]
    Format(#[from] FormatError),
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
    /// Those of them that must be JSON Web Tokens.
    pub jwts: Vec<String>,
    /// How texts of a form become values.
    pub coercion: Coercion,
    /// Texts that stand for files.
    formats: Vec<(SchemaPath, Format)>,
    /// Totals and what they are made of.
    sums: Vec<(SchemaPath, Sum)>,
    validator: Validator,
    /// The branches that hold only sometimes (`if`, `anyOf`, `oneOf`), by their place in `expanded`.
    branches: HashMap<String, Validator>,
}

/// The most faults of one cause that are reported.
pub(crate) const REPORTED_PER_CAUSE: usize = 10;

/// Where a schema fails, whatever the instance: the place of the keyword, and the property that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    at: String,
    missing: Option<String>,
}

impl Cause {
    fn of(error: &ValidationError<'_>) -> Self {
        Self { at: error.schema_path().as_str().to_owned(), missing: missing(error).map(str::to_owned) }
    }

    fn is_of(&self, error: &ValidationError<'_>) -> bool {
        self.at == error.schema_path().as_str() && self.missing.as_deref() == missing(error)
    }
}

/// The property that is required and not there.
fn missing<'e>(error: &'e ValidationError<'_>) -> Option<&'e str> {
    match error.kind() {
        ValidationErrorKind::Required { property } => property.as_str(),
        _ => None,
    }
}

impl Schema {
    /// Compiles an expanded schema.
    pub(super) fn compile(name: String, expanded: Value, origins: Vec<(String, String)>) -> Result<Arc<Self>, SchemaError> {
        Self::compiled(name, expanded, origins).map(Arc::new)
    }

    fn compiled(name: String, expanded: Value, origins: Vec<(String, String)>) -> Result<Self, SchemaError> {
        let validator = compile(&expanded)?;
        let mut branches = HashMap::new();
        compile_branches("", &expanded, &mut branches)?;
        Ok(Self {
            assumed: expanded.get("x-assumed").and_then(Value::as_str).map(str::to_owned),
            secrets: secret_properties(&expanded),
            jwts: jwt_properties(&expanded),
            formats: formats(&expanded)?,
            sums: sums(&expanded)?,
            coercion: Coercion::of(&expanded, |name| mentions_required(&expanded, name)),
            validator,
            branches,
            name,
            expanded,
            origins,
        })
    }

    /// A part of the schema that stands alone: it carries the same clauses, and names the same places.
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

    /// Whether no text in it stands for a file.
    pub(crate) fn has_no_files(&self) -> bool {
        self.formats.is_empty()
    }

    /// Why [`Self::accepts`] does not say all that there is to say of a value, if it doesn't.
    pub(crate) fn beyond_a_schema(&self) -> Option<&'static str> {
        let reasons = [
            (self.secrets.is_empty(), "the response holds a secret, which is masked first"),
            (self.formats.is_empty(), "the response holds a file, which is read"),
            (self.sums.is_empty(), "totals in the response are added up"),
        ];
        reasons.into_iter().find(|(is_absent, _)| !is_absent).map(|(_, reason)| reason)
    }

    /// The rules about totals, by the subschema that holds them.
    pub(super) fn sums(&self) -> &[(SchemaPath, Sum)] {
        &self.sums
    }

    /// The file that the text of a top-level field stands for.
    pub(crate) fn file(&self, field: &str) -> Option<&Format> {
        let is_field = |way: &SchemaPath| matches!(way.as_slice(), [PathStep::Field(name)] if name == field);
        self.formats.iter().find(|(way, _)| is_field(way)).map(|(_, format)| format)
    }

    /// Reads the texts of a form as the values that the schema speaks of. A field that is required only
    /// sometimes may be sent empty when it isn't: then the reading without it is the right one.
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

    /// Reads nulls of JSON: an optional field that is null, though the documents give it a type without null, counts as absent.
    /// A field that is required only sometimes may be null when it isn't.
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

    /// Whether null at a place counts as absent: at the top alone, and for fields whose type has no null.
    pub fn takes_null_as_absent(&self, place: &str) -> bool {
        place.strip_prefix('/').is_some_and(|name| self.coercion.is_never_null(name))
    }

    /// Whether the instance conforms; the fast question.
    pub fn accepts(&self, instance: &Value) -> bool {
        self.validator.is_valid(instance)
    }

    /// Everything in the instance that does not conform, of each cause the first few.
    pub fn faults(&self, instance: &Value) -> Vec<SchemaFault> {
        self.faults_with(instance, &[])
    }

    /// Everything that does not conform in a value of which only the beginnings of some lists were kept.
    pub(crate) fn faults_with(&self, instance: &Value, rests: &[Rest]) -> Vec<SchemaFault> {
        let mut faults: Vec<_> = self.faults_but(instance, &[]).into_iter().map(|(_, fault)| fault).collect();
        faults.extend(rests.iter().flat_map(|rest| &rest.faults).cloned());
        faults.extend(self.faults_of_sums(instance, rests));
        faults
    }

    /// Everything that does not conform for another cause than these, totals apart. That there is a fault is soon
    /// known; to put it into words takes ten times as long.
    pub(super) fn faults_but(&self, instance: &Value, known: &[Cause]) -> Vec<(Cause, SchemaFault)> {
        if self.validator.is_valid(instance) {
            return Vec::new();
        }
        let mut seen: Vec<(Cause, usize)> = Vec::new();
        let mut faults = Vec::new();
        for error in self.validator.iter_errors(instance).filter(|error| !known.iter().any(|cause| cause.is_of(error))) {
            let times = match seen.iter().position(|(cause, _)| cause.is_of(&error)) {
                Some(index) => seen.get_mut(index).map(|(_, times)| times),
                None => {
                    seen.push((Cause::of(&error), 0));
                    seen.last_mut().map(|(_, times)| times)
                }
            };
            let Some(times) = times else { continue };
            *times += 1;
            // One more than is reported shows that there are more. A body with a fault in every byte must not fill the memory.
            if *times <= REPORTED_PER_CAUSE + 1 {
                faults.push((Cause::of(&error), self.fault(&error)));
            }
        }
        faults
    }

    /// The totals that are not the sum of their terms.
    pub(super) fn faults_of_sums(&self, instance: &Value, rests: &[Rest]) -> Vec<SchemaFault> {
        let mut faults = Vec::new();
        self.added_up(instance, rests, |_, verdict| faults.extend(verdict.err().map(|fault| *fault)));
        faults
    }

    /// Applies every rule about totals.
    fn added_up(&self, instance: &Value, rests: &[Rest], mut told: impl FnMut(&Sum, Result<(), Box<SchemaFault>>)) {
        for (index, (way, sum)) in self.sums.iter().enumerate() {
            schema_path::visit(instance, way, "", &mut |pointer, value| {
                let rest = |list: &str| rests.iter().find(|rest| rest.pointer.strip_prefix(pointer) == Some(list));
                if let Some(verdict) = sum.fault(pointer, value, |list| rest(list).map_or(Some(0), |rest| rest.sum(index))) {
                    let assumed = || self.assumed_at(pointer);
                    told(sum, verdict.map_err(|fault| Box::new(SchemaFault { contract: self.name.clone(), assumed: assumed(), ..*fault })));
                }
            });
        }
    }

    /// Puts what they say in place of the texts that stand for files. What can't be read stays as it is.
    pub(crate) fn open(&self, instance: &mut Value, request: &Request, ingest: &mut Ingest<'_>) -> Places {
        let mut files = Vec::new();
        for (way, format) in &self.formats {
            schema_path::visit_mut(instance, way, "", &mut |pointer, value| {
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

    /// The clause of a place in an instance: that of the nearest described value at or above it.
    pub fn clause_at(&self, pointer: &str) -> Option<String> {
        let keyword = |schema: &Value| if schema.get("format").is_some_and(|format| format == "jwt") { "format" } else { "type" };
        self.nearest_carrying(pointer, |schema| clause_in(schema, keyword(schema)))
    }

    /// Why a place in an instance is assumed, if it is: everything that describes it is, or, where nothing describes it, something
    /// that describes the value around it.
    pub fn assumed_at(&self, pointer: &str) -> Option<String> {
        schema_walk::inherited(&self.expanded, pointer, schema_walk::always, "x-assumed").map(str::to_owned)
    }

    /// The fields that are always required of the value itself.
    pub(crate) fn required_fields(&self) -> Vec<&str> {
        let parts = schema_walk::of_the_same_value(&self.expanded, schema_walk::always).into_iter();
        parts.filter_map(|part| part.get("required")?.as_array()).flatten().filter_map(Value::as_str).collect()
    }

    /// What the nearest subschema at or above a place in an instance carries.
    fn nearest_carrying(&self, pointer: &str, carried: impl Fn(&Value) -> Option<String>) -> Option<String> {
        let way = schema_walk::descent(&self.expanded, pointer, schema_walk::always);
        way.into_iter().rev().find_map(|schemas| schemas.into_iter().find_map(&carried))
    }

    /// All subschemas that describe the value at a JSON Pointer, whether they apply to it or not.
    pub(crate) fn describing(&self, pointer: &str) -> Vec<&Value> {
        describing(&self.expanded, pointer)
    }

    /// Why the documents leave the value at a JSON Pointer to the target (`x-free`), if they do.
    pub(crate) fn allowance_at(&self, pointer: &str) -> Option<String> {
        let said = self.describing(pointer).into_iter().find_map(|schema| schema.get("x-free")?.as_str());
        said.map(str::to_owned).or_else(|| self.allowance_at(pointer::split_last(pointer)?.0))
    }

    /// The clauses of all totals that are made of what stands there.
    pub(crate) fn clauses_of_sums(&self) -> impl Iterator<Item = String> + '_ {
        self.sums.iter().map(|(_, sum)| sum.clause().to_owned())
    }

    fn fault(&self, error: &ValidationError<'_>) -> SchemaFault {
        let at = error.schema_path().as_str();
        let keyword = error.kind().keyword().to_owned();
        let holder = at.rsplit_once('/').map_or("", |(holder, _)| holder);
        let missing = missing(error);
        SchemaFault {
            instance: match missing {
                Some(property) => format!("{}/{property}", error.instance_path().as_str()),
                None => error.instance_path().as_str().to_owned(),
            },
            contract: self.origin(at),
            clause: match missing {
                // The rule that binds two fields together is its own, not that of either field.
                Some(_) if let Some((holder, _)) = at.split_once("/dependentRequired") => self.clause_of(holder, "dependentRequired"),
                Some(property) => self.clause_of_absence(holder, property),
                None => self.clause_of(holder, &keyword),
            },
            expected: match missing {
                Some(property) => Value::String(format!("a field `{property}`")),
                None => self.expanded.pointer(at).cloned().unwrap_or(Value::Null),
            },
            got: if missing.is_some() { Value::Null } else { error.instance().as_ref().clone() },
            message: error.to_string(),
            assumed: self.nearest(holder, "x-assumed"),
            keyword,
        }
    }

    /// The clauses that a conforming instance was really held against: those of the subschemas that
    /// applied to something that was there.
    pub fn held(&self, instance: &Value) -> Vec<String> {
        self.held_with(instance, &[])
    }

    /// The same for a value of which only the beginnings of some lists were kept.
    pub(crate) fn held_with(&self, instance: &Value, rests: &[Rest]) -> Vec<String> {
        let mut clauses = Vec::new();
        self.added_up(instance, rests, |sum, verdict| clauses.extend(verdict.is_ok().then(|| sum.clause().to_owned())));
        self.collect_held("", &self.expanded, instance, &mut clauses);
        // Every item of a list says the same again.
        clauses.into_iter().collect::<IndexSet<_>>().into_iter().collect()
    }

    fn collect_held(&self, at: &str, schema: &Value, instance: &Value, clauses: &mut Vec<String>) {
        clauses.extend(schema.as_object().into_iter().flat_map(|schema| own_clauses(schema, ABSENCE)));
        for sub in schema_walk::subschemas(schema) {
            let here = sub.pointer(at);
            let applies = |part: &&Value| match sub.by.applies {
                Applies::Always => true,
                Applies::WhereItHolds => self.branch_holds(&here, part),
                Applies::AfterIf(holds) => schema.get("if").is_some() && self.branch_holds(&format!("{at}/if"), part) == holds,
                Applies::Asked | Applies::Decoded => false,
            };
            for part in schema_walk::parts(schema, &sub, instance).into_iter().filter(applies) {
                if sub.by.part == Part::Field && (lists_as_required(schema, sub.name) || self.requires(sub.name)) {
                    clauses.extend(clause_in(sub.schema, "required"));
                }
                self.collect_held(&here, sub.schema, part, clauses);
            }
        }
    }

    fn branch_holds(&self, at: &str, instance: &Value) -> bool {
        self.branches.get(at).is_some_and(|branch| branch.is_valid(instance))
    }

    /// Whether some subschema lists the property as required.
    pub(super) fn requires(&self, name: &str) -> bool {
        mentions_required(&self.expanded, name)
    }

    /// The clause of a keyword: its own, else the nearest `x-clause` at or above.
    pub fn clause_of(&self, holder: &str, keyword: &str) -> Option<String> {
        let own = self.expanded.pointer(holder).and_then(|schema| schema.get("x-clauses")?.get(keyword)?.as_str());
        own.map(str::to_owned).or_else(|| self.nearest(holder, "x-clause"))
    }

    /// The clause of a required property that is absent.
    pub fn clause_of_absence(&self, holder: &str, property: &str) -> Option<String> {
        let requiring = self.expanded.pointer(holder);
        let beside = requiring.and_then(|schema| schema.get("x-clauses")?.get("required"));
        let beside = beside.and_then(|c| c.as_str().or_else(|| c.get(property)?.as_str()));
        let declared = || {
            let below = requiring.and_then(|s| s.get("properties")?.get(property)).and_then(|p| clause_in(p, "required"));
            below.or_else(|| find_property(&self.expanded, property).and_then(|p| clause_in(p, "required")))
        };
        beside.map(str::to_owned).or_else(declared).or_else(|| self.nearest(holder, "x-clause"))
    }

    /// The clause of a top-level field, wherever the schema describes it.
    pub fn clause_of_field(&self, field: &str) -> Option<String> {
        find_property(&self.expanded, field).and_then(|property| clause_in(property, "type"))
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

    /// Where a place of the expanded schema stands in the files.
    pub fn origin(&self, pointer: &str) -> String {
        let nearest = self.origins.iter().filter(|(prefix, _)| pointer::covers(prefix, pointer)).max_by_key(|(prefix, _)| prefix.len());
        match nearest {
            Some((prefix, origin)) => format!("{origin}{}", pointer.get(prefix.len()..).unwrap_or_default()),
            None => format!("{}#{pointer}", self.name),
        }
    }
}

/// Keywords of `x-clauses` that speak of an absence and are not held by a value that is there.
const ABSENCE: &str = "required";

fn own_clauses<'s>(schema: &'s Map<String, Value>, except: &'s str) -> impl Iterator<Item = String> + 's {
    let all = schema.get("x-clause").into_iter();
    let each = schema.get("x-clauses").and_then(Value::as_object).into_iter().flatten();
    let each = each.filter(move |(keyword, _)| *keyword != except).map(|(_, clause)| clause);
    all.chain(each).filter_map(Value::as_str).map(str::to_owned)
}

fn clause_in(schema: &Value, keyword: &str) -> Option<String> {
    let own = schema.get("x-clauses").and_then(|c| c.get(keyword)).or_else(|| schema.get("x-clause"));
    own.and_then(Value::as_str).map(str::to_owned)
}

fn find_property<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let always = schema_walk::of_the_same_value(schema, schema_walk::always).into_iter();
    always.filter_map(|schema| schema.get("properties")?.get(name)).next()
}

fn lists_as_required(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|other| other == name))
}

/// Whether a schema, or a part of it that is no field, lists a property as required.
fn mentions_required(schema: &Value, name: &str) -> bool {
    let mut parts = schema_walk::subschemas(schema).filter(|sub| sub.by.part != Part::Field);
    lists_as_required(schema, name) || parts.any(|sub| mentions_required(sub.schema, name))
}

fn formats(schema: &Value) -> Result<Vec<(SchemaPath, Format)>, SchemaError> {
    schema_path::carrying(schema, "x-format").into_iter().map(|(way, format)| Ok((way, Format::parse(format)?))).collect()
}

fn sums(schema: &Value) -> Result<Vec<(SchemaPath, Sum)>, SchemaError> {
    let listed = schema_path::carrying(schema, "x-adds-up").into_iter();
    let all = listed.flat_map(|(way, rules)| rules.as_array().into_iter().flatten().map(move |rule| (way.clone(), rule)));
    all.map(|(way, rule)| Ok((way, Sum::parse(rule)?))).collect()
}

fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    jsonschema::draft202012::options().build(schema).map_err(|error| SchemaError::Invalid(Box::new(error)))
}

fn compile_branches(at: &str, schema: &Value, branches: &mut HashMap<String, Validator>) -> Result<(), SchemaError> {
    for sub in schema_walk::subschemas(schema) {
        let here = sub.pointer(at);
        match sub.by.applies {
            Applies::WhereItHolds | Applies::Asked => drop(branches.insert(here.clone(), compile(sub.schema)?)),
            Applies::Always | Applies::AfterIf(_) | Applies::Decoded => {}
        }
        compile_branches(&here, sub.schema, branches)?;
    }
    Ok(())
}

fn secret_properties(schema: &Value) -> Vec<String> {
    properties_with(schema, "x-secret", &Value::Bool(true))
}

/// A secret is masked before its schema sees it, so that its form is seen to when it is recorded.
fn jwt_properties(schema: &Value) -> Vec<String> {
    properties_with(schema, "format", &Value::String("jwt".to_owned()))
}

fn properties_with(schema: &Value, keyword: &str, value: &Value) -> Vec<String> {
    let always = schema_walk::of_the_same_value(schema, schema_walk::always).into_iter();
    let fields = always.flat_map(schema_walk::subschemas).filter(|sub| sub.by.part == Part::Field);
    fields.filter(|sub| sub.schema.get(keyword) == Some(value)).map(|sub| sub.name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Arc<Schema> {
        let schema = json!({
            "x-clause": "r",
            "type": "object",
            "required": ["code"],
            "properties": {
                "code": { "type": "integer", "x-clause": "r.code", "x-clauses": { "required": "r.code.required" } },
                "price": { "type": "string", "pattern": "^[0-9]+$", "x-clause": "r.price", "x-clauses": { "pattern": "r.price.pattern" } },
                "curr": { "enum": ["CZK", "EUR"] }
            },
            "if": { "properties": { "code": { "const": 0 } } },
            "then": { "required": ["price"], "x-clauses": { "required": { "price": "r.price.on-success" } } }
        });
        Schema::compile("s.json".into(), schema, Vec::new()).unwrap()
    }

    fn clauses(instance: Value) -> Vec<(String, Option<String>)> {
        schema().faults(&instance).into_iter().map(|f| (f.instance, f.clause)).collect()
    }

    #[test]
    fn of_a_cause_no_more_is_kept_than_is_reported_whatever_a_peer_sends() {
        let items = json!({ "type": "array", "items": { "type": "object", "required": ["code"], "properties": { "price": { "type": "string" } } } });
        let schema = Schema::compile("s.json".into(), items, Vec::new()).unwrap();
        let instance = Value::Array(vec![json!({ "price": 5 }); 50_000]);
        let faults = schema.faults(&instance);
        assert_eq!(faults.len(), 2 * (REPORTED_PER_CAUSE + 1), "two causes");
    }

    #[test]
    fn a_fault_names_the_clause_of_its_keyword() {
        assert_eq!(clauses(json!({"code": 0, "price": "x"})), [("/price".into(), Some("r.price.pattern".into()))]);
        assert_eq!(clauses(json!({"code": 1, "price": 5})), [("/price".into(), Some("r.price".into()))]);
        assert_eq!(clauses(json!({"code": 1, "curr": "X"})), [("/curr".into(), Some("r".into()))]);
    }

    #[test]
    fn an_absent_field_names_the_clause_of_its_being_required() {
        assert_eq!(clauses(json!({"code": 0})), [("/price".into(), Some("r.price.on-success".into()))]);
        assert_eq!(clauses(json!({"price": "1"}))[0], ("/code".into(), Some("r.code.required".into())));
    }

    #[test]
    fn a_field_required_on_success_may_be_empty_in_a_form_that_refuses() {
        let read = |text: &str| {
            let (mut fields, _) = crate::wire::exchange::decode_form(text.as_bytes()).unwrap();
            schema().read_form(&mut fields);
            Value::Object(fields)
        };
        assert_eq!(read("code=1&price="), json!({"code": 1}));
        assert_eq!(read("code=0&price="), json!({"code": 0, "price": ""}), "then it is judged as it was sent");
    }

    #[test]
    fn only_what_was_there_is_held() {
        let mut held = schema().held(&json!({"code": 1}));
        held.sort();
        assert_eq!(held, ["r", "r.code", "r.code.required"]);
        assert!(schema().held(&json!({"code": 0, "price": "1"})).contains(&"r.price.pattern".to_owned()));
    }

    #[test]
    fn every_applicator_is_known_to_what_a_schema_is_asked() {
        for by in &schema_walk::APPLICATORS {
            let carrier = json!({"x-clause": "c", "x-assumed": "a", "x-free": "f", "required": ["b"]});
            let (schema, value, pointer) = schema_walk::holding(by, &carrier, &json!({"b": 1}));
            let schema = Schema::compile("s.json".into(), schema, Vec::new()).unwrap();
            let (always, asked) = (by.applies == Applies::Always, by.applies == Applies::Asked);
            assert_eq!(schema.clause_at(pointer).is_some(), always, "{}", by.keyword);
            assert_eq!(schema.assumed_at(pointer).is_some(), always, "{}", by.keyword);
            assert_eq!(schema.allowance_at(pointer).is_some(), !asked, "{}", by.keyword);
            assert_eq!(schema.held(&value).contains(&"c".to_owned()), !asked && by.applies != Applies::Decoded, "{}", by.keyword);
            assert_eq!(schema.requires("b"), by.part != Part::Field, "{}", by.keyword);
        }
    }
}
