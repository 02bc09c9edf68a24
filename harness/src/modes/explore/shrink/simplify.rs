//! Simpler batches that may show the same defect.

use indexmap::IndexMap;

use super::candidates::creates;
use crate::modes::explore::command::{Batch, Command};
use crate::modes::explore::model::Model;
use crate::spec::scenario::Template;

/// Simpler replacements of a batch: of concurrent commands a single one, or all one after the other; of a command the first
/// operation, the merchant's identity, an earlier action, an earlier entity, or the first value of a field.
pub(super) fn simplifications<'s>(model: &Model, batch: &Batch, before: impl Iterator<Item = &'s Batch>) -> Vec<Vec<Batch>> {
    match batch {
        Batch::Concurrent(commands) => {
            let alone = commands.iter().cloned().map(|command| vec![Batch::Single(command)]);
            let in_order = commands.iter().cloned().map(Batch::Single).collect();
            let reversed = commands.iter().rev().cloned().map(Batch::Single).collect();
            alone.chain([in_order, reversed]).collect()
        }
        Batch::Single(command) => {
            let creators: Vec<&Command> = before.flat_map(Batch::commands).filter(|command| creates(model, command)).collect();
            let first_operation = Command { operation: 0, ..command.clone() };
            let own_identity = Command { identity: 0, ..command.clone() };
            let simpler = [first_operation, own_identity].into_iter();
            let simpler = simpler.chain(earlier_actions(model, command)).chain(earlier_entities(model, command, &creators));
            simpler.chain(first_values(command)).map(|command| vec![Batch::Single(command)]).collect()
        }
    }
}

/// The same creation by an earlier action of the model, with the same values where it has them.
fn earlier_actions(model: &Model, command: &Command) -> Vec<Command> {
    let Some(action) = model.actions.get(command.action).filter(|action| action.is_initial()) else { return Vec::new() };
    let before = model.actions.iter().enumerate().take(command.action);
    let same = before.filter(|(_, other)| other.is_initial() && other.creates().all(|name| action.creates().any(|own| own == name)));
    let simpler = same.map(|(index, other)| {
        let choices = translated_choices(command, &action.with, &other.with);
        Command { action: index, operation: 0, choices, ..command.clone() }
    });
    simpler.collect()
}

/// A command's choices for the fields of another action; the first value where that has no such field or value.
fn translated_choices(command: &Command, own: &IndexMap<String, Vec<Template>>, other: &IndexMap<String, Vec<Template>>) -> Vec<usize> {
    let choice = |(field, values): (&String, &Vec<Template>)| {
        let choice = own.get_index_of(field).and_then(|place| command.choices.get(place)).copied();
        choice.filter(|choice| *choice < values.len()).unwrap_or_default()
    };
    other.iter().map(choice).collect()
}

/// The same command on each entity of the same kind that was created earlier.
fn earlier_entities(model: &Model, command: &Command, creators: &[&Command]) -> Vec<Command> {
    let kind = model.actions.get(command.action).and_then(|action| action.on.as_deref());
    let is_same_kind = |creator: &Command| {
        let action = model.actions.get(creator.action);
        action.zip(kind).is_some_and(|(action, kind)| action.creates().any(|created| created == kind))
    };
    let earlier = creators.iter().filter(|creator| is_same_kind(creator) && command.on.is_some_and(|on| creator.key < on));
    earlier.map(|creator| Command { on: Some(creator.key), ..command.clone() }).collect()
}

/// The same command with the first value in one of its fields.
fn first_values(command: &Command) -> impl Iterator<Item = Command> {
    (0..command.choices.len()).map(|field| {
        let mut simpler = command.clone();
        simpler.choices.get_mut(field).into_iter().for_each(|choice| *choice = 0);
        simpler
    })
}
