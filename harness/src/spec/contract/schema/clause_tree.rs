//! What of a schema carries clauses, compiled once: every response of a run asks which clauses judged it.

use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

use indexmap::IndexSet;
use jsonschema::Validator;
use serde_json::{Map, Value};

use super::validator::compile;
use crate::spec::contract::schema_path::PathStep;
use crate::spec::contract::schema_walk::{self, Applies, Part, Subschema, clause_in, lists_as_required};

/// The keyword of `x-clauses` for a missing field.
const ABSENCE: &str = "required";

/// A schema, reduced to the clauses that it and its subschemas carry.
#[derive(Debug, Default)]
pub(super) struct ClauseTree {
    /// Its own clauses.
    clauses: Vec<String>,
    /// The subschemas that carry clauses.
    parts: Vec<CarryingPart>,
}

/// The clauses that a schema carries.
#[derive(Debug, Default)]
pub(crate) struct DividedClauses<'c> {
    /// Those of fields that a conforming value may lack, and of what is in them.
    pub(crate) optional: BTreeSet<&'c str>,
    /// Those that every conforming value is judged by, or may be under a condition.
    pub(crate) others: BTreeSet<&'c str>,
}

/// A subschema that carries clauses.
#[derive(Debug)]
struct CarryingPart {
    /// From the value to the part that the subschema describes; none if that is the same value.
    step: Option<PathStep>,
    /// What it takes for the subschema to apply to the part.
    condition: Option<Condition>,
    /// The clause that demands the part.
    required: Option<String>,
    tree: ClauseTree,
}

/// What it takes for a subschema to apply: a branch of the schema (`if`, `anyOf`, `oneOf`), and whether it must accept the part.
#[derive(Debug)]
struct Condition {
    branch: Branch,
    accepts: bool,
}

/// A branch of a schema. It is compiled when it is first asked: of the schemas that are read, most commands use a few.
#[derive(Debug)]
struct Branch {
    schema: Value,
    validator: OnceLock<Option<Validator>>,
}

impl Branch {
    fn new(schema: &Value) -> Self {
        Self { schema: schema.clone(), validator: OnceLock::new() }
    }

    /// Whether it accepts a value. A mistake in it would be one of the whole schema, which was compiled before.
    fn accepts(&self, value: &Value) -> bool {
        self.validator.get_or_init(|| compile(&self.schema).ok()).as_ref().is_some_and(|validator| validator.is_valid(value))
    }
}

impl Condition {
    fn holds(&self, value: &Value) -> bool {
        self.branch.accepts(value) == self.accepts
    }
}

impl ClauseTree {
    /// Reduces a schema, given the fields that some part of the whole requires.
    pub(super) fn new(schema: &Value, required: &HashSet<String>) -> Self {
        let own = schema.as_object().into_iter().flat_map(own_clauses).collect();
        let parts = schema_walk::subschemas(schema).filter_map(|sub| CarryingPart::new(schema, &sub, required)).collect();
        Self { clauses: own, parts }
    }

    fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.parts.is_empty()
    }

    /// Divides the clauses of a value that is `optional` itself or not.
    pub(super) fn divide<'c>(&'c self, optional: bool, divided: &mut DividedClauses<'c>) {
        let clauses = if optional { &mut divided.optional } else { &mut divided.others };
        clauses.extend(self.clauses.iter().map(String::as_str));
        clauses.extend(self.parts.iter().filter_map(|part| part.required.as_deref()));
        for part in &self.parts {
            part.tree.divide(optional || part.is_optional(), divided);
        }
    }

    /// Collects the clauses that judged a conforming value.
    pub(super) fn collect<'c>(&'c self, value: &Value, clauses: &mut IndexSet<&'c str>) {
        clauses.extend(self.clauses.iter().map(String::as_str));
        for part in &self.parts {
            match &part.step {
                None => part.collect(value, clauses),
                Some(step) => step.each(value, &mut |value| part.collect(value, clauses)),
            }
        }
    }
}

impl CarryingPart {
    fn is_optional(&self) -> bool {
        self.required.is_none() && matches!(self.step, Some(PathStep::Field(_)))
    }

    /// The subschema of a schema, given the fields that some part of the whole requires; none if it never applies, or carries nothing.
    fn new(schema: &Value, sub: &Subschema<'_>, required_anywhere: &HashSet<String>) -> Option<Self> {
        let condition = match sub.by.applies {
            Applies::Always => None,
            Applies::WhereItHolds => Some((sub.schema, true)),
            Applies::AfterIf(accepts) => Some((schema.get("if")?, accepts)),
            Applies::Asked | Applies::Decoded => return None,
        };
        let is_required = sub.by.part == Part::Field && (lists_as_required(schema, sub.name) || required_anywhere.contains(sub.name));
        let required = if is_required { clause_in(sub.schema, ABSENCE) } else { None };
        let tree = ClauseTree::new(sub.schema, required_anywhere);
        let carries = required.is_some() || !tree.is_empty();
        let condition = condition.filter(|_| carries).map(|(branch, accepts)| Condition { branch: Branch::new(branch), accepts });
        carries.then(|| Self { step: PathStep::into_part(schema, sub), condition, required, tree })
    }

    fn collect<'c>(&'c self, value: &Value, clauses: &mut IndexSet<&'c str>) {
        if self.condition.as_ref().is_none_or(|condition| condition.holds(value)) {
            clauses.extend(self.required.as_deref());
            self.tree.collect(value, clauses);
        }
    }
}

fn own_clauses(schema: &Map<String, Value>) -> impl Iterator<Item = String> {
    let all = schema.get("x-clause").into_iter();
    let each = schema.get("x-clauses").and_then(Value::as_object).into_iter().flatten();
    let each = each.filter(|(keyword, _)| *keyword != ABSENCE).map(|(_, clause)| clause);
    all.chain(each).filter_map(Value::as_str).map(str::to_owned)
}
