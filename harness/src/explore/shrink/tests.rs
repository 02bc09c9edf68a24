use super::*;
use crate::contract::{Contracts, Files};

fn one(key: usize, action: usize) -> Stride {
    Stride::One(Move { key, action, operation: 1, identity: 0, on: None, ways: Vec::new() })
}

fn actions(sequence: &[Stride]) -> Vec<usize> {
    sequence.iter().flat_map(Stride::moves).map(|one| one.action).collect()
}

/// Shrinks by what a sequence must show.
fn shrunk(sequence: Vec<Stride>, shows: impl Fn(&[Stride]) -> bool) -> Vec<Stride> {
    let model = Model {
        api: String::new(),
        document: String::new(),
        setting: serde_json::Map::new(),
        shared: serde_json::Map::new(),
        resources: indexmap::IndexMap::new(),
        actions: Vec::new(),
    };
    let mut shrink = Shrink::new(sequence.clone());
    let mut best = sequence;
    while let Some(candidate) = shrink.candidate(&model) {
        if shows(&candidate) {
            shrink.shows(candidate.clone());
            best = candidate;
        }
    }
    best
}

/// Whether these actions come in this order.
fn in_order(sequence: &[Stride], wanted: &[usize]) -> bool {
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
    fn what_is_left_is_what_is_needed(noise in proptest::collection::vec(3usize..9, 0..40), places in proptest::collection::vec(0usize..40, 3)) {
        let mut chosen = noise;
        let mut places = places;
        places.sort_unstable();
        for (action, place) in places.iter().enumerate() {
            chosen.insert((*place).min(chosen.len()).max(action), action);
        }
        let sequence: Vec<Stride> = chosen.iter().enumerate().map(|(key, action)| one(key, *action)).collect();
        let needed: Vec<usize> = chosen.iter().copied().filter(|action| *action < 3).collect();
        let best = shrunk(sequence, |candidate| in_order(candidate, &needed));
        proptest::prop_assert_eq!(actions(&best), needed);
    }
}

#[test]
fn of_two_moves_that_met_the_one_that_is_needed_stays() {
    let (Stride::One(a), Stride::One(b)) = (one(1, 1), one(2, 2)) else { unreachable!() };
    let best = shrunk(vec![one(0, 0), Stride::Together(vec![a, b])], |candidate| in_order(candidate, &[2]));
    assert_eq!(actions(&best), [2]);
}

#[test]
fn one_thing_twice_may_need_less_than_two_things() {
    let sequence = [1, 2, 3, 4, 3].iter().enumerate().map(|(key, action)| one(key, *action)).collect();
    let best = shrunk(sequence, |candidate| in_order(candidate, &[1, 2, 3, 4, 3]) || in_order(candidate, &[1, 3, 1, 3]));
    assert_eq!(actions(&best), [1, 3, 1, 3]);
}

#[test]
fn the_first_operation_is_the_simplest() {
    let best = shrunk(vec![one(0, 0)], |candidate| in_order(candidate, &[0]));
    assert!(matches!(best.as_slice(), [Stride::One(one)] if one.operation == 0));
}

fn gateway() -> Model {
    let files = Files::contracts();
    let models = crate::explore::read_all(&files, &Contracts::read(&files).unwrap()).unwrap();
    models.into_iter().find(|model| model.api == "gateway").unwrap()
}

/// A move with the first values of its fields, but for this one.
fn act(model: &Model, key: usize, name: &str, on: Option<usize>, (field, way): (&str, usize)) -> Stride {
    let (action, known) = model.actions.iter().enumerate().find(|(_, known)| known.id == name).unwrap();
    let ways = known.with.keys().map(|other| if other == field { way } else { 0 }).collect();
    Stride::One(Move { key, action, operation: 0, identity: 0, on, ways })
}

fn told(model: &Model, sequence: &[Stride]) -> Vec<String> {
    sequence.iter().flat_map(Stride::moves).map(|one| model.actions[one.action].id.clone()).collect()
}

