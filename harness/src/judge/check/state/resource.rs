//! One resource on its path through its transition table.

use serde_json::Value;

use crate::spec::contract::{StateTable, TransitionRow, Trigger};

/// The most paths that are followed: no documented scenario needs more.
const MAX_PATHS: usize = 64;

/// A possible path of a resource since it was last observed.
#[derive(Clone, Debug, PartialEq)]
struct PossiblePath<'c> {
    /// The state it leads to; none if the document leaves it open.
    state: Option<String>,
    rows: Vec<&'c TransitionRow>,
}

impl PossiblePath<'_> {
    /// How many of its transitions apply only to certain resources.
    fn specific(&self) -> usize {
        self.rows.iter().filter(|row| !row.when.is_empty()).count()
    }

    /// Whether a transition of it that leads from this state may still be under way, as the document leaves open where to.
    fn may_still_leave(&self, state: &str) -> bool {
        self.state.is_none() && self.rows.iter().any(|row| row.to.is_none() && row.from.as_deref() == Some(state))
    }

    /// Whether it leads to a state, or through it.
    fn has_been(&self, state: &str) -> bool {
        self.rows.iter().any(|row| row.to.as_deref() == Some(state)) || self.state.as_deref() == Some(state)
    }
}

/// A resource, as far as it has been followed.
#[derive(Debug)]
pub(super) struct Resource<'c> {
    /// The last observed state; none before the first observation.
    seen: Option<String>,
    paths: Vec<PossiblePath<'c>>,
    /// Every state it is known to have been in.
    visited: Vec<String>,
    /// The request that created it.
    sent: Option<&'c Value>,
}

