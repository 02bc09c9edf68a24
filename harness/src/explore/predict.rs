//! What the model says of one move: which row applies, what may be answered, and what is so then.

use serde_json::{Map, Value};

use super::model::{Answer, Creation, Model, Outcome, Row, Tell};
use super::moves::Prepared;
use super::state::{Belief, Owed, State, Thing};
use crate::scenario::{Given, Matcher, Variables};

/// What was answered.
#[derive(Clone, Debug)]
pub(crate) struct Heard<'h> {
    /// Whether it says success.
    pub(crate) accepted: bool,
    /// The code that it carries.
    pub(crate) code: Option<String>,
    /// Its body.
    pub(crate) body: Option<&'h Value>,
}

/// Which rows were taken, and what may be so after a move.
#[derive(Debug)]
pub(crate) struct After<'m> {
    /// The rows that explain the answer, with the action or the resource that they belong to.
    pub(crate) taken: Vec<(&'m str, &'m Row)>,
    /// Everything that may be so.
    pub(crate) states: Vec<State>,
}

impl Model {
    /// Whether a move may be made in every world that may be so.
    pub(crate) fn may(&self, prepared: &Prepared<'_>, belief: &Belief) -> Result<bool, String> {
        for state in belief.states() {
            if !holds(&prepared.action.may, &prepared.known(state))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The row that applies.
    pub(crate) fn row<'m>(&'m self, prepared: &Prepared<'m>, known: &Variables) -> Result<&'m Row, String> {
        let action = prepared.action;
        first(&action.rows, known)?.ok_or_else(|| {
            let known = Value::Object(known.clone());
            format!("contracts/models: no row of `{}` says what comes of {} here: {known}", action.id, prepared.name)
        })
    }

    /// What is so after a move that was answered like this.
    pub(crate) fn after<'m>(
        &'m self,
        prepared: &Prepared<'m>,
        state: &State,
        heard: &Heard<'_>,
        assert_assumed: bool,
    ) -> Result<After<'m>, String> {
        let known = prepared.known(state);
        let row = self.row(prepared, &known)?;
        let mut after = After { taken: Vec::new(), states: Vec::new() };
        for outcome in row.allowed(assert_assumed) {
            let Some(next) = self.outcome(prepared, row, outcome, state, (&known, heard))? else { continue };
            for (next, rows) in self.in_time(prepared, next, assert_assumed)? {
                after.states.push(next);
                after.taken.extend(rows);
            }
        }
        if !after.states.is_empty() {
            after.taken.push((&prepared.action.id, row));
        }
        Ok(after)
    }

    /// The world after one outcome, if the answer is one of it.
    fn outcome(
        &self,
        prepared: &Prepared<'_>,
        row: &Row,
        outcome: &Outcome,
        state: &State,
        (known, heard): (&Variables, &Heard<'_>),
    ) -> Result<Option<State>, String> {
        if !outcome.admits(heard, known)? {
            return Ok(None);
        }
        let mut known = known.clone();
        known.extend(heard.body.map(|body| ("answer".to_owned(), body.clone())));
        let (mut next, known) = (state.clone(), &known);
        if let Some(creation) = &outcome.creates {
            let Some(thing) = created(creation, row, known, heard.body)? else { return Ok(None) };
            next.things.insert(prepared.key, thing);
        }
        if let Some(thing) = prepared.on.and_then(|key| next.things.get_mut(&key)) {
            change(thing, row, outcome, known, prepared.action.reads)?;
            for (variable, place) in &outcome.keep {
                thing.variables.insert(variable.clone(), look(heard.body, place).cloned().unwrap_or(Value::Null));
            }
        }
        for (name, value) in &outcome.share {
            next.shared.insert(name.clone(), value.render(known)?);
        }
        for each in &outcome.each {
            for thing in next.things.values_mut().filter(|thing| thing.resource == each.resource) {
                let mut known = known.clone();
                known.extend(thing.variables.clone());
                if holds(&each.when, &known)? {
                    for (name, value) in &each.set {
                        thing.variables.insert(name.clone(), value.render(&known)?);
                    }
                    if let Some(clause) = &row.clause {
                        thing.because.clone_from(clause);
                    }
                }
            }
        }
        let about = if outcome.creates.is_some() { Some(prepared.key) } else { prepared.on };
        owe(&mut next, about, outcome);
        Ok(Some(next))
    }

    /// Time passes, if the move lets it pass.
    #[allow(clippy::type_complexity, reason = "each world with the rows that led to it")]
    fn in_time<'m>(
        &'m self,
        prepared: &Prepared<'_>,
        mut state: State,
        assert_assumed: bool,
    ) -> Result<Vec<(State, Vec<(&'m str, &'m Row)>)>, String> {
        let seconds = prepared.action.passes.as_ref().and_then(|field| prepared.inputs.get(field)).and_then(Value::as_i64);
        let Some(seconds) = seconds else { return Ok(vec![(state, Vec::new())]) };
        let now = state.shared.get("now").and_then(Value::as_i64).unwrap_or_default();
        state.shared.insert("now".to_owned(), (now + seconds).into());
        let keys: Vec<usize> = state.things.keys().copied().collect();
        let mut worlds = vec![(state, Vec::new())];
        for key in keys {
            let mut next = Vec::new();
            for (state, taken) in worlds {
                next.extend(self.aged(key, state, &taken, assert_assumed)?);
            }
            worlds = next;
        }
        Ok(worlds)
    }

