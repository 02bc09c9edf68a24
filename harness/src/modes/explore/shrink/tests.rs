use super::*;
use crate::modes::explore::command::Command;
use crate::spec::contract::{Contracts, Files};

fn batch(key: usize, action: usize) -> Batch {
    Batch::Single(Command { key, action, operation: 1, identity: 0, on: None, choices: Vec::new() })
}

fn actions(sequence: &[Batch]) -> Vec<usize> {
    sequence.iter().flat_map(Batch::commands).map(|command| command.action).collect()
}

/// Shrinks by a predicate.
fn shrunk(sequence: Vec<Batch>, shows: impl Fn(&[Batch]) -> bool) -> Vec<Batch> {
    let model = Model {
        api: String::new(),
        document: String::new(),
        setting: serde_json::Map::new(),
        shared: indexmap::IndexMap::new(),
        resources: indexmap::IndexMap::new(),
        actions: Vec::new(),
    };
    let mut shrinker = Shrinker::new(sequence.clone());
    let mut best = sequence;
    while let Some(candidate) = shrinker.candidate(&model) {
        if shows(&candidate) {
            shrinker.accept(candidate.clone());
            best = candidate;
        }
    }
    best
}

/// Whether the actions contain these ones in this order.
fn in_order(sequence: &[Batch], wanted: &[usize]) -> bool {
    let mut left = wanted.iter();
    let mut next = left.next();
    for action in actions(sequence) {
        if Some(&action) == next {
            next = left.next();
        }
    }
    next.is_none()
}

proptest::proptest! {
    #[test]
    fn only_the_needed_commands_are_left(noise in proptest::collection::vec(3usize..9, 0..40), places in proptest::collection::vec(0usize..40, 3)) {
        let mut chosen = noise;
        let mut places = places;
        places.sort_unstable();
        for (action, place) in places.iter().enumerate() {
            chosen.insert((*place).min(chosen.len()).max(action), action);
        }
        let sequence: Vec<Batch> = chosen.iter().enumerate().map(|(key, action)| batch(key, *action)).collect();
        let needed: Vec<usize> = chosen.iter().copied().filter(|action| *action < 3).collect();
        let best = shrunk(sequence, |candidate| in_order(candidate, &needed));
        proptest::prop_assert_eq!(actions(&best), needed);
    }
}

#[test]
fn of_two_concurrent_commands_the_needed_one_stays() {
    let (Batch::Single(a), Batch::Single(b)) = (batch(1, 1), batch(2, 2)) else { unreachable!() };
    let best = shrunk(vec![batch(0, 0), Batch::Concurrent(vec![a, b])], |candidate| in_order(candidate, &[2]));
    assert_eq!(actions(&best), [2]);
}

#[test]
fn repeating_a_command_may_need_less_than_two_commands() {
    let sequence = [1, 2, 3, 4, 3].iter().enumerate().map(|(key, action)| batch(key, *action)).collect();
    let best = shrunk(sequence, |candidate| in_order(candidate, &[1, 2, 3, 4, 3]) || in_order(candidate, &[1, 3, 1, 3]));
    assert_eq!(actions(&best), [1, 3, 1, 3]);
}

#[test]
fn the_first_operation_is_the_simplest() {
    let best = shrunk(vec![batch(0, 0)], |candidate| in_order(candidate, &[0]));
    assert!(matches!(best.as_slice(), [Batch::Single(one)] if one.operation == 0));
}

fn gateway() -> Model {
    let files = Files::contracts();
    let models = crate::modes::explore::read_all(&files, &Contracts::read(&files).unwrap()).unwrap();
    models.into_iter().find(|model| model.api == "gateway").unwrap()
}

/// A command with the first value of each field, except for this one.
fn act(model: &Model, key: usize, name: &str, on: Option<usize>, (field, choice): (&str, usize)) -> Batch {
    let (action, known) = model.actions.iter().enumerate().find(|(_, known)| known.id == name).unwrap();
    let choices = known.with.keys().map(|other| if other == field { choice } else { 0 }).collect();
    Batch::Single(Command { key, action, operation: 0, identity: 0, on, choices })
}

fn names(model: &Model, sequence: &[Batch]) -> Vec<String> {
    sequence.iter().flat_map(Batch::commands).map(|one| model.actions[one.action].id.clone()).collect()
}

/// Shrinks a sequence of the gateway: the result, and the number of candidates.
fn shrunk_gateway(model: &Model, sequence: &[Batch], shows: impl Fn(&[Batch]) -> bool) -> (Vec<Batch>, usize) {
    let mut shrinker = Shrinker::new(sequence.to_vec());
    let (mut best, mut times) = (sequence.to_vec(), 0);
    while let Some(candidate) = shrinker.candidate(model) {
        times += 1;
        if shows(&candidate) {
            shrinker.accept(candidate.clone());
            best = candidate;
        }
    }
    (best, times)
}

