//! One sequence while it is played: every answer is held against everything that may be so.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::divergence::{Divergence, Sight};
use super::model::{Creation, Model, Row};
use super::moves::{Prepared, Stride};
use super::notices;
use super::orders::orders;
use super::predict::{Contrast, Heard, look};
use super::state::{Belief, State};
use super::wanted::Wanted;
use crate::contract::Contracts;
use crate::runner::{Context, Deed, Ground, Halt, Instance, Live, Told};

/// Why a sequence could not be played to its end; nothing of this is a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The target may not be asked this, and why: the action, and the reason.
    Barred(usize, String),
    /// The target can't be reached, or the world does not move.
    Broken(String),
    /// The model does not say what comes of something.
    Model(String),
}

impl Trouble {
    fn of(halt: Halt, action: usize) -> Self {
        match halt {
            Halt::Skipped(reason) => Self::Barred(action, reason),
            Halt::Broken(reason) => Self::Broken(reason),
        }
    }
}

/// One move that was made, for the script of its sequence.
#[derive(Clone, Debug)]
pub(crate) struct Made<'m> {
    /// What was sent.
    pub(crate) prepared: Prepared<'m>,
    /// Whether it was accepted.
    pub(crate) accepted: bool,
    /// The code that was answered.
    pub(crate) code: Option<String>,
    /// What it created, if it did.
    pub(crate) creation: Option<&'m Creation>,
    /// What is known of what it created.
    pub(crate) created: Option<Map<String, Value>>,
    /// What its answer told of the thing that it was done to.
    pub(crate) learned: Vec<Learned>,
}

/// A variable of a thing that an answer told.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    pub(crate) variable: String,
    /// Its place in the answer.
    pub(crate) place: String,
    pub(crate) value: Value,
}

/// A sequence while it is played.
pub(crate) struct Game<'g> {
    context: &'g Context,
    model: &'g Model,
    live: Live<'g>,
    pub(crate) belief: Belief,
    /// What was played: the strides that could be made, with their moves.
    pub(crate) made: Vec<(Stride, Vec<Made<'g>>)>,
    /// How often each row was taken, by its action or resource.
    pub(crate) taken: BTreeMap<(&'g str, &'g str), usize>,
    /// How many moves were made.
    pub(crate) steps: usize,
    /// What was asked of the answers that a divergence was seen by, move by move.
    last: Vec<Option<Wanted>>,
    /// The documents have left so much open that what follows can't be judged.
    is_lost: bool,
}

impl<'g> Game<'g> {
    pub(crate) fn new(context: &'g Context, model: &'g Model, instance: &'g Instance, ground: &'g Ground) -> Self {
        let live = Live::new(context, instance, ground);
        Self {
            context,
            model,
            live,
            belief: Belief::new(&model.shared),
            made: Vec::new(),
            taken: BTreeMap::new(),
            steps: 0,
            last: Vec::new(),
            is_lost: false,
        }
    }

    /// Plays one stride. One that can't be made any more is left out, and so is everything after too much is open.
    pub(crate) async fn stride(&mut self, stride: &Stride) -> Result<Option<Divergence>, Trouble> {
        let model = self.model;
        if self.is_lost {
            return Ok(None);
        }
        let mut prepared = Vec::new();
        for chosen in stride.moves() {
            let Some(first) = self.belief.first() else { return Ok(None) };
            let ready = chosen.prepared(model, first).map_err(Trouble::Model)?;
            let Some(ready) = ready else { return Ok(None) };
            if !model.may(&ready, &self.belief).map_err(Trouble::Model)? {
                return Ok(None);
            }
            prepared.push(ready);
        }
        let told = self.done(&prepared).await?;
        // What meets comes in any order, so what follows is not the same every time, and is not counted.
        let has_met = self.made.iter().any(|(stride, _)| matches!(stride, Stride::Together(_)));
        self.steps += if has_met { 0 } else { prepared.len() };
        let index = self.made.len();
        let heard: Vec<Heard<'_>> = prepared.iter().zip(&told).map(|(prepared, told)| heard(self.context, prepared, told)).collect();
        let made = prepared.iter().zip(&heard).map(|(prepared, heard)| Made {
            prepared: prepared.clone(),
            accepted: heard.accepted,
            code: heard.code.clone(),
            creation: None,
            created: None,
            learned: Vec::new(),
        });
        self.made.push((stride.clone(), made.collect()));
        let pairs: Vec<_> = prepared.iter().zip(&heard).collect();
        let (next, rows) = self.explained(&pairs).map_err(Trouble::Model)?;
        let found = self.live.findings().into_iter().next();
        let Some(next) = next else {
            self.is_lost = true;
            return Ok(found.map(|finding| Divergence::of_finding(finding, Sight::Finding(index))));
        };
        if next.is_impossible() {
            let world = told.iter().find_map(|told| match told {
                Told::World(Err(error)) => Some(error.as_str()),
                Told::World(Ok(_)) | Told::Call(_) => None,
            });
            self.last = self.wanted(&pairs).map_err(Trouble::Model)?;
            return self.unexplained(&pairs, world, index).map(Some).map_err(Trouble::Model);
        }
        if let Some((_, made)) = self.made.last_mut() {
            for (made, heard) in made.iter_mut().zip(&heard) {
                made.note_creation(&next);
                made.note_learned(&next, heard.body);
            }
        }
        if matches!(stride, Stride::One(_)) && !has_met {
            rows.into_iter().for_each(|(of, row)| *self.taken.entry((of, row.id.as_str())).or_default() += 1);
        }
        self.belief = next;
        Ok(found.map(|finding| Divergence::of_finding(finding, Sight::Finding(index))))
    }