    /// What may have become of one thing when time has passed.
    #[allow(clippy::type_complexity, reason = "each world with the rows that led to it")]
    fn aged<'m>(
        &'m self,
        key: usize,
        state: State,
        taken: &[(&'m str, &'m Row)],
        assert_assumed: bool,
    ) -> Result<Vec<(State, Vec<(&'m str, &'m Row)>)>, String> {
        let unchanged = |state: State| Ok(vec![(state, taken.to_vec())]);
        let Some(thing) = state.things.get(&key) else { return unchanged(state) };
        let Some((name, _, resource)) = self.resources.get_full(&thing.resource).map(|(_, name, resource)| (name, (), resource)) else {
            return unchanged(state);
        };
        let mut known = state.shared.clone();
        known.extend(thing.variables.clone());
        let Some(row) = first(&resource.time, &known)? else { return unchanged(state) };
        let mut worlds = Vec::new();
        for outcome in row.allowed(assert_assumed) {
            let mut next = state.clone();
            if let Some(thing) = next.things.get_mut(&key) {
                change(thing, row, outcome, &known, false)?;
            }
            owe(&mut next, Some(key), outcome);
            let mut rows = taken.to_vec();
            rows.push((name.as_str(), row));
            worlds.push((next, rows));
        }
        Ok(worlds)
    }
}

impl Row {
    /// Whether success is among what may come of it.
    pub(super) fn may_be_accepted(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome.answer, Answer::Accepted))
    }

    /// The outcomes that may be: only those that are assumed, where assumptions are asserted.
    pub(crate) fn allowed(&self, assert_assumed: bool) -> impl Iterator<Item = &Outcome> {
        let only_assumed = assert_assumed && self.outcomes.iter().any(|outcome| outcome.assumed);
        self.outcomes.iter().filter(move |outcome| !only_assumed || outcome.assumed)
    }
}

impl Outcome {
    /// Whether an answer is one that this outcome gives.
    fn admits(&self, heard: &Heard<'_>, known: &Variables) -> Result<bool, String> {
        if !self.answer.is(heard) {
            return Ok(false);
        }
        for field in self.expected(known)? {
            if !field.matcher.holds(look(heard.body, field.name), &Given::of(known))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The fields that the answer must have here.
    pub(super) fn expected(&self, known: &Variables) -> Result<Vec<Expected<'_>>, String> {
        let mut expected: Vec<_> = self.expect.iter().map(|(name, matcher)| Expected { name, matcher, clause: None }).collect();
        for Tell { clause, when, expect } in &self.tells {
            if holds(when, known)? {
                expected.extend(expect.iter().map(|(name, matcher)| Expected { name, matcher, clause: Some(clause) }));
            }
        }
        Ok(expected)
    }
}

/// A field that an answer must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'o> {
    pub(super) name: &'o str,
    pub(super) matcher: &'o Matcher,
    /// Its clause, where it has one of its own.
    clause: Option<&'o str>,
}

