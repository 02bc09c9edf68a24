//! The remainder of a list whose items were judged and not kept.

use super::SchemaFault;
use crate::wire::fact_table::FactTable;

/// A list of which only the first items are recorded. The others were judged while they were read; this is what is known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// The list, as a JSON Pointer into the body.
    pub pointer: String,
    /// How many items are kept.
    pub kept: usize,
    /// How many items the list has.
    pub length: usize,
    /// Schema violations of the other items, the first few of each cause.
    pub faults: Vec<SchemaFault>,
    /// What the others add to the totals of the schema, by the place of the rule; none if one of them lacks a term.
    pub sums: Vec<(usize, Option<i64>)>,
    /// The facts that the others state, by the place of the rule in the operation's `x-facts`.
    pub fact_tables: Vec<(usize, FactTable)>,
}

/// A part of a list that was received and is not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only the first {kept} of the {length} items of `{list}` are kept")]
pub struct NotKept {
    /// How many items are kept.
    pub kept: usize,
    /// How many items the list has.
    pub length: usize,
    /// The list, as a JSON Pointer into the body.
    pub list: String,
}

impl Rest {
    /// What the items that are not kept add to a total.
    pub fn sum(&self, rule: usize) -> Option<i64> {
        self.sums.iter().find(|(index, _)| *index == rule).map_or(Some(0), |(_, sum)| *sum)
    }

    /// Whether a pointer leads into an item that was received and is not kept.
    pub fn hides(&self, pointer: &str) -> bool {
        let item = pointer.strip_prefix(&self.pointer).and_then(|below| below.strip_prefix('/'));
        let item = item.and_then(|below| below.split('/').next()?.parse::<usize>().ok());
        item.is_some_and(|item| (self.kept..self.length).contains(&item))
    }

    /// The reason why the list cannot be judged further.
    pub fn not_kept(&self) -> NotKept {
        NotKept { kept: self.kept, length: self.length, list: self.pointer.clone() }
    }
}