/// Shrinks a sequence of the gateway; what is left, and how often it was played.
fn played(model: &Model, sequence: &[Stride], shows: impl Fn(&[Stride]) -> bool) -> (Vec<Stride>, usize) {
    let mut shrink = Shrink::new(sequence.to_vec());
    let (mut best, mut times) = (sequence.to_vec(), 0);
    while let Some(candidate) = shrink.candidate(model) {
        times += 1;
        if shows(&candidate) {
            shrink.shows(candidate.clone());
            best = candidate;
        }
    }
    (best, times)
}

const NONE: (&str, usize) = ("", 0);

#[test]
fn what_has_nothing_to_do_with_the_thing_goes_first() {
    let model = gateway();
    let others = (2..20).map(|key| act(&model, key, "cancel", Some(1), NONE));
    let mut sequence = vec![act(&model, 1, "create", None, NONE)];
    sequence.extend(others);
    sequence.extend([act(&model, 20, "create", None, NONE), act(&model, 21, "pay", Some(20), NONE)]);
    let mut shrink = Shrink::new(sequence);
    assert_eq!(told(&model, &shrink.candidate(&model).unwrap()), ["create", "pay"]);
}

#[test]
fn time_that_passes_twice_passes_once() {
    let model = gateway();
    let wait = |key, way| act(&model, key, "wait", None, ("seconds", way));
    let sequence = [act(&model, 1, "create", None, NONE), wait(2, 3), wait(3, 1), act(&model, 4, "read", Some(1), NONE)];
    let spans = [60, 2640, 2760, 86000, 90000];
    let (best, _) = played(&model, &sequence, |candidate| {
        let waits = candidate.iter().flat_map(Stride::moves).filter(|one| model.actions[one.action].id == "wait");
        waits.map(|one| spans[one.ways[0]]).sum::<u32>() > 86400
    });
    assert_eq!(told(&model, &best), ["wait"]);
}

#[test]
fn what_is_begun_otherwise_needs_less() {
    let model = gateway();
    let sequence = ["create-pre-authorization", "pay", "capture", "refund"];
    let sequence: Vec<Stride> = sequence.iter().zip(1..).map(|(name, key)| act(&model, key, name, (key > 1).then_some(1), NONE)).collect();
    let (best, _) = played(&model, &sequence, |candidate| {
        let told = told(&model, candidate);
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        matches!(told.as_slice(), ["create-pre-authorization", "pay", "capture", "refund"] | ["create", "pay", .., "refund"])
    });
    assert_eq!(told(&model, &best), ["create", "pay", "refund"]);
}

#[test]
fn another_last_value_needs_less() {
    let model = gateway();
    let mut sequence = vec![act(&model, 1, "create", None, NONE), act(&model, 2, "pay", Some(1), NONE)];
    sequence.extend((3..6).map(|key| act(&model, key, "refund", Some(1), NONE)));
    // Three refunds of 4000, or one of them and one of the whole price, are more than the price.
    let amounts = [4000, 10000, 10001, 10000, 10001, 1];
    let (best, times) = played(&model, &sequence, |candidate| {
        let told = told(&model, candidate);
        let refunds = candidate.iter().flat_map(Stride::moves).filter(|one| model.actions[one.action].id == "refund");
        told.starts_with(&["create".to_owned(), "pay".to_owned()]) && refunds.map(|one| amounts[one.ways[1]]).sum::<u32>() > 10001
    });
    assert_eq!(told(&model, &best), ["create", "pay", "refund", "refund"]);
    assert!(times < 100, "{times}");
}

#[test]
fn a_race_is_no_race_where_one_after_the_other_shows_it_too() {
    let model = gateway();
    let (Stride::One(a), Stride::One(b)) = (act(&model, 3, "refund", Some(1), NONE), act(&model, 4, "cancel", Some(1), NONE)) else {
        unreachable!()
    };
    let sequence = [act(&model, 1, "create", None, NONE), Stride::Together(vec![a, b])];
    let (best, _) = played(&model, &sequence, |candidate| {
        let told = told(&model, candidate);
        told.contains(&"refund".to_owned()) && told.contains(&"cancel".to_owned())
    });
    assert!(best.iter().all(|stride| matches!(stride, Stride::One(_))), "{best:?}");
}