/// The meaning of an observation.
pub(super) enum StateObservation<'c> {
    /// These transitions happened.
    Rows(Vec<&'c TransitionRow>),
    /// No trigger in the record explains it, but the change is documented.
    Possible,
    /// A notification shows a state that the resource never was in; it is in this one.
    NeverWas(String),
    /// This transition was due and did not happen.
    NotTaken(&'c TransitionRow),
    /// No documented transitions lead from the state before to this one.
    Undocumented(String),
}

impl<'c> Resource<'c> {
    /// A resource created by one of these rows.
    pub(super) fn created(rows: impl Iterator<Item = &'c TransitionRow>, sent: Option<&'c Value>) -> Self {
        let paths = rows.map(|row| PossiblePath { state: row.to.clone(), rows: vec![row] }).collect();
        Self { seen: None, paths, visited: Vec::new(), sent }
    }

    /// Extends every path by the transitions that fit; a path without one stays.
    pub(super) fn step(&mut self, table: &'c StateTable, fits: impl Fn(&Trigger) -> bool) {
        let (before, sent) = (std::mem::take(&mut self.paths), self.sent);
        for path in before {
            let leaves = |row: &&'c TransitionRow| {
                row.from.is_some() && (path.state.is_none() || row.from == path.state) && fits(&row.trigger) && is_for(row, sent)
            };
            let mut went = false;
            for row in table.rows.iter().filter(leaves) {
                went = true;
                let rows = path.rows.iter().copied().chain([row]).collect();
                self.keep(PossiblePath { state: row.to.clone(), rows });
            }
            if !went {
                self.keep(path);
            }
        }
    }

    /// Extends the paths after a refusal. If the document leaves the state open, a refusal does not determine it: its reason may
    /// be another than that of the transition.
    pub(super) fn refused(&mut self, table: &'c StateTable, fits: impl Fn(&Trigger) -> bool) {
        let open: Vec<PossiblePath<'c>> = self.paths.iter().filter(|path| path.state.is_none()).cloned().collect();
        self.step(table, fits);
        open.into_iter().for_each(|path| self.keep(path));
    }

    /// Extends the paths if nothing may have happened yet: every path also stays as it is.
    pub(super) fn may_step(&mut self, table: &'c StateTable, fits: impl Fn(&Trigger) -> bool) {
        let before = self.paths.clone();
        self.step(table, fits);
        before.into_iter().for_each(|path| self.keep(path));
    }

    fn keep(&mut self, path: PossiblePath<'c>) {
        if self.paths.len() < MAX_PATHS && !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    /// Interprets an observation of this state. One that `confirms_only` may be late and show a former state. `alone` as for
    /// [`transitions`](super::transitions).
    pub(super) fn see(&mut self, table: &StateTable, state: &str, confirms_only: bool, alone: bool) -> StateObservation<'c> {
        let fitting: Vec<&PossiblePath<'c>> = self.paths.iter().filter(|path| path.state.as_deref().is_none_or(|s| s == state)).collect();
        // A late notification of a former state does not determine which of several states it is in now.
        let undecided = self.paths.iter().any(|path| path.state.as_deref() != Some(state));
        if confirms_only && undecided && self.visited.iter().any(|was| was == state) {
            return StateObservation::Possible;
        }
        if let Some(path) = fitting.iter().max_by_key(|path| (path.specific(), path.rows.len())) {
            let rows = path.rows.clone();
            let pending: Vec<PossiblePath<'c>> =
                fitting.iter().filter(|path| path.may_still_leave(state)).map(|path| (*path).clone()).collect();
            // Whichever path was taken: a notification of a state on any of them may still arrive.
            self.visited.extend(fitting.iter().flat_map(|path| &path.rows).filter_map(|row| row.to.clone()));
            self.settle(state);
            // Elsewhere what a call leads to may take its time, if the document leaves it open: a reversal on the terminal.
            pending.into_iter().filter(|_| !alone).for_each(|path| self.keep(path));
            return StateObservation::Rows(rows);
        }
        if confirms_only {
            return self.confirms(table, state, alone);
        }
        let before = self.seen.clone();
        let possible = !alone && reachable(table, before.as_deref(), state);
        let seen = match self.not_left(state, alone).or_else(|| self.only_row().filter(|_| !possible)) {
            Some(row) => StateObservation::NotTaken(row),
            None if possible => StateObservation::Possible,
            None => StateObservation::Undocumented(before.unwrap_or_else(|| "its creation".to_owned())),
        };
        self.settle(state);
        seen
    }

    /// The transition that should have left the current state. In a shared world only the response of a call promises that a
    /// transition happened.
    fn not_left(&self, state: &str, alone: bool) -> Option<&'c TransitionRow> {
        let leaves = |row: &&'c TransitionRow| row.from.as_deref() == Some(state) && row.to.as_deref().is_some_and(|to| to != state);
        let promised = |row: &&'c TransitionRow| alone || matches!(row.trigger, Trigger::Call { .. });
        let due = self.paths.iter().filter_map(|path| path.rows.iter().rev().copied().find(leaves)).filter(promised);
        // Of several transitions, the most specific one applies.
        due.max_by_key(|row| row.when.len())
    }

    /// The transition that was due since the last observation, if there is exactly one.
    fn only_row(&self) -> Option<&'c TransitionRow> {
        let mut rows = self.paths.iter().flat_map(|path| path.rows.iter().copied());
        let first = rows.next()?;
        rows.all(|row| row == first).then_some(first)
    }

    /// Whether a notification, which may be late, shows any past or possible state.
    fn confirms(&self, table: &StateTable, state: &str, alone: bool) -> StateObservation<'c> {
        if self.visited.iter().any(|was| was == state) || self.paths.iter().any(|path| path.has_been(state)) {
            return StateObservation::Possible;
        }
        match &self.seen {
            Some(now) if !reachable(table, Some(now), state) => StateObservation::NeverWas(now.clone()),
            Some(_) | None => self.only_row().filter(|_| alone).map_or(StateObservation::Possible, StateObservation::NotTaken),
        }
    }

    fn settle(&mut self, state: &str) {
        self.visited.push(state.to_owned());
        self.seen = Some(state.to_owned());
        self.paths = vec![PossiblePath { state: Some(state.to_owned()), rows: Vec::new() }];
    }
}

/// Whether a transition applies to a resource that was created with this request.
fn is_for(row: &TransitionRow, sent: Option<&Value>) -> bool {
    row.when.iter().all(|(field, value)| sent.and_then(|sent| sent.get(field)).unwrap_or(&Value::Null) == value)
}

/// Whether transitions, by any trigger, lead from one state to another. A call with an undocumented result leads nowhere here: it
/// could explain any change.
fn reachable(table: &StateTable, from: Option<&str>, to: &str) -> bool {
    let mut reached: Vec<Option<&str>> = vec![from];
    let mut at = 0;
    while let Some(here) = reached.get(at).copied() {
        at += 1;
        if here == Some(to) {
            return true;
        }
        for row in table.rows.iter().filter(|row| row.from.as_deref() == here) {
            // If the document leaves the state open, any documented one may follow.
            let anywhere = row.to.is_none() && matches!(row.trigger, Trigger::World { .. });
            let open = table.states.keys().map(String::as_str).filter(|_| anywhere);
            for next in row.to.as_deref().into_iter().chain(open) {
                if !reached.contains(&Some(next)) {
                    reached.push(Some(next));
                }
            }
        }
    }
    false
}
