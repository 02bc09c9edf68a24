//! The violations of a schema, in words.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::Schema;
use crate::base::pointer;
use crate::spec::contract::schema_path::{self, SchemaPath};
use crate::spec::contract::sum::Sum;
use crate::wire::exchange::{Rest, SchemaFault};

/// The most faults of one cause that are reported.
pub(crate) const REPORTED_PER_CAUSE: usize = 10;

/// Where a schema fails, whatever the instance: the place of the keyword, and the missing property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultCause {
    at: String,
    missing: Option<String>,
}

impl FaultCause {
    fn from_error(error: &ValidationError<'_>) -> Self {
        Self { at: error.schema_path().as_str().to_owned(), missing: missing(error).map(str::to_owned) }
    }

    fn is_of(&self, error: &ValidationError<'_>) -> bool {
        self.at == error.schema_path().as_str() && self.missing.as_deref() == missing(error)
    }
}

/// The missing required property.
fn missing<'e>(error: &'e ValidationError<'_>) -> Option<&'e str> {
    match error.kind() {
        ValidationErrorKind::Required { property } => property.as_str(),
        _ => None,
    }
}

/// What is wrong, in a sentence. A pattern and a list of values are left out of it: a finding has them as what was expected.
fn message(error: &ValidationError<'_>) -> String {
    let value = error.instance();
    let wrong = match error.kind() {
        ValidationErrorKind::Pattern { .. } => format!("{value} does not have the expected form"),
        ValidationErrorKind::Enum { .. } => format!("{value} is not one of the documented values"),
        ValidationErrorKind::Type { kind } => format!("{value} is not {}", types_in_words(kind)),
        _ => error.to_string(),
    };
    format!("{}{wrong}", subject(error.instance_path().as_str()))
}

/// The field that a sentence is about. None for an item: of two in one list the same is said once, and an item may be read alone.
fn subject(pointer: &str) -> String {
    let field = pointer::split_last(pointer).filter(|(_, token)| !pointer::is_index(token));
    field.map(|(_, name)| format!("`{}`: ", pointer::unescaped(name))).unwrap_or_default()
}

fn types_in_words(kind: &TypeKind) -> String {
    let mut types: Vec<JsonType> = match kind {
        TypeKind::Single(kind) => vec![*kind],
        TypeKind::Multiple(kinds) => kinds.iter().collect(),
    };
    types.sort_by_key(|kind| *kind == JsonType::Null);
    types.into_iter().map(type_in_words).collect::<Vec<_>>().join(" or ")
}

/// A type, as messages name it.
pub(super) fn type_in_words(kind: JsonType) -> &'static str {
    match kind {
        JsonType::String => "a text",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::Boolean => "true or false",
        JsonType::Array => "a list",
        JsonType::Object => "an object",
        JsonType::Null => "null",
    }
}

impl Schema {
    /// The rules about totals, by the subschema that holds them.
    pub(in crate::spec::contract) fn sums(&self) -> &[(SchemaPath, Sum)] {
        &self.sums
    }

    /// All violations in an instance, the first few of each cause.
    pub fn faults(&self, instance: &Value) -> Vec<SchemaFault> {
        self.faults_with(instance, &[])
    }

    /// All violations in a value of which some lists are cut.
    pub(crate) fn faults_with(&self, instance: &Value, rests: &[Rest]) -> Vec<SchemaFault> {
        let mut faults: Vec<_> = self.faults_but(instance, &[]).into_iter().map(|(_, fault)| fault).collect();
        faults.extend(rests.iter().flat_map(|rest| &rest.faults).cloned());
        faults.extend(self.faults_of_sums(instance, rests));
        faults
    }

    /// All violations with other causes than these, totals excluded. Finding a violation is fast; wording it takes ten times as
    /// long.
    pub(in crate::spec::contract) fn faults_but(&self, instance: &Value, known: &[FaultCause]) -> Vec<(FaultCause, SchemaFault)> {
        if self.validator.is_valid(instance) {
            return Vec::new();
        }
        let mut seen: Vec<(FaultCause, usize)> = Vec::new();
        let mut faults = Vec::new();
        for error in self.validator.iter_errors(instance).filter(|error| !known.iter().any(|cause| cause.is_of(error))) {
            let times = match seen.iter().position(|(cause, _)| cause.is_of(&error)) {
                Some(index) => seen.get_mut(index).map(|(_, times)| times),
                None => {
                    seen.push((FaultCause::from_error(&error), 0));
                    seen.last_mut().map(|(_, times)| times)
                }
            };
            let Some(times) = times else { continue };
            *times += 1;
            // One more than is reported shows that there are more. A body with a fault in every byte must not fill the memory.
            if *times <= REPORTED_PER_CAUSE + 1 {
                faults.push((FaultCause::from_error(&error), self.fault(&error)));
            }
        }
        faults
    }

    /// The totals that are not the sum of their terms.
    pub(in crate::spec::contract) fn faults_of_sums(&self, instance: &Value, rests: &[Rest]) -> Vec<SchemaFault> {
        let mut faults = Vec::new();
        self.added_up(instance, rests, |_, verdict| faults.extend(verdict.err().map(|fault| *fault)));
        faults
    }

    /// Applies every rule about totals.
    pub(super) fn added_up<'s>(&'s self, instance: &Value, rests: &[Rest], mut report: impl FnMut(&'s Sum, Result<(), Box<SchemaFault>>)) {
        for (index, (path, sum)) in self.sums.iter().enumerate() {
            schema_path::visit(instance, path, "", &mut |pointer, value| {
                let rest = |list: &str| rests.iter().find(|rest| rest.pointer.strip_prefix(pointer) == Some(list));
                if let Some(verdict) = sum.fault(pointer, value, |list| rest(list).map_or(Some(0), |rest| rest.sum(index))) {
                    let assumed = || self.assumed_at(pointer);
                    report(
                        sum,
                        verdict.map_err(|fault| Box::new(SchemaFault { contract: self.name.clone(), assumed: assumed(), ..*fault })),
                    );
                }
            });
        }
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
                // A rule about two fields is its own, not that of either field.
                Some(_) if let Some((holder, _)) = at.split_once("/dependentRequired") => self.clause_of(holder, "dependentRequired"),
                Some(property) => self.clause_of_absence(holder, property),
                None => self.clause_of(holder, &keyword),
            },
            expected: match (missing, error.kind()) {
                (Some(property), _) => Value::String(format!("a field `{property}`")),
                (None, ValidationErrorKind::Type { kind }) => Value::String(types_in_words(kind)),
                (None, _) => self.expanded.pointer(at).cloned().unwrap_or(Value::Null),
            },
            got: if missing.is_some() { Value::Null } else { error.instance().as_ref().clone() },
            message: message(error),
            assumed: self.nearest(holder, "x-assumed"),
            keyword,
        }
    }
}
