//! Shrinks a sequence: makes it as short and as simple as it can be while it still shows the same defect.

mod candidates;
mod simplify;

use super::command::Batch;
use super::model::Model;
use candidates::{change_last_value, merge_waits, one_after_the_other, only_one_entity, repeat, repetitions, wait_pairs, without};
use simplify::simplifications;

/// The most candidates that are executed.
const MAX_CANDIDATES: usize = 600;

/// A sequence that is being shrunk. The caller executes each candidate, and reports the ones that still show the defect.
#[derive(Debug)]
pub(crate) struct Shrinker {
    best: Vec<Batch>,
    pass: ShrinkPass,
    candidates: usize,
}

/// What is tried next.
#[derive(Clone, Copy, Debug)]
enum ShrinkPass {
    /// Perform one after the other what was concurrent, in this order and in the opposite one. First, because a sequence without a
    /// race shows the same whenever it runs.
    OneAfterTheOther {
        reversed: bool,
    },
    /// Keep only what concerns one of the entities, beginning with the newest.
    OnlyOneEntity {
        entity: usize,
    },
    /// Remove `size` batches at `from`; `progress` says whether this round has removed any.
    Remove {
        size: usize,
        from: usize,
        progress: bool,
    },
    /// Advance the clock once instead of twice, by each span the model has.
    MergeWaits {
        pair: usize,
        span: usize,
    },
    /// Replace a batch by one of its simplifications.
    Simplify {
        batch: usize,
        simplification: usize,
        progress: bool,
    },
    /// Remove a batch, and change a value of the last one.
    ChangeLastValue {
        removed: usize,
        change: usize,
    },
    /// Remove a batch, and perform another command twice.
    Repeat {
        repetition: usize,
    },
    Done,
}

/// The pass that removes single batches, from the beginning.
const REMOVE_SINGLE: ShrinkPass = ShrinkPass::Remove { size: 1, from: 0, progress: false };

/// The pass that keeps only one entity, from the beginning.
const FIRST_ENTITY: ShrinkPass = ShrinkPass::OnlyOneEntity { entity: 0 };

impl Shrinker {
    /// Begins with a sequence that shows the defect.
    pub(crate) fn new(sequence: Vec<Batch>) -> Self {
        Self { best: sequence, pass: ShrinkPass::OneAfterTheOther { reversed: false }, candidates: 0 }
    }

    /// The next candidate; none if there is nothing left to try.
    pub(crate) fn candidate(&mut self, model: &Model) -> Option<Vec<Batch>> {
        while self.candidates < MAX_CANDIDATES {
            let candidate = match self.pass {
                ShrinkPass::Done => return None,
                ShrinkPass::OneAfterTheOther { reversed } => self.one_after_the_other(reversed),
                ShrinkPass::OnlyOneEntity { entity } => self.only_one_entity(model, entity),
                ShrinkPass::Remove { size, from, progress } => self.remove(size, from, progress),
                ShrinkPass::MergeWaits { pair, span } => self.merge_waits(model, pair, span),
                ShrinkPass::Simplify { batch, simplification, progress } => self.simplify(model, batch, simplification, progress),
                ShrinkPass::ChangeLastValue { removed, change } => self.change_last_value(model, removed, change),
                ShrinkPass::Repeat { repetition } => self.repeat(model, repetition),
            };
            if let Some(candidate) = candidate {
                self.candidates += 1;
                return Some(candidate);
            }
        }
        None
    }

    /// Reports that the last candidate still shows the defect, as far as it was executed.
    pub(crate) fn accept(&mut self, executed: Vec<Batch>) {
        self.best = executed;
        self.pass = match self.pass {
            ShrinkPass::OneAfterTheOther { .. } => FIRST_ENTITY,
            ShrinkPass::OnlyOneEntity { .. } => self.remove_halves(),
            // The batches after the removed ones are now at the same index.
            ShrinkPass::Remove { size, from, .. } => ShrinkPass::Remove { size, from: from.saturating_sub(size), progress: true },
            ShrinkPass::MergeWaits { .. } | ShrinkPass::ChangeLastValue { .. } | ShrinkPass::Repeat { .. } => REMOVE_SINGLE,
            ShrinkPass::Simplify { batch, simplification, .. } => ShrinkPass::Simplify { batch, simplification, progress: true },
            ShrinkPass::Done => ShrinkPass::Done,
        };
    }

