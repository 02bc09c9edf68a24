//! One resource on its way through its transition table.

use serde_json::Value;

use crate::spec::contract::{Row, StateTable, Trigger};

/// More ways through a table than this are not followed: no documented story needs them.
const MAX_WAYS: usize = 64;

/// One way a resource may have gone since it was last seen.
#[derive(Clone, Debug, PartialEq)]
struct Way<'c> {
    /// Where it leads; none = the document leaves it open.
    state: Option<String>,
    rows: Vec<&'c Row>,
}

impl Way<'_> {
    /// How many of its rows are only for resources such as this one.
    fn specific(&self) -> usize {
        self.rows.iter().filter(|row| !row.when.is_empty()).count()
    }

    /// Whether it leads to a state, or through it.
    fn has_been(&self, state: &str) -> bool {
        self.rows.iter().any(|row| row.to.as_deref() == Some(state)) || self.state.as_deref() == Some(state)
    }
}

/// A resource, as far as it has been followed.
#[derive(Debug)]
pub(super) struct Resource<'c> {
    /// The state last seen; none before the first sighting.
    seen: Option<String>,
    ways: Vec<Way<'c>>,
    /// Every state it is known to have been in.
    visited: Vec<String>,
    /// What was sent to create it.
    sent: Option<&'c Value>,
}

