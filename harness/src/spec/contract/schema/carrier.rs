//! What of a schema carries clauses, compiled once: every response of a run asks which clauses judged it.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexSet;
use jsonschema::Validator;
use serde_json::{Map, Value};

use crate::spec::contract::schema_path::PathStep;
use crate::spec::contract::schema_walk::{self, Applies, Part, Subschema, clause_in, lists_as_required, mentions_required};

/// Keywords of `x-clauses` about an absence; a value that is present does not show them.
const ABSENCE: &str = "required";

/// A schema, reduced to the clauses that it and its subschemas carry.
#[derive(Debug, Default)]
pub(super) struct Carrier {
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
    carrier: Carrier,
}

/// What it takes for a subschema to apply: a branch of the schema, and whether it must accept the part.
#[derive(Debug)]
struct Condition {
    /// The place of the branch in the schema.
    branch: String,
    accepts: bool,
}

impl Carrier {
    /// Compiles a schema, given whether some part of the whole requires a field.
    pub(super) fn new(whole: &Value) -> Self {
        Self::compile("", whole, &|name| mentions_required(whole, name))
    }

    fn compile(at: &str, schema: &Value, requires: &dyn Fn(&str) -> bool) -> Self {
        let own = schema.as_object().into_iter().flat_map(own_clauses).collect();
        let parts = schema_walk::subschemas(schema).filter_map(|sub| CarryingPart::compile(at, schema, &sub, requires)).collect();
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
            part.carrier.divide(optional || part.is_optional(), divided);
        }
    }

    /// Collects the clauses that judged a conforming value. `branches` are the conditional branches of the whole schema.
    pub(super) fn collect<'c>(&'c self, value: &Value, branches: &HashMap<String, Validator>, clauses: &mut IndexSet<&'c str>) {
        clauses.extend(self.clauses.iter().map(String::as_str));
        for part in &self.parts {
            match &part.step {
                None => part.collect(value, branches, clauses),
                Some(step) => step.each(value, &mut |value| part.collect(value, branches, clauses)),
            }
        }
    }
}

impl CarryingPart {
    fn is_optional(&self) -> bool {
        self.required.is_none() && matches!(self.step, Some(PathStep::Field(_)))
    }

    /// The subschema of a schema at `at`; none if it never applies, or carries nothing.
    fn compile(at: &str, schema: &Value, sub: &Subschema<'_>, requires: &dyn Fn(&str) -> bool) -> Option<Self> {
        let here = sub.pointer(at);
        let condition = match sub.by.applies {
            Applies::Always => None,
            Applies::WhereItHolds => Some(Condition { branch: here.clone(), accepts: true }),
            Applies::AfterIf(accepts) => {
                schema.get("if")?;
                Some(Condition { branch: format!("{at}/if"), accepts })
            }
            Applies::Asked | Applies::Decoded => return None,
        };
        let is_required = sub.by.part == Part::Field && (lists_as_required(schema, sub.name) || requires(sub.name));
        let required = if is_required { clause_in(sub.schema, ABSENCE) } else { None };
        let carrier = Carrier::compile(&here, sub.schema, requires);
        let carries = required.is_some() || !carrier.is_empty();
        carries.then(|| Self { step: PathStep::into_part(schema, sub), condition, required, carrier })
    }

    fn collect<'c>(&'c self, value: &Value, branches: &HashMap<String, Validator>, clauses: &mut IndexSet<&'c str>) {
        let holds = |condition: &Condition| {
            let accepted = branches.get(&condition.branch).is_some_and(|branch| branch.is_valid(value));
            accepted == condition.accepts
        };
        if self.condition.as_ref().is_none_or(holds) {
            clauses.extend(self.required.as_deref());
            self.carrier.collect(value, branches, clauses);
        }
    }
}

fn own_clauses(schema: &Map<String, Value>) -> impl Iterator<Item = String> {
    let all = schema.get("x-clause").into_iter();
    let each = schema.get("x-clauses").and_then(Value::as_object).into_iter().flatten();
    let each = each.filter(|(keyword, _)| *keyword != ABSENCE).map(|(_, clause)| clause);
    all.chain(each).filter_map(Value::as_str).map(str::to_owned)
}
