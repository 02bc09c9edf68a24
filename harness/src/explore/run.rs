//! Exploring: many sequences at a time, each in a world of its own; what diverges is made short and written down.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures::{FutureExt, StreamExt};
use serde_json::Map;

use super::divergence::Divergence;
use super::model::Model;
use super::moves::Stride;
use super::play::{Ended, Game, Trouble};
use super::script::Script;
use super::shrink::Shrink;
use super::walk::Walk;
use crate::event::InstanceName;
use crate::runner::{Context, Ground, Instance};
use crate::scenario::{Case, Scenario};

/// What meets comes in any order, so a sequence with such moves is played so often before it is believed to show
/// nothing.
const AGAIN: usize = 6;

/// So often two moves meet at the end of a sequence that has such an end.
const RACES: usize = 3;

/// After so many sequences it is seen which rows were seldom taken. How many are played at a time makes no difference
/// to that, so that the same seed explores the same on every machine.
const ROUND: u64 = 32;

/// Where more than so many possibilities are open, everything is read, which decides most of them.
const OPEN: usize = 4;

/// A row that was taken less often is aimed at.
const SELDOM: usize = 3;

/// How much is explored.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// How many sequences of each model; without a limit of time all of them.
    pub sequences: u64,
    /// When it ends at the latest.
    pub until: Option<Instant>,
    /// How many moves a sequence has at most, before everything is read.
    pub steps: u32,
    /// How many sequences are played at the same time.
    pub jobs: usize,
    /// So many sequences that diverge end it.
    pub enough: usize,
}

/// What came of exploring with one model.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// The API.
    pub api: String,
    /// How many sequences were played to their end.
    pub sequences: u64,
    /// How many moves were made, each held against the model.
    pub steps: usize,
    /// In how many sequences some moves met; how often they did is not the same every time.
    pub races: usize,
    /// How often each row was taken: `refund/beyond`.
    pub rows: Vec<(String, usize)>,
    /// Actions that could not be done here, and why.
    pub barred: BTreeMap<String, String>,
    /// Where the target went another way, each cause once.
    pub found: Vec<Found>,
    /// Why it ended early, if nothing of the target's was the reason.
    pub trouble: Option<Trouble>,
}

/// One cause, and the shortest sequence that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is wrong.
    pub divergence: Divergence,
    /// The number of the sequence that showed it first.
    pub sequence: u64,
    /// How many moves that had.
    pub length: usize,
    /// How many sequences showed it.
    pub times: usize,
    /// The shortest sequence, for people; moves that met are one line.
    pub moves: Vec<String>,
    /// How many moves that has.
    pub shortest: usize,
    /// The sequence as a scenario.
    pub script: String,
}

/// What came of one sequence.
struct End {
    rows: BTreeMap<String, usize>,
    steps: usize,
    races: usize,
    strides: Vec<Stride>,
    divergence: Option<Divergence>,
    script: String,
    moves: Vec<String>,
    length: usize,
}

/// What is played.
enum Sequence<'s> {
    /// Chosen on the way: so many moves at most, and whether some meet at the end.
    Chosen(Walk, u32, bool),
    /// Already known.
    Known(&'s [Stride]),
}

/// Explores a target with one model.
pub async fn explore(context: &Arc<Context>, model: &Arc<Model>, extent: Extent, stop: impl Future<Output = ()>) -> Explored {
    let mut explored = Explored { api: model.api.clone(), ..Explored::default() };
    let barred = barred(context, model, &mut explored);
    let over = || extent.until.is_some_and(|until| Instant::now() >= until);
    let jobs = if context.has_worlds() { extent.jobs.max(1) } else { 1 };
    let stop = stop.boxed_local().shared();
    let (mut rows, mut diverging, mut begun) = (BTreeMap::new(), Vec::new(), 0);
    while begun < extent.sequences && !over() && stop.peek().is_none() {
        let end = extent.sequences.min(begun.saturating_add(ROUND));
        let seldom = seldom(model, &rows);
        let numbers = futures::stream::iter(begun..end).take_while(|_| std::future::ready(!over()));
        let playing = numbers.map(|number| {
            let sequence = Sequence::Chosen(Walk::new(model, context.seed, number, &barred, &seldom), extent.steps, number % 2 == 1);
            let task = tokio::spawn(one_of(Arc::clone(context), Arc::clone(model), number, sequence));
            async move { (number, task.await.unwrap_or_else(|error| Err(Trouble::Broken(format!("a fault of paycheck itself: {error}"))))) }
        });
        let mut playing = Box::pin(playing.buffered(jobs).take_until(stop.clone()));
        while let Some((number, ended)) = playing.next().await {
            match ended {
                Err(Trouble::Barred(action, reason)) => explored.bar(model, action, reason),
                Err(trouble) => explored.trouble = Some(trouble),
                Ok(end) => {
                    explored.take(&end, &mut rows);
                    diverging.extend(end.divergence.is_some().then_some((number, end)));
                }
            }
            if explored.trouble.is_some() || diverging.len() >= extent.enough.max(1) {
                break;
            }
        }
        begun = end;
        if explored.trouble.is_some() || diverging.len() >= extent.enough.max(1) {
            break;
        }
    }
    let row_ids = model.rows().map(|(of, row)| format!("{of}/{}", row.id));
    explored.rows = row_ids.map(|id| (id.clone(), rows.get(&id).copied().unwrap_or_default())).collect();
    explored.found = shrunk(context, model, diverging).await;
    explored
}