/// What a sighting says.
pub(super) enum Seen<'c> {
    /// These rows were taken.
    Rows(Vec<&'c Row>),
    /// Nothing was triggered here that explains it, but the documents know the change.
    Possible,
    /// A notification tells of a state that the resource never was in; it is in this one.
    NeverWas(String),
    /// This row was due, and it was not taken.
    NotTaken(&'c Row),
    /// No documented rows lead from the state before to this one.
    Undocumented(String),
}

impl<'c> Resource<'c> {
    /// A resource created by one of these rows.
    pub(super) fn created(rows: impl Iterator<Item = &'c Row>, sent: Option<&'c Value>) -> Self {
        let ways = rows.map(|row| Way { state: row.to.clone(), rows: vec![row] }).collect();
        Self { seen: None, ways, visited: Vec::new(), sent }
    }

    /// Every way goes on by the rows that fit; a way that no row fits stays.
    pub(super) fn step(&mut self, table: &'c StateTable, fits: impl Fn(&Trigger) -> bool) {
        let (before, sent) = (std::mem::take(&mut self.ways), self.sent);
        for way in before {
            let leaves = |row: &&'c Row| {
                row.from.is_some() && (way.state.is_none() || row.from == way.state) && fits(&row.trigger) && is_for(row, sent)
            };
            let mut went = false;
            for row in table.rows.iter().filter(leaves) {
                went = true;
                let rows = way.rows.iter().copied().chain([row]).collect();
                self.keep(Way { state: row.to.clone(), rows });
            }
            if !went {
                self.keep(way);
            }
        }
    }

    /// The same after a refusal. Where the document leaves the state open, a refusal does not tell it: it may have
    /// another reason than the one of the row.
    pub(super) fn refused(&mut self, table: &'c StateTable, fits: impl Fn(&Trigger) -> bool) {
        let open: Vec<Way<'c>> = self.ways.iter().filter(|way| way.state.is_none()).cloned().collect();
        self.step(table, fits);
        open.into_iter().for_each(|way| self.keep(way));
    }

    /// The same where nothing may have happened yet: every way that was open stays open.
    pub(super) fn may_step(&mut self, table: &'c StateTable, fits: impl Fn(&Trigger) -> bool) {
        let before = self.ways.clone();
        self.step(table, fits);
        before.into_iter().for_each(|way| self.keep(way));
    }

    fn keep(&mut self, way: Way<'c>) {
        if self.ways.len() < MAX_WAYS && !self.ways.contains(&way) {
            self.ways.push(way);
        }
    }

    /// What it says that the resource is in this state. A sighting that `confirms_only` may be late: it
    /// tells of a state that was. `alone` as for [`transitions`](super::transitions).
    pub(super) fn see(&mut self, table: &StateTable, state: &str, confirms_only: bool, alone: bool) -> Seen<'c> {
        let fitting: Vec<&Way<'c>> = self.ways.iter().filter(|way| way.state.as_deref().is_none_or(|s| s == state)).collect();
        // Late news of a state that was do not tell where a way has led that the document leaves open.
        if confirms_only && fitting.iter().all(|way| way.state.is_none()) && self.visited.iter().any(|was| was == state) {
            return Seen::Possible;
        }
        if let Some(way) = fitting.iter().max_by_key(|way| (way.specific(), way.rows.len())) {
            let rows = way.rows.clone();
            // Whichever way it really went: a notification of what it was on any of them may still come.
            self.visited.extend(fitting.iter().flat_map(|way| &way.rows).filter_map(|row| row.to.clone()));
            self.settle(state);
            return Seen::Rows(rows);
        }
        if confirms_only {
            return self.confirms(table, state, alone);
        }
        let before = self.seen.clone();
        let possible = !alone && reachable(table, before.as_deref(), state);
        let seen = match self.not_left(state, alone).or_else(|| self.only_row().filter(|_| !possible)) {
            Some(row) => Seen::NotTaken(row),
            None if possible => Seen::Possible,
            None => Seen::Undocumented(before.unwrap_or_else(|| "its creation".to_owned())),
        };
        self.settle(state);
        seen
    }

    /// The row that was to lead out of the state in which it still is. Elsewhere than in a world of its
    /// own only the response of a call promises that the row was taken.
    fn not_left(&self, state: &str, alone: bool) -> Option<&'c Row> {
        let leaves = |row: &&'c Row| row.from.as_deref() == Some(state) && row.to.as_deref().is_some_and(|to| to != state);
        let promised = |row: &&'c Row| alone || matches!(row.trigger, Trigger::Call { .. });
        let due = self.ways.iter().filter_map(|way| way.rows.iter().rev().copied().find(leaves)).filter(promised);
        // Of several, the one that is for fewer resources is meant for this one.
        due.max_by_key(|row| row.when.len())
    }

    /// The row that was due since the last sighting, if there is just one.
    fn only_row(&self) -> Option<&'c Row> {
        let mut rows = self.ways.iter().flat_map(|way| way.rows.iter().copied());
        let first = rows.next()?;
        rows.all(|row| row == first).then_some(first)
    }

    /// A notification may be late, so any state that was or may be since the last sighting is fine.
    fn confirms(&self, table: &StateTable, state: &str, alone: bool) -> Seen<'c> {
        if self.visited.iter().any(|was| was == state) || self.ways.iter().any(|way| way.has_been(state)) {
            return Seen::Possible;
        }
        match &self.seen {
            Some(now) if !reachable(table, Some(now), state) => Seen::NeverWas(now.clone()),
            Some(_) | None => self.only_row().filter(|_| alone).map_or(Seen::Possible, Seen::NotTaken),
        }
    }

    fn settle(&mut self, state: &str) {
        self.visited.push(state.to_owned());
        self.seen = Some(state.to_owned());
        self.ways = vec![Way { state: Some(state.to_owned()), rows: Vec::new() }];
    }
}

/// Whether a row is for a resource that was created with this.
fn is_for(row: &Row, sent: Option<&Value>) -> bool {
    row.when.iter().all(|(field, value)| sent.and_then(|sent| sent.get(field)).unwrap_or(&Value::Null) == value)
}

/// Whether rows of the table lead from one state to another, whoever triggers them. A call that leads to a state that is not
/// documented leads nowhere here: it could explain any change.
fn reachable(table: &StateTable, from: Option<&str>, to: &str) -> bool {
    let mut reached: Vec<Option<&str>> = vec![from];
    let mut at = 0;
    while let Some(here) = reached.get(at).copied() {
        at += 1;
        if here == Some(to) {
            return true;
        }
        for row in table.rows.iter().filter(|row| row.from.as_deref() == here) {
            // Where the document leaves the state open, any documented one may follow.
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