impl Answer {
    /// Whether it is this.
    pub(crate) fn is(&self, heard: &Heard<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Accepted => heard.accepted,
            Self::Refused => !heard.accepted,
            Self::Codes(codes) => heard.code.as_ref().is_some_and(|code| codes.contains(code)),
        }
    }
}

/// What stands under a name, or at a JSON Pointer, of a body.
pub(super) fn look<'b>(body: Option<&'b Value>, name: &str) -> Option<&'b Value> {
    if name.starts_with('/') { body?.pointer(name) } else { body?.get(name) }
}

fn created(creation: &Creation, row: &Row, known: &Variables, body: Option<&Value>) -> Result<Option<Thing>, String> {
    let Some(id) = look(body, &creation.id) else { return Ok(None) };
    let mut variables = Variables::new();
    for (name, value) in &creation.variables {
        variables.insert(name.clone(), value.render(known)?);
    }
    for (name, place) in &creation.keep {
        variables.insert(name.clone(), look(body, place).cloned().unwrap_or(Value::Null));
    }
    variables.insert("id".to_owned(), id.clone());
    Ok(Some(Thing { resource: creation.resource.clone(), variables, because: row.clause.clone().unwrap_or_default() }))
}

fn change(thing: &mut Thing, row: &Row, outcome: &Outcome, known: &Variables, reads: bool) -> Result<(), String> {
    for (name, value) in &outcome.set {
        thing.variables.insert(name.clone(), value.render(known)?);
    }
    if let Some(clause) = row.clause.as_ref().filter(|_| !reads) {
        thing.because.clone_from(clause);
    }
    Ok(())
}

fn owe(state: &mut State, thing: Option<usize>, outcome: &Outcome) {
    let owed = outcome.notify.as_ref().zip(thing);
    state.owed.extend(owed.map(|(notify, thing)| Owed { thing, state: notify.state.clone(), clause: notify.clause.clone() }));
}

fn first<'r>(rows: &'r [Row], known: &Variables) -> Result<Option<&'r Row>, String> {
    for row in rows {
        if holds(&row.when, known).map_err(|e| format!("{}: {e}", row.place))? {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Whether everything is as it must be.
pub(super) fn holds(when: &indexmap::IndexMap<String, Matcher>, known: &Variables) -> Result<bool, String> {
    let given = Given::of(known);
    for (name, matcher) in when {
        if !matcher.holds(known.get(name), &given)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What should have been answered and what was, for people: the answer itself, or the fields that differ.
#[derive(Debug)]
pub(super) struct Contrast {
    pub(super) expected: Value,
    pub(super) got: Value,
    /// The clause of the first field that differs, where it has one of its own.
    pub(super) clause: Option<String>,
}

impl Row {
    /// How an answer differs from what this row allows.
    pub(super) fn contrast(&self, heard: &Heard<'_>, known: &Variables, assert_assumed: bool) -> Result<Contrast, String> {
        let (mut expected, mut got, mut clause) = (Map::new(), Map::new(), None);
        for outcome in self.allowed(assert_assumed).filter(|outcome| outcome.answer.is(heard)) {
            for Expected { name, matcher, clause: own } in outcome.expected(known)? {
                let there = look(heard.body, name);
                if !matcher.holds(there, &Given::of(known))? {
                    expected.insert(name.to_owned(), matcher.describe(&Given::of(known))?);
                    got.insert(name.to_owned(), there.cloned().unwrap_or(Value::Null));
                    clause = clause.or_else(|| own.map(str::to_owned).or_else(|| self.about.get(name).cloned()));
                }
            }
        }
        if expected.is_empty() {
            let answers: Vec<String> = self.allowed(assert_assumed).map(|outcome| outcome.answer.described()).collect();
            return Ok(Contrast { expected: answers.join(" or ").into(), got: heard.described(), clause });
        }
        Ok(Contrast { expected: Value::Object(expected), got: Value::Object(got), clause })
    }
}

impl Answer {
    /// What is answered, for people.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Accepted => "accepted".to_owned(),
            Self::Refused => "refused".to_owned(),
            Self::Any => "anything".to_owned(),
            Self::Codes(codes) => codes.join(" or "),
        }
    }
}
