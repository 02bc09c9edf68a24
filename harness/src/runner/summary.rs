//! What a run says as a whole: of each clause, of each row, and whether it proves what was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::contract::Contracts;
use crate::event::{ClauseOutcome, Counts, InstanceFinished, RowOutcome, RunFinished, Standing};
use crate::exchange::Direction;
use crate::verdict::Verdict;

/// Folds the ends of instances into the end of the run.
pub(crate) struct Summary {
    run: RunFinished,
    held: BTreeMap<String, usize>,
    failed: BTreeMap<String, usize>,
    rows: BTreeMap<String, usize>,
    /// Why the scenarios that name a clause did not run.
    skipped: BTreeMap<String, String>,
    /// Clauses named by each planned instance.
    named: BTreeMap<String, Vec<String>>,
    unchecked: BTreeMap<String, String>,
    order: Vec<String>,
    all_rows: Vec<String>,
    asked: BTreeSet<String>,
    reasons: BTreeMap<String, usize>,
}

impl Summary {
    /// `named` are the clauses that each planned instance names. What another command checks counts as
    /// unchecked unless this run is asked for it.
    pub(crate) fn new(contracts: &Contracts, named: BTreeMap<String, Vec<String>>, asked: BTreeSet<String>) -> Self {
        let elsewhere = contracts.clauses.values().filter(|c| c.checked_by.is_none() || !asked.contains(&c.id));
        let unchecked = elsewhere.filter_map(|c| Some((c.id.clone(), c.unchecked.clone()?)));
        let rows = contracts.tables.values().flat_map(|t| t.rows.iter().map(|r| format!("{}/{}", t.resource, r.id)));
        Self {
            run: RunFinished::default(),
            held: BTreeMap::new(),
            failed: BTreeMap::new(),
            rows: BTreeMap::new(),
            skipped: BTreeMap::new(),
            named,
            unchecked: unchecked.collect(),
            order: contracts.clauses.keys().cloned().collect(),
            all_rows: rows.collect(),
            asked,
            reasons: BTreeMap::new(),
        }
    }

    pub(crate) fn take(&mut self, instance: &Arc<InstanceFinished>) {
        let calls = instance.record.iter().filter(|e| e.direction == Direction::Call).count();
        self.run.requests += calls;
        self.run.notifications += instance.record.len() - calls;
        for clause in &instance.held {
            *self.held.entry(clause.clone()).or_default() += 1;
        }
        for row in &instance.rows {
            *self.rows.entry(row.clone()).or_default() += 1;
        }
        match &instance.verdict {
            Verdict::Passed => self.run.counts.passed += 1,
            Verdict::Failed { findings } => {
                self.run.counts.failed += 1;
                let broken: BTreeSet<_> = findings.iter().filter(|f| f.counts()).flat_map(|f| &f.clauses).collect();
                for clause in broken {
                    *self.failed.entry(clause.clone()).or_default() += 1;
                }
            }
            Verdict::Skipped { reason } => {
                self.run.counts.skipped += 1;
                self.not_judged(instance, "skipped", reason);
            }
            Verdict::Broken { reason } => {
                self.run.counts.broken += 1;
                self.not_judged(instance, "not judged", reason);
            }
        }
    }

    fn not_judged(&mut self, instance: &InstanceFinished, how: &str, reason: &str) {
        *self.reasons.entry(format!("{how}: {reason}")).or_default() += 1;
        for clause in self.named.get(&instance.name.to_string()).into_iter().flatten() {
            self.skipped.entry(clause.clone()).or_insert_with(|| reason.to_owned());
        }
    }

    pub(crate) fn finish(mut self, planned: usize, elapsed: Duration) -> RunFinished {
        self.run.elapsed = elapsed;
        self.run.clauses = self.order.iter().map(|id| ClauseOutcome { id: id.clone(), standing: self.standing(id) }).collect();
        self.run.rows =
            self.all_rows.iter().map(|row| RowOutcome { row: row.clone(), taken: self.rows.get(row).copied().unwrap_or(0) }).collect();
        self.run.inconclusive = self.inconclusive(planned);
        self.run
    }

    fn standing(&self, id: &str) -> Standing {
        if let Some(times) = self.failed.get(id) {
            return Standing::Failed { times: *times };
        }
        if let Some(times) = self.held.get(id) {
            return Standing::Passed { times: *times };
        }
        if let Some(reason) = self.unchecked.get(id) {
            return Standing::Unchecked { reason: reason.clone() };
        }
        self.skipped.get(id).map_or(Standing::Untouched, |reason| Standing::Skipped { reason: reason.clone() })
    }

    fn inconclusive(&self, planned: usize) -> Vec<String> {
        let Counts { passed, failed, skipped, broken } = self.run.counts;
        let mut reasons = Vec::new();
        if planned == 0 {
            reasons.push("nothing was selected to run".to_owned());
        } else if passed + failed == 0 {
            reasons.push("nothing ran".to_owned());
        }
        let ended = passed + failed + skipped + broken;
        if ended < planned {
            reasons.push(format!("{} of {planned} did not run: the run was ended early", planned - ended));
        }
        reasons.extend(self.reasons.iter().map(|(reason, times)| format!("{times} {reason}")));
        let untouched: Vec<&str> = self
            .run
            .clauses
            .iter()
            .filter(|c| c.standing == Standing::Untouched && self.asked.contains(&c.id))
            .map(|c| c.id.as_str())
            .collect();
        if !untouched.is_empty() && ended == planned {
            let shown: Vec<_> = untouched.iter().take(5).copied().collect();
            let more = untouched.len() - shown.len();
            let and = if more > 0 { format!(" and {more} more") } else { String::new() };
            reasons.push(format!("{} clauses were never touched: {}{and}", untouched.len(), shown.join(", ")));
        }
        reasons
    }
}
