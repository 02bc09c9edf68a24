use super::*;

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
fn the_first_operation_is_the_simplest() {
    let best = shrunk(vec![one(0, 0)], |candidate| in_order(candidate, &[0]));
    assert!(matches!(best.as_slice(), [Stride::One(one)] if one.operation == 0));
}