async fn one_of(context: Arc<Context>, model: Arc<Model>, number: u64, sequence: Sequence<'static>) -> Result<End, Trouble> {
    play(&context, &model, &format!("{}-{number}", model.api), sequence).await
}

/// The rows that were seldom taken, each by its action and its own place.
fn seldom(model: &Model, taken: &BTreeMap<String, usize>) -> Vec<(usize, usize)> {
    let is_seldom = |of: &str, row: &str| taken.get(&format!("{of}/{row}")).is_none_or(|times| *times < SELDOM);
    let actions = model.actions.iter().enumerate();
    let rows = actions.flat_map(|(index, action)| action.rows.iter().enumerate().map(move |(place, row)| (index, place, action, row)));
    rows.filter(|(.., action, row)| is_seldom(&action.id, &row.id)).map(|(index, place, ..)| (index, place)).collect()
}

impl Explored {
    fn take(&mut self, end: &End, rows: &mut BTreeMap<String, usize>) {
        self.sequences += 1;
        self.steps += end.steps;
        self.races += usize::from(end.races > 0);
        end.rows.iter().for_each(|(row, times)| *rows.entry(row.clone()).or_default() += times);
    }

    fn bar(&mut self, model: &Model, action: usize, reason: String) {
        let name = model.actions.get(action).map(|action| action.id.clone()).unwrap_or_default();
        self.barred.insert(name, reason);
    }
}

/// The actions that can't be done on this target.
fn barred(context: &Context, model: &Model, explored: &mut Explored) -> Vec<usize> {
    let mut barred = Vec::new();
    for (index, action) in model.actions.iter().enumerate() {
        let reason = match &action.verb {
            super::model::Verb::World(name) => context.cannot_act(name),
            super::model::Verb::Call(_) => None,
        };
        let setting = (action.needs_setting && !context.has_worlds()).then(|| "it needs a world with settings of its own".to_owned());
        if let Some(reason) = reason.or(setting) {
            explored.bar(model, index, reason);
            barred.push(index);
        }
    }
    barred
}

/// Plays one sequence in a world of its own.
async fn play(context: &Context, model: &Model, name: &str, sequence: Sequence<'_>) -> Result<End, Trouble> {
    let instance = instance(model);
    let ground = Ground::open(context, name, &model.setting).await.map_err(|error| Trouble::Broken(error.to_string()))?;
    let ended = play_on(context, model, &instance, &ground, sequence).await;
    let closed = ground.close(context).await.map_err(|error| Trouble::Broken(error.to_string()));
    let (divergence, ended) = ended?;
    closed?;
    Ok(End::of(context, model, divergence, ended))
}

async fn play_on<'g>(
    context: &'g Context,
    model: &'g Model,
    instance: &'g Instance,
    ground: &'g Ground,
    sequence: Sequence<'_>,
) -> Result<(Option<Divergence>, Ended<'g>), Trouble> {
    let mut game = Game::new(context, model, instance, ground);
    let diverged = match sequence {
        Sequence::Known(strides) => all(&mut game, strides).await?,
        Sequence::Chosen(walk, most, races) => wander(&mut game, model, walk, (most, races)).await?,
    };
    match diverged {
        Some(divergence) => Ok((Some(divergence), game.stop())),
        None => game.end().await,
    }
}

async fn all(game: &mut Game<'_>, strides: &[Stride]) -> Result<Option<Divergence>, Trouble> {
    for stride in strides {
        let diverged = game.stride(stride).await?;
        if diverged.is_some() {
            return Ok(diverged);
        }
    }
    Ok(None)
}

