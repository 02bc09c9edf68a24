//! Every order in which the commands of a concurrent batch can have taken effect.

/// Every permutation of the numbers below `count`.
pub(crate) fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let inserted = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, next);
                order
            })
        };
        all = all.iter().flat_map(inserted).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::permutations;

    #[test]
    fn every_permutation_is_listed_once() {
        assert_eq!(permutations(1), [[0]]);
        let mut three = permutations(3);
        three.sort();
        assert_eq!(three, [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]);
    }
}
