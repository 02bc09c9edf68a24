//! Pairs the exchanges of A with those of B: the same requests in the same order, although one side may have polled or notified
//! more often.

use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::Exchange;

/// The pairs, and the exchanges without a partner.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Alignment<'e> {
    pub(super) pairs: Vec<(&'e Exchange, &'e Exchange)>,
    pub(super) only_a: Vec<&'e Exchange>,
    pub(super) only_b: Vec<&'e Exchange>,
}

/// Above this many cells the table of the alignment would be too large; then exchanges are paired in order.
const CELLS: usize = 4_000_000;

/// The value of a pair: more than all similarities of a record together.
const PAIR: u32 = 10_000;

/// The parts of an exchange that alignment compares.
#[derive(PartialEq, Eq)]
struct Key<'e> {
    operation: &'e str,
    identity: &'e str,
    /// The code and the state of the response: of many polls, those with the same response go together.
    code_and_state: (Option<String>, Option<String>),
}

impl<'e> Key<'e> {
    fn from_exchange(contracts: &Contracts, exchange: &'e Exchange) -> Self {
        let operation = contracts.operation(&exchange.operation);
        let state = |operation: &Operation| operation.shows.as_ref().and_then(|shows| shows.state.text(exchange));
        let code_and_state = operation.map_or((None, None), |operation| (operation.code(exchange), state(operation)));
        Self { operation: &exchange.operation, identity: &exchange.identity, code_and_state }
    }

    /// The similarity of two exchanges; none if they cannot be a pair.
    fn likeness(&self, other: &Self) -> Option<u32> {
        let same = self.operation == other.operation && self.identity == other.identity;
        same.then_some(PAIR + u32::from(self.code_and_state == other.code_and_state))
    }
}

/// Aligns the exchanges of two records of the same direction.
pub(super) fn align<'e>(contracts: &Contracts, a: &[&'e Exchange], b: &[&'e Exchange]) -> Alignment<'e> {
    let keys = |side: &[&'e Exchange]| side.iter().map(|exchange| Key::from_exchange(contracts, exchange)).collect::<Vec<_>>();
    let (of_a, of_b) = (keys(a), keys(b));
    let begun = of_a.iter().zip(&of_b).take_while(|(a, b)| a == b).count();
    let left = of_a.len().min(of_b.len()) - begun;
    let ended = of_a.iter().rev().zip(of_b.iter().rev()).take(left).take_while(|(a, b)| a == b).count();
    let middle = |len: usize| begun..len - ended;
    let matched = matched(of_a.get(middle(a.len())).unwrap_or_default(), of_b.get(middle(b.len())).unwrap_or_default());
    let mut pairs: Vec<(usize, usize)> = (0..begun).map(|index| (index, index)).collect();
    pairs.extend(matched.into_iter().map(|(a, b)| (a + begun, b + begun)));
    pairs.extend((0..ended).rev().map(|index| (a.len() - 1 - index, b.len() - 1 - index)));
    let rest = |side: &[&'e Exchange], of: fn(&(usize, usize)) -> usize| {
        let alone = |index: &usize| !pairs.iter().any(|pair| of(pair) == *index);
        (0..side.len()).filter(alone).filter_map(|index| side.get(index).copied()).collect()
    };
    Alignment {
        only_a: rest(a, |pair| pair.0),
        only_b: rest(b, |pair| pair.1),
        pairs: pairs.iter().filter_map(|(of_a, of_b)| Some((*a.get(*of_a)?, *b.get(*of_b)?))).collect(),
    }
}

/// The best way to pair two sequences: the most pairs, and of those the most similar ones.
fn matched(a: &[Key<'_>], b: &[Key<'_>]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    if a.len().saturating_mul(width) > CELLS {
        return (0..a.len().min(b.len()))
            .filter(|i| a.get(*i).zip(b.get(*i)).is_some_and(|(a, b)| a.likeness(b).is_some()))
            .map(|i| (i, i))
            .collect();
    }
    // The best value from (a, b) on, filled from the end.
    let mut best = vec![0_u32; (a.len() + 1) * width];
    let at = |best: &[u32], i: usize, j: usize| best.get(i * width + j).copied().unwrap_or_default();
    for (i, of_a) in a.iter().enumerate().rev() {
        for (j, of_b) in b.iter().enumerate().rev() {
            let together = of_a.likeness(of_b).map_or(0, |likeness| likeness + at(&best, i + 1, j + 1));
            let value = together.max(at(&best, i + 1, j)).max(at(&best, i, j + 1));
            if let Some(cell) = best.get_mut(i * width + j) {
                *cell = value;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(of_a), Some(of_b)) = (a.get(i), b.get(j)) {
        let here = at(&best, i, j);
        if of_a.likeness(of_b).is_some_and(|likeness| likeness + at(&best, i + 1, j + 1) == here) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&best, i + 1, j) == here {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::testing::{contracts, order, read};
    use super::*;
    use serde_json::json;

    fn states(states: &[&str]) -> Vec<Exchange> {
        let reads = states.iter().map(|state| read(json!({"code": 0, "state": state})));
        std::iter::once(order("N1")).chain(reads).enumerate().map(|(number, exchange)| Exchange { number, ..exchange }).collect()
    }

    fn aligned(a: &[&str], b: &[&str]) -> (Vec<(usize, usize)>, Vec<usize>, Vec<usize>) {
        let (a, b) = (states(a), states(b));
        let contracts = contracts();
        let found = align(&contracts, &a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>());
        let numbers = |side: &[&Exchange]| side.iter().map(|e| e.number).collect();
        (found.pairs.iter().map(|(a, b)| (a.number, b.number)).collect(), numbers(&found.only_a), numbers(&found.only_b))
    }

    #[test]
    fn polls_with_equal_responses_are_paired() {
        let found = aligned(&["OPEN", "OPEN", "OPEN", "SENT"], &["OPEN", "SENT"]);
        assert_eq!(found, (vec![(0, 0), (1, 1), (4, 2)], vec![2, 3], vec![]));
        assert_eq!(aligned(&["OPEN"], &["SENT"]), (vec![(0, 0), (1, 1)], vec![], vec![]), "the same question, another answer");
    }

    #[test]
    fn other_questions_are_not_the_same() {
        let contracts = contracts();
        let (a, b) = (order("N1"), read(json!({"code": 0})));
        let found = align(&contracts, &[&a], &[&b]);
        assert_eq!((found.pairs.len(), found.only_a.len(), found.only_b.len()), (0, 1, 1));
        assert_eq!(align(&contracts, &[], &[]), Alignment::default());
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost_and_the_order_is_kept(a in proptest::collection::vec(0usize..3, 0..12), b in proptest::collection::vec(0usize..3, 0..12)) {
            let name = |states: &[usize]| states.iter().map(|s| ["OPEN", "SENT", "GONE"][*s]).collect::<Vec<_>>();
            let (pairs, only_a, only_b) = aligned(&name(&a), &name(&b));
            proptest::prop_assert_eq!((pairs.len() + only_a.len(), pairs.len() + only_b.len()), (a.len() + 1, b.len() + 1));
            proptest::prop_assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
            proptest::prop_assert_eq!(pairs.len(), a.len().min(b.len()) + 1);
        }
    }
}