    /// What each answer must be, one after the other; what nothing explains has changed nothing.
    fn wanted(&self, pairs: &[(&Prepared<'g>, &Heard<'_>)]) -> Result<Vec<Option<Wanted>>, String> {
        let assumed = self.context.target.assert_assumed;
        let mut worlds: Vec<State> = self.belief.states().to_vec();
        let mut all = Vec::new();
        for (prepared, heard) in pairs {
            let operation = self.context.contracts.operations.get(prepared.name);
            all.push(Some(Wanted::of_model(self.model, prepared, &worlds, operation, assumed)?));
            let after = worlds.iter().map(|state| Ok(self.model.after(prepared, state, heard, assumed)?.states));
            let next: Vec<State> = after.collect::<Result<Vec<_>, String>>()?.into_iter().flatten().collect();
            worlds = if next.is_empty() { worlds } else { next };
        }
        Ok(all)
    }

    async fn done(&mut self, prepared: &[Prepared<'g>]) -> Result<Vec<Told>, Trouble> {
        let deeds: Vec<Deed> = prepared.iter().map(|prepared| deed(&self.context.contracts, prepared)).collect();
        let action = prepared.first().map_or(0, |prepared| prepared.index);
        match deeds.as_slice() {
            [one] => Ok(vec![self.live.play(one).await.map_err(|halt| Trouble::of(halt, action))?]),
            several => self.live.together(several).await.map_err(|halt| Trouble::of(halt, action)),
        }
    }

    /// Everything that may be so after this, in whatever order it came.
    #[allow(clippy::type_complexity, reason = "what may be so, and the rows that led there")]
    fn explained(&self, pairs: &[(&Prepared<'g>, &Heard<'_>)]) -> Result<(Option<Belief>, Vec<(&'g str, &'g Row)>), String> {
        let (mut states, mut rows) = (Vec::new(), Vec::new());
        for order in orders(pairs.len()) {
            let mut worlds: Vec<State> = self.belief.states().to_vec();
            for (prepared, heard) in order.iter().filter_map(|index| pairs.get(*index)) {
                let mut next = Vec::new();
                for state in &worlds {
                    let after = self.model.after(prepared, state, heard, self.context.target.assert_assumed)?;
                    next.extend(after.states);
                    for row in after.taken {
                        if !rows.iter().any(|(of, known): &(&str, &Row)| *of == row.0 && known.id == row.1.id) {
                            rows.push(row);
                        }
                    }
                }
                worlds = next;
            }
            states.extend(worlds);
        }
        Ok((Belief::of(states), rows))
    }

    /// The first move, in the order given, that nothing explains.
    fn unexplained(&self, pairs: &[(&Prepared<'g>, &Heard<'_>)], world: Option<&str>, stride: usize) -> Result<Divergence, String> {
        let assumed = self.context.target.assert_assumed;
        let mut worlds: Vec<State> = self.belief.states().to_vec();
        for (prepared, heard) in pairs {
            let mut next = Vec::new();
            for state in &worlds {
                next.extend(self.model.after(prepared, state, heard, assumed)?.states);
            }
            if next.is_empty()
                && let Some(state) = worlds.first()
            {
                return self.contradiction(prepared, heard, state, (world, pairs.len() > 1, stride));
            }
            worlds = next;
        }
        Err("contracts/models: something is impossible, but every part of it is possible".to_owned())
    }

    fn contradiction(
        &self,
        prepared: &Prepared<'g>,
        heard: &Heard<'_>,
        state: &State,
        (world, race, stride): (Option<&str>, bool, usize),
    ) -> Result<Divergence, String> {
        let known = prepared.known(state);
        let row = self.model.row(prepared, &known)?;
        let because = prepared.on.and_then(|key| state.things.get(&key)).map(|thing| thing.because.clone());
        let Contrast { expected, got, clause } = row.contrast(heard, &known, self.context.target.assert_assumed)?;
        let clauses: Vec<String> = clause.into_iter().chain(row.clause.clone().or(because)).collect();
        let message = match (world, race) {
            (Some(error), _) => format!("{} could not be done (row `{}/{}`): {error}", prepared.name, prepared.action.id, row.id),
            (None, true) => format!("no order of what happened at the same time explains this answer of {}", prepared.name),
            (None, false) => format!("{} answers otherwise than documented (row `{}/{}`)", prepared.name, prepared.action.id, row.id),
        };
        Ok(Divergence { clauses, operation: prepared.name.to_owned(), message, expected, got, sight: Sight::Answer(stride) })
    }

    /// The end of a sequence: what was to be notified, and what the transition tables say of all of it.
    pub(crate) async fn end(mut self) -> Result<(Option<Divergence>, Ended<'g>), Trouble> {
        let mut found = None;
        if self.context.inbox.is_some() && !self.is_lost {
            let arrived = self.live.settle().await.map_err(|halt| Trouble::of(halt, 0))?;
            found = notices::divergence(&self.context.contracts, self.model, &self.belief, &arrived);
        }
        let (index, ended) = (self.made.len(), Ended { made: self.made, taken: self.taken, steps: self.steps, last: Vec::new() });
        let finding = self.live.findings().into_iter().next();
        let found = found.or_else(|| finding.map(|finding| Divergence::of_finding(finding, Sight::Finding(index))));
        // The tables take what happened in its order, and what meets has none; the model alone judges that.
        let meets = ended.made.iter().any(|(stride, _)| matches!(stride, Stride::Together(_)));
        let table = self.live.end().findings.into_iter().next().filter(|_| !meets);
        Ok((found.or_else(|| table.map(|finding| Divergence::of_finding(finding, Sight::Table))), ended))
    }

    /// What is left when a divergence ends it.
    pub(crate) fn stop(self) -> Ended<'g> {
        Ended { made: self.made, taken: self.taken, steps: self.steps, last: self.last }
    }
}

