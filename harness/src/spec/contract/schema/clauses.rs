//! The clauses that a schema carries: of a keyword, of a place in an instance, and those that an instance was judged by.

use indexmap::IndexSet;
use serde_json::{Map, Value};

use super::{Schema, find_property, lists_as_required};
use crate::spec::contract::schema_walk::{self, Applies, Part};
use crate::wire::exchange::Rest;

impl Schema {
    /// The clause of a keyword: its own, else the nearest `x-clause` at or above.
    pub fn clause_of(&self, holder: &str, keyword: &str) -> Option<String> {
        let own = self.expanded.pointer(holder).and_then(|schema| schema.get("x-clauses")?.get(keyword)?.as_str());
        own.map(str::to_owned).or_else(|| self.nearest(holder, "x-clause"))
    }

    /// The clause of a missing required property.
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

    /// The clause of a top-level field, in any part of the schema.
    pub fn clause_of_field(&self, field: &str) -> Option<String> {
        find_property(&self.expanded, field).and_then(|property| clause_in(property, "type"))
    }

    /// The clause of a place in an instance: that of the nearest described value at or above it.
    pub fn clause_at(&self, pointer: &str) -> Option<String> {
        let keyword = |schema: &Value| if schema.get("format").is_some_and(|format| format == "jwt") { "format" } else { "type" };
        self.nearest_carrying(pointer, |schema| clause_in(schema, keyword(schema)))
    }

    /// What the nearest subschema at or above a place in an instance carries.
    fn nearest_carrying(&self, pointer: &str, carried: impl Fn(&Value) -> Option<String>) -> Option<String> {
        let way = schema_walk::descent(&self.expanded, pointer, schema_walk::always);
        way.into_iter().rev().find_map(|schemas| schemas.into_iter().find_map(&carried))
    }

    /// The clauses of all totals in which the value takes part.
    pub(crate) fn clauses_of_sums(&self) -> impl Iterator<Item = String> + '_ {
        self.sums.iter().map(|(_, sum)| sum.clause().to_owned())
    }

    /// The clauses that judged a conforming instance: those of the subschemas that applied to a value in it.
    pub fn held(&self, instance: &Value) -> Vec<String> {
        self.held_with(instance, &[])
    }

    /// The same for a value of which some lists are cut.
    pub(crate) fn held_with(&self, instance: &Value, rests: &[Rest]) -> Vec<String> {
        let mut clauses = Vec::new();
        self.added_up(instance, rests, |sum, verdict| clauses.extend(verdict.is_ok().then(|| sum.clause().to_owned())));
        self.collect_held("", &self.expanded, instance, &mut clauses);
        // Every item of a list has the same clauses.
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
}

/// Keywords of `x-clauses` about an absence; a value that is present does not show them.
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