    fn remove_halves(&self) -> ShrinkPass {
        ShrinkPass::Remove { size: (self.best.len() / 2).max(1), from: 0, progress: false }
    }

    fn one_after_the_other(&mut self, reversed: bool) -> Option<Vec<Batch>> {
        self.pass = if reversed { FIRST_ENTITY } else { ShrinkPass::OneAfterTheOther { reversed: true } };
        self.best.iter().any(Batch::is_concurrent).then(|| one_after_the_other(&self.best, reversed))
    }

    fn only_one_entity(&mut self, model: &Model, entity: usize) -> Option<Vec<Batch>> {
        let Some(kept) = only_one_entity(model, &self.best, entity) else {
            self.pass = self.remove_halves();
            return None;
        };
        self.pass = ShrinkPass::OnlyOneEntity { entity: entity + 1 };
        (kept.len() < self.best.len()).then_some(kept)
    }

    fn remove(&mut self, size: usize, from: usize, progress: bool) -> Option<Vec<Batch>> {
        if from >= self.best.len() {
            self.pass = match (size, progress) {
                (1, false) => ShrinkPass::MergeWaits { pair: 0, span: 0 },
                (1, true) => REMOVE_SINGLE,
                (size, _) => ShrinkPass::Remove { size: size / 2, from: 0, progress: false },
            };
            return None;
        }
        self.pass = ShrinkPass::Remove { size, from: from + size, progress };
        Some(without(&self.best, from..from + size))
    }

    fn merge_waits(&mut self, model: &Model, pair: usize, span: usize) -> Option<Vec<Batch>> {
        let Some(waits) = wait_pairs(model, &self.best).get(pair).copied() else {
            self.pass = ShrinkPass::Simplify { batch: 0, simplification: 0, progress: false };
            return None;
        };
        let candidate = merge_waits(model, &self.best, waits, span);
        self.pass = match candidate {
            Some(_) => ShrinkPass::MergeWaits { pair, span: span + 1 },
            None => ShrinkPass::MergeWaits { pair: pair + 1, span: 0 },
        };
        candidate
    }

    fn simplify(&mut self, model: &Model, index: usize, simplification: usize, progress: bool) -> Option<Vec<Batch>> {
        let Some(batch) = self.best.get(index) else {
            // A simpler sequence may need fewer batches.
            self.pass = if progress { REMOVE_SINGLE } else { ShrinkPass::ChangeLastValue { removed: 0, change: 0 } };
            return None;
        };
        let before = self.best.iter().take(index);
        let simplifications = simplifications(model, batch, before);
        let Some(replacement) = simplifications.get(simplification) else {
            self.pass = ShrinkPass::Simplify { batch: index + 1, simplification: 0, progress };
            return None;
        };
        self.pass = ShrinkPass::Simplify { batch: index, simplification: simplification + 1, progress };
        if replacement.as_slice() == std::slice::from_ref(batch) {
            return None;
        }
        let mut candidate = self.best.clone();
        candidate.splice(index..=index, replacement.iter().cloned());
        Some(candidate)
    }

    fn change_last_value(&mut self, model: &Model, removed: usize, change: usize) -> Option<Vec<Batch>> {
        if removed + 1 >= self.best.len() {
            self.pass = ShrinkPass::Repeat { repetition: 0 };
            return None;
        }
        let candidate = change_last_value(model, &self.best, removed, change);
        self.pass = match candidate {
            Some(_) => ShrinkPass::ChangeLastValue { removed, change: change + 1 },
            None => ShrinkPass::ChangeLastValue { removed: removed + 1, change: 0 },
        };
        candidate
    }

    fn repeat(&mut self, model: &Model, repetition: usize) -> Option<Vec<Batch>> {
        let Some(chosen) = repetitions(model, &self.best).get(repetition).copied() else {
            self.pass = ShrinkPass::Done;
            return None;
        };
        self.pass = ShrinkPass::Repeat { repetition: repetition + 1 };
        repeat(&self.best, chosen)
    }
}

#[cfg(test)]
mod tests;
