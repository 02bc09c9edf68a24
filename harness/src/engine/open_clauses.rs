//! Clauses that a run left open although it played their cases: the target differs where we assume a rule, or it never sent an
//! optional field.

use std::collections::BTreeMap;

use super::event::{ClauseOutcome, OpenReason, Standing};
use super::missing::Missing;

/// What is missing of clauses: those that only an assumption left open, by assumption, and those of fields that never came.
pub(crate) fn open_clauses<'c>(clauses: impl IntoIterator<Item = &'c ClauseOutcome>) -> Vec<Missing> {
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    let mut never_sent = Vec::new();
    for clause in clauses {
        match &clause.standing {
            Standing::Skipped { reason: OpenReason::Assumed(why) } => *by_reason.entry(why).or_default() += 1,
            Standing::Skipped { reason: OpenReason::NeverSent } => never_sent.push(clause.id.clone()),
            Standing::Skipped { reason: OpenReason::Skipped(_) | OpenReason::NotJudged(_) } => {}
            Standing::Passed { .. } | Standing::Injected { .. } | Standing::InPassing { .. } | Standing::Untouched => {}
            Standing::Failed { .. } | Standing::Known { .. } | Standing::Unchecked { .. } => {}
        }
    }
    let excused = by_reason.into_iter().map(|(why, clauses)| Missing::ClausesExcused { clauses, reason: why.to_owned() });
    excused.chain((!never_sent.is_empty()).then_some(Missing::NeverSent { clauses: never_sent })).collect()
}