const NONE: (&str, usize) = ("", 0);

#[test]
fn commands_on_other_entities_are_removed_first() {
    let model = gateway();
    let others = (2..20).map(|key| act(&model, key, "cancel", Some(1), NONE));
    let mut sequence = vec![act(&model, 1, "create", None, NONE)];
    sequence.extend(others);
    sequence.extend([act(&model, 20, "create", None, NONE), act(&model, 21, "pay", Some(20), NONE)]);
    let mut shrinker = Shrinker::new(sequence);
    assert_eq!(names(&model, &shrinker.candidate(&model).unwrap()), ["create", "pay"]);
}

#[test]
fn two_waits_are_merged() {
    let model = gateway();
    let wait = |key, way| act(&model, key, "wait", None, ("seconds", way));
    let sequence = [act(&model, 1, "create", None, NONE), wait(2, 3), wait(3, 1), act(&model, 4, "read", Some(1), NONE)];
    let spans = [60, 2640, 2760, 86000, 90000];
    let (best, _) = shrunk_gateway(&model, &sequence, |candidate| {
        let waits = candidate.iter().flat_map(Batch::commands).filter(|one| model.actions[one.action].id == "wait");
        waits.map(|one| spans[one.choices[0]]).sum::<u32>() > 86400
    });
    assert_eq!(names(&model, &best), ["wait"]);
}

#[test]
fn an_earlier_creation_needs_fewer_commands() {
    let model = gateway();
    let sequence = ["create-pre-authorization", "pay", "capture", "refund"];
    let sequence: Vec<Batch> = sequence.iter().zip(1..).map(|(name, key)| act(&model, key, name, (key > 1).then_some(1), NONE)).collect();
    let (best, _) = shrunk_gateway(&model, &sequence, |candidate| {
        let names = names(&model, candidate);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        matches!(names.as_slice(), ["create-pre-authorization", "pay", "capture", "refund"] | ["create", "pay", .., "refund"])
    });
    assert_eq!(names(&model, &best), ["create", "pay", "refund"]);
}

#[test]
fn another_last_value_needs_fewer_commands() {
    let model = gateway();
    let mut sequence = vec![act(&model, 1, "create", None, NONE), act(&model, 2, "pay", Some(1), NONE)];
    sequence.extend((3..6).map(|key| act(&model, key, "refund", Some(1), NONE)));
    // Three refunds of 4000 exceed the price, and so does one of them with one of the whole price.
    let amounts = [4000, 10000, 10001, 10000, 10001, 1];
    let (best, times) = shrunk_gateway(&model, &sequence, |candidate| {
        let names = names(&model, candidate);
        let refunds = candidate.iter().flat_map(Batch::commands).filter(|one| model.actions[one.action].id == "refund");
        names.starts_with(&["create".to_owned(), "pay".to_owned()]) && refunds.map(|one| amounts[one.choices[1]]).sum::<u32>() > 10001
    });
    assert_eq!(names(&model, &best), ["create", "pay", "refund", "refund"]);
    assert!(times < 100, "{times}");
}

#[test]
fn a_race_becomes_a_sequence_where_that_shows_it_too() {
    let model = gateway();
    let (Batch::Single(a), Batch::Single(b)) = (act(&model, 3, "refund", Some(1), NONE), act(&model, 4, "cancel", Some(1), NONE)) else {
        unreachable!()
    };
    let sequence = [act(&model, 1, "create", None, NONE), Batch::Concurrent(vec![a, b])];
    let (best, _) = shrunk_gateway(&model, &sequence, |candidate| {
        let names = names(&model, candidate);
        names.contains(&"refund".to_owned()) && names.contains(&"cancel".to_owned())
    });
    assert!(best.iter().all(|stride| matches!(stride, Batch::Single(_))), "{best:?}");
}

#[test]
fn what_was_concurrent_is_tried_one_after_the_other_first() {
    let model = gateway();
    let race = [("refund", 3), ("cancel", 4)].map(|(name, key)| match act(&model, key, name, Some(1), NONE) {
        Batch::Single(command) => command,
        Batch::Concurrent(_) => unreachable!(),
    });
    let others = [act(&model, 5, "create", None, NONE), act(&model, 6, "cancel", Some(5), NONE)];
    let sequence = [vec![act(&model, 1, "create", None, NONE)], others.to_vec(), vec![Batch::Concurrent(race.to_vec())]].concat();
    let mut shrinker = Shrinker::new(sequence);
    let first: Vec<_> = (0..2).map(|_| names(&model, &shrinker.candidate(&model).unwrap())).collect();
    assert_eq!(first, [["create", "create", "cancel", "refund", "cancel"], ["create", "create", "cancel", "cancel", "refund"]]);
}