/// Chooses and plays; at the end things may meet, and everything is read. The lengths go up and down, so that what a
/// few moves show is found by a few moves.
async fn wander(game: &mut Game<'_>, model: &Model, mut walk: Walk, (most, races): (u32, bool)) -> Result<Option<Divergence>, Trouble> {
    for _ in 0..2 + walk.below(most.saturating_sub(1).max(1)) {
        let Some(stride) = walk.step(model, &game.belief).map_err(Trouble::Model)? else { break };
        let mut diverged = game.stride(&stride).await?;
        if diverged.is_none() && game.belief.states().len() > OPEN {
            diverged = all(game, &walk.reading(model, &game.belief)).await?;
        }
        if diverged.is_some() {
            return Ok(diverged);
        }
    }
    for _ in 0..if races { RACES } else { 0 } {
        let Some(meeting) = walk.race(model, &game.belief).map_err(Trouble::Model)? else { continue };
        let diverged = game.stride(&meeting).await?;
        if diverged.is_some() {
            return Ok(diverged);
        }
    }
    all(game, &walk.reading(model, &game.belief)).await
}

impl End {
    fn of(context: &Context, model: &Model, divergence: Option<Divergence>, ended: Ended<'_>) -> Self {
        let races = ended.made.iter().filter(|(stride, _)| matches!(stride, Stride::Together(_))).count();
        let script = divergence
            .as_ref()
            .map(|divergence| Script { contracts: &context.contracts, model, divergence, made: &ended.made, last: &ended.last }.text());
        let moves = if divergence.is_some() { ended.made.iter().map(|(_, made)| super::report::told(made)).collect() } else { Vec::new() };
        Self {
            rows: ended.taken.iter().map(|((of, row), times)| (format!("{of}/{row}"), *times)).collect(),
            steps: ended.steps,
            length: ended.made.iter().map(|(_, made)| made.len()).sum(),
            races,
            strides: ended.made.into_iter().map(|(stride, _)| stride).collect(),
            divergence,
            script: script.unwrap_or_default(),
            moves,
        }
    }
}

/// Each cause once, by its shortest sequence.
async fn shrunk(context: &Context, model: &Model, diverging: Vec<(u64, End)>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (number, end) in diverging {
        let Some(divergence) = end.divergence.clone() else { continue };
        if let Some(known) = found.iter_mut().find(|known| known.divergence.cause() == divergence.cause()) {
            known.times += 1;
            continue;
        }
        let length = end.length;
        let shortest = shortest(context, model, number, end).await;
        let divergence = shortest.divergence.clone().unwrap_or(divergence);
        // What was blamed on something else at first may be the same when it is short.
        if let Some(known) = found.iter_mut().find(|known| known.divergence.cause() == divergence.cause()) {
            known.times += 1;
            if shortest.length < known.shortest {
                known.shortest = shortest.length;
                (known.moves, known.script, known.divergence) = (shortest.moves, shortest.script, divergence);
            }
            continue;
        }
        let End { moves, script, length: shortest, .. } = shortest;
        found.push(Found { divergence, sequence: number, length, times: 1, moves, shortest, script });
    }
    found
}

/// The shortest sequence that shows the same.
async fn shortest(context: &Context, model: &Model, number: u64, end: End) -> End {
    let mut shrink = Shrink::new(end.strides.clone());
    let (mut best, mut attempt) = (end, 0);
    while let Some(candidate) = shrink.candidate(model) {
        let meets = candidate.iter().any(|stride| matches!(stride, Stride::Together(_)));
        for _ in 0..if meets { AGAIN } else { 1 } {
            attempt += 1;
            let name = format!("{}-{number}-{attempt}", model.api);
            let Ok(played) = play(context, model, &name, Sequence::Known(&candidate)).await else { break };
            if best.divergence.as_ref().zip(played.divergence.as_ref()).is_some_and(|(known, left)| known.leaves(left)) {
                shrink.shows(played.strides.clone());
                best = played;
                break;
            }
        }
    }
    best
}

/// What stands for a script where there is none.
fn instance(model: &Model) -> Instance {
    let scenario = Scenario {
        name: "explored".to_owned(),
        api: model.api.clone(),
        path: format!("explore/{}", model.api),
        title: String::new(),
        clauses: Vec::new(),
        needs: Vec::new(),
        setting: Map::new(),
        cases: Vec::new(),
        steps: Vec::new(),
    };
    let name = InstanceName { api: model.api.clone(), scenario: "explored".to_owned(), case: String::new() };
    Instance { name, scenario: Arc::new(scenario), case: Case::default(), steps: Vec::new() }
}
