//! All orders in which a few things may have happened.

/// Every order of so many things, by their numbers.
pub(crate) fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let placed = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, next);
                order
            })
        };
        all = all.iter().flat_map(placed).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::orders;

    #[test]
    fn every_order_is_there_once() {
        assert_eq!(orders(1), [[0]]);
        let mut three = orders(3);
        three.sort();
        assert_eq!(three, [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]);
    }
}