/// What a sequence leaves.
#[derive(Debug, Default)]
pub(crate) struct Ended<'g> {
    pub(crate) made: Vec<(Stride, Vec<Made<'g>>)>,
    pub(crate) taken: BTreeMap<(&'g str, &'g str), usize>,
    pub(crate) steps: usize,
    pub(crate) last: Vec<Option<Wanted>>,
}

impl Made<'_> {
    /// Notes what the move has created, now that it is known.
    fn note_creation(&mut self, belief: &Belief) {
        let Some(thing) = belief.first().and_then(|state| state.things.get(&self.prepared.key)) else { return };
        let outcomes = self.prepared.action.rows.iter().flat_map(|row| &row.outcomes);
        self.creation = outcomes.filter_map(|outcome| outcome.creates.as_ref()).find(|creation| creation.resource == thing.resource);
        self.created = Some(thing.variables.clone());
    }

    /// Notes what the answer has told of the thing that the move was done to.
    fn note_learned(&mut self, belief: &Belief, body: Option<&Value>) {
        let on = self.prepared.on.and_then(|key| belief.first()?.things.get(&key));
        let Some(thing) = on else { return };
        let outcomes = self.prepared.action.rows.iter().flat_map(|row| &row.outcomes);
        for (variable, place) in outcomes.flat_map(|outcome| &outcome.keep) {
            let told = look(body, place).filter(|told| thing.variables.get(variable) == Some(*told));
            let is_new = self.learned.iter().all(|learned| learned.variable != *variable);
            let learned = told.filter(|_| is_new).map(|value| (variable.clone(), place.clone(), value.clone()));
            self.learned.extend(learned.map(|(variable, place, value)| Learned { variable, place, value }));
        }
    }
}

fn deed(contracts: &Arc<Contracts>, prepared: &Prepared<'_>) -> Deed {
    if contracts.operations.contains_key(prepared.name) {
        return Deed::Call(prepared.name.to_owned(), Box::new(prepared.call()));
    }
    Deed::World(prepared.name.to_owned(), prepared.inputs.clone())
}

fn heard<'t>(context: &Context, prepared: &Prepared<'_>, told: &'t Told) -> Heard<'t> {
    match told {
        Told::World(answer) => Heard { accepted: answer.is_ok(), code: None, body: answer.as_ref().ok() },
        Told::Call(exchange) => {
            let operation = context.contracts.operations.get(prepared.name);
            Heard {
                accepted: operation.is_some_and(|operation| operation.accepted(exchange)),
                code: operation.and_then(|operation| operation.code(exchange)),
                body: exchange.answered(),
            }
        }
    }
}

/// A mapping of one entry.
pub(super) fn named(name: &str, value: impl Into<Value>) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value.into())]))
}

impl Heard<'_> {
    /// What was answered, for people.
    pub(super) fn described(&self) -> Value {
        match (&self.code, self.accepted) {
            (Some(code), true) => json!(format!("accepted, {code}")),
            (None, true) => json!("accepted"),
            (Some(code), false) => json!(format!("refused, {code}")),
            (None, false) => json!("refused"),
        }
    }
}
