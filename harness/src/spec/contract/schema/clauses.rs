//! The clauses that a schema carries: of a keyword, of a place in an instance, and those that an instance was judged by.

use indexmap::IndexSet;
use serde_json::Value;

use super::Schema;
use super::clause_tree::DividedClauses;
use crate::spec::contract::schema_walk::{self, clause_in, find_property};
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
        let keyword = |schema: &Value| match schema.get("format").is_some_and(|format| format == "jwt") {
            true => "format",
            false if schema.get("x-format").is_some() => "x-format",
            false => "type",
        };
        self.nearest_carrying(pointer, |schema| clause_in(schema, keyword(schema)))
    }

    /// What the nearest subschema at or above a place in an instance carries.
    fn nearest_carrying(&self, pointer: &str, carried: impl Fn(&Value) -> Option<String>) -> Option<String> {
        let path = schema_walk::descent(&self.expanded, pointer, schema_walk::always);
        path.into_iter().rev().find_map(|schemas| schemas.into_iter().find_map(&carried))
    }

    /// Its clauses: those of fields that a conforming instance may lack, and the others.
    pub(crate) fn divided_clauses(&self) -> DividedClauses<'_> {
        let mut divided = DividedClauses::default();
        self.tree.divide(false, &mut divided);
        divided
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
        // Every item of a list has the same clauses.
        let mut clauses = IndexSet::new();
        self.added_up(instance, rests, |sum, verdict| clauses.extend(verdict.is_ok().then(|| sum.clause())));
        self.tree.collect(instance, &mut clauses);
        clauses.into_iter().map(str::to_owned).collect()
    }
}
