//! Making a sequence as short and as simple as it can be while it still shows the same.

use super::model::Model;
use super::moves::{Move, Stride};

/// As often a sequence is played again at most.
const MOST: usize = 600;

/// A sequence that is being made shorter. Whoever plays it asks for the next candidate, and tells what came of it.
#[derive(Debug)]
pub(crate) struct Shrink {
    best: Vec<Stride>,
    plan: Plan,
    played: usize,
}

/// What is tried next.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// Leave out so many strides from here; whether something was left out in this round.
    Leave {
        size: usize,
        from: usize,
        progress: bool,
    },
    /// Change one thing of one move to its first possibility.
    Simplify {
        stride: usize,
        choice: usize,
    },
    Done,
}

impl Shrink {
    /// Begins with a sequence that shows something.
    pub(crate) fn new(sequence: Vec<Stride>) -> Self {
        let size = (sequence.len() / 2).max(1);
        Self { best: sequence, plan: Plan::Leave { size, from: 0, progress: false }, played: 0 }
    }

    /// The next sequence to play; nothing when nothing is left to try.
    pub(crate) fn candidate(&mut self, model: &Model) -> Option<Vec<Stride>> {
        while self.played < MOST {
            let candidate = match self.plan {
                Plan::Done => return None,
                Plan::Leave { size, from, progress } => self.shorter(size, from, progress),
                Plan::Simplify { stride, choice } => self.simpler(model, stride, choice),
            };
            if let Some(candidate) = candidate {
                self.played += 1;
                return Some(candidate);
            }
        }
        None
    }

    /// What was played last still shows it, as far as it was played.
    pub(crate) fn shows(&mut self, played: Vec<Stride>) {
        self.best = played;
        self.plan = match self.plan {
            // What stood behind has moved to the same place.
            Plan::Leave { size, from, .. } => Plan::Leave { size, from: from.saturating_sub(size), progress: true },
            Plan::Simplify { stride, choice } => Plan::Simplify { stride, choice },
            Plan::Done => Plan::Done,
        };
    }

    fn shorter(&mut self, size: usize, from: usize, progress: bool) -> Option<Vec<Stride>> {
        if from >= self.best.len() {
            self.plan = match (size, progress) {
                (1, false) => Plan::Simplify { stride: 0, choice: 0 },
                (1, true) => Plan::Leave { size: 1, from: 0, progress: false },
                (size, _) => Plan::Leave { size: size / 2, from: 0, progress: false },
            };
            return None;
        }
        self.plan = Plan::Leave { size, from: from + size, progress };
        let kept = |(index, stride): (usize, &Stride)| (!(from..from + size).contains(&index)).then(|| stride.clone());
        Some(self.best.iter().enumerate().filter_map(kept).collect())
    }

    fn simpler(&mut self, model: &Model, stride: usize, choice: usize) -> Option<Vec<Stride>> {
        let Some(old) = self.best.get(stride) else {
            self.plan = Plan::Done;
            return None;
        };
        let choices = choices(model, old);
        let Some(new) = choices.get(choice) else {
            self.plan = Plan::Simplify { stride: stride + 1, choice: 0 };
            return None;
        };
        self.plan = Plan::Simplify { stride, choice: choice + 1 };
        if new == old {
            return None;
        }
        let mut candidate = self.best.clone();
        if let Some(place) = candidate.get_mut(stride) {
            place.clone_from(new);
        }
        Some(candidate)
    }
}

/// The same stride with one thing simpler: one move of several alone, the first operation, the first value.
fn choices(model: &Model, stride: &Stride) -> Vec<Stride> {
    match stride {
        Stride::Together(moves) => moves.iter().cloned().map(Stride::One).collect(),
        Stride::One(one) => {
            let first = Stride::One(Move { operation: 0, ..one.clone() });
            let main = Stride::One(Move { identity: 0, ..one.clone() });
            let fields = model.actions.get(one.action).map_or(0, |action| action.with.len());
            let simpler = (0..fields).map(|field| {
                let mut ways = one.ways.clone();
                if let Some(way) = ways.get_mut(field) {
                    *way = 0;
                }
                Stride::One(Move { ways, ..one.clone() })
            });
            [first, main].into_iter().chain(simpler).collect()
        }
    }
}

#[cfg(test)]
mod tests;
