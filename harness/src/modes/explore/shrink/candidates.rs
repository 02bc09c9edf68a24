//! Shorter sequences that may show the same defect.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::modes::explore::command::{Batch, Command};
use crate::modes::explore::model::{Model, ModelAction};

/// Whether a command may create an entity.
pub(super) fn creates(model: &Model, command: &Command) -> bool {
    model.actions.get(command.action).is_some_and(|action| action.creates().next().is_some())
}

/// The same commands without a race: concurrent ones follow each other, in their order or in the opposite one.
pub(super) fn one_after_the_other(sequence: &[Batch], reversed: bool) -> Vec<Batch> {
    let in_order = |batch: &Batch| {
        let mut commands: Vec<Batch> = batch.commands().iter().cloned().map(Batch::Single).collect();
        if reversed {
            commands.reverse();
        }
        commands
    };
    sequence.iter().flat_map(in_order).collect()
}

/// What concerns one entity, directly or through others, and what concerns none; `nth` counts from the newest entity.
pub(super) fn only_one_entity(model: &Model, sequence: &[Batch], nth: usize) -> Option<Vec<Batch>> {
    let creators = sequence.iter().rev().flat_map(Batch::commands).filter(|command| creates(model, command));
    let root = creators.map(|command| command.key).nth(nth)?;
    let mut related = BTreeSet::from([root]);
    let mut known = 0;
    while related.len() > known {
        known = related.len();
        for batch in sequence {
            if keys(batch).any(|key| related.contains(&key)) {
                related.extend(keys(batch));
            }
        }
    }
    let is_unbound = |batch: &Batch| batch.commands().iter().all(|command| command.on.is_none() && !creates(model, command));
    let is_kept = |batch: &&Batch| is_unbound(batch) || keys(batch).any(|key| related.contains(&key));
    Some(sequence.iter().filter(is_kept).cloned().collect())
}

/// The entities that a batch acts on or may create.
fn keys(batch: &Batch) -> impl Iterator<Item = usize> {
    batch.commands().iter().flat_map(|command| [Some(command.key), command.on]).flatten()
}

/// The sequence without a range of batches.
pub(super) fn without(sequence: &[Batch], removed: Range<usize>) -> Vec<Batch> {
    let kept = sequence.iter().enumerate().filter(|(index, _)| !removed.contains(index));
    kept.map(|(_, batch)| batch.clone()).collect()
}

/// The indices of two batches that advance the clock, one after the other.
pub(super) fn wait_pairs(model: &Model, sequence: &[Batch]) -> Vec<(usize, usize)> {
    let advances = |command: &Command| model.actions.get(command.action).is_some_and(|action| action.advances_clock_by.is_some());
    let is_wait = |batch: &Batch| matches!(batch, Batch::Single(command) if advances(command));
    let waits: Vec<usize> = sequence.iter().enumerate().filter(|(_, batch)| is_wait(batch)).map(|(index, _)| index).collect();
    waits.iter().copied().zip(waits.iter().copied().skip(1)).collect()
}

/// The sequence without the first of two waits, the second one as long as the span with this index; none if there is no
/// such span.
pub(super) fn merge_waits(model: &Model, sequence: &[Batch], (first, second): (usize, usize), span: usize) -> Option<Vec<Batch>> {
    let Some(Batch::Single(wait)) = sequence.get(second) else { return None };
    let action = model.actions.get(wait.action)?;
    let spans = action.with.get(action.advances_clock_by.as_ref()?).map_or(0, Vec::len);
    if span >= spans {
        return None;
    }
    let mut candidate = sequence.to_vec();
    *candidate.get_mut(second)? = Batch::Single(Command { choices: vec![span; wait.choices.len()], ..wait.clone() });
    candidate.remove(first);
    Some(candidate)
}

/// The sequence without one batch, and with another value in the last one; none if the last one needs that batch, or there
/// is no such change.
pub(super) fn change_last_value(model: &Model, sequence: &[Batch], removed: usize, change: usize) -> Option<Vec<Batch>> {
    let (last, before) = sequence.split_last()?;
    let out = before.get(removed)?;
    if last.commands().iter().any(|command| out.commands().iter().any(|out| command.on == Some(out.key))) {
        return None;
    }
    let (field, choice) = other_values(model, last).get(change).copied()?;
    let changed = |command: &Command| {
        let mut command = command.clone();
        command.choices.get_mut(field).into_iter().for_each(|known| *known = choice);
        command
    };
    let last = match last {
        Batch::Single(command) => Batch::Single(changed(command)),
        Batch::Concurrent(commands) => Batch::Concurrent(commands.iter().map(changed).collect()),
    };
    let mut candidate = without(before, removed..removed + 1);
    candidate.push(last);
    Some(candidate)
}

/// Each field of a batch with each of its other values; none if its commands are of different actions.
fn other_values(model: &Model, batch: &Batch) -> Vec<(usize, usize)> {
    let Some(first) = batch.commands().first() else { return Vec::new() };
    if batch.commands().iter().any(|command| command.action != first.action) {
        return Vec::new();
    }
    let fields = model.actions.get(first.action).into_iter().flat_map(|action: &ModelAction| action.with.values().enumerate());
    let values = fields.flat_map(|(field, values)| (0..values.len()).map(move |choice| (field, choice)));
    values.filter(|(field, choice)| first.choices.get(*field) != Some(choice)).collect()
}

/// Removes one batch, and runs one command again in place of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    removed: usize,
    replaced: usize,
    repeated: usize,
}

/// Every repetition that a sequence allows. Two different commands may each need something before they show the defect; one
/// command twice needs it once.
pub(super) fn repetitions(model: &Model, sequence: &[Batch]) -> Vec<Repetition> {
    let singles: Vec<(usize, &Command)> = sequence.iter().enumerate().filter_map(|(index, batch)| single(model, index, batch)).collect();
    let mut repetitions = Vec::new();
    for (replaced, command) in &singles {
        let others = singles.iter().filter(|(_, other)| other.action != command.action && other.on == command.on);
        for (repeated, _) in others {
            let removable = singles.iter().map(|(index, _)| *index).filter(|index| index != replaced && index != repeated);
            repetitions.extend(removable.map(|removed| Repetition { removed, replaced: *replaced, repeated: *repeated }));
        }
    }
    repetitions
}

/// The sequence with a repetition.
pub(super) fn repeat(sequence: &[Batch], Repetition { removed, replaced, repeated }: Repetition) -> Option<Vec<Batch>> {
    let (Some(Batch::Single(old)), Some(Batch::Single(command))) = (sequence.get(replaced), sequence.get(repeated)) else { return None };
    let mut candidate = sequence.to_vec();
    *candidate.get_mut(replaced)? = Batch::Single(Command { key: old.key, ..command.clone() });
    candidate.remove(removed);
    Some(candidate)
}

/// A batch of a single command that creates nothing.
fn single<'s>(model: &Model, index: usize, batch: &'s Batch) -> Option<(usize, &'s Command)> {
    match batch {
        Batch::Single(command) if !creates(model, command) => Some((index, command)),
        Batch::Single(_) | Batch::Concurrent(_) => None,
    }
}
