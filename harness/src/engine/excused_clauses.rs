//! Clauses that a run left open because the target differs where we assume a rule.

use std::collections::BTreeMap;

use super::event::{ClauseOutcome, OpenReason, Standing};
use super::missing::Missing;

/// The clauses that only an assumption left open, by assumption.
pub(crate) fn clauses_excused<'c>(clauses: impl IntoIterator<Item = &'c ClauseOutcome>) -> Vec<Missing> {
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for clause in clauses {
        if let Standing::Skipped { reason: OpenReason::Assumed(why) } = &clause.standing {
            *by_reason.entry(why).or_default() += 1;
        }
    }
    by_reason.into_iter().map(|(why, clauses)| Missing::ClausesExcused { clauses, reason: why.to_owned() }).collect()
}
