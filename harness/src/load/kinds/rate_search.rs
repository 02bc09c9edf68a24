//! Which rate to try next: doubling until one fails, then halving the interval.

/// A search between two rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RateSearch {
    next: f64,
    /// The highest rate that passed.
    held: Option<f64>,
    /// The lowest rate that failed.
    failed: Option<f64>,
    highest: f64,
    precision: f64,
}

impl RateSearch {
    /// A search from one rate up to another, to a precision (a share of the rate).
    pub(crate) fn new(from: f64, to: f64, precision: f64) -> Self {
        Self { next: from.min(to), held: None, failed: None, highest: to, precision }
    }

    /// The rate to try; `None` when the search is over.
    pub(crate) fn rate(&self) -> Option<f64> {
        match (self.held, self.failed) {
            // The lowest rate fails.
            (None, Some(_)) => None,
            (Some(held), Some(failed)) if (failed - held) / failed <= self.precision => None,
            (Some(held), None) if held >= self.highest => None,
            (None, None) | (Some(_), _) => Some(self.next),
        }
    }

    /// Records whether the trial passed.
    pub(crate) fn tried(&mut self, held: bool) {
        if held {
            self.held = Some(self.next);
        } else {
            self.failed = Some(self.next);
        }
        self.next = match (self.held, self.failed) {
            (Some(held), Some(failed)) => f64::midpoint(held, failed),
            (Some(held), None) => (held * 2.0).min(self.highest),
            (None, _) => self.next,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn search(from: f64, to: f64, precision: f64, capacity: f64) -> (Option<f64>, Vec<f64>) {
        let mut search = RateSearch::new(from, to, precision);
        let mut tried = Vec::new();
        while let Some(rate) = search.rate() {
            tried.push(rate);
            search.tried(rate <= capacity);
        }
        (search.held, tried)
    }

    #[test]
    fn it_doubles_until_one_fails_and_halves_from_there() {
        let (found, tried) = search(100.0, 10_000.0, 0.1, 650.0);
        assert_eq!(tried, [100.0, 200.0, 400.0, 800.0, 600.0, 700.0, 650.0]);
        assert_eq!(found, Some(650.0));
    }

    #[test]
    fn it_ends_at_once_where_even_the_lowest_fails_and_at_the_highest_where_all_hold() {
        assert_eq!(search(100.0, 1000.0, 0.1, 50.0), (None, vec![100.0]));
        assert_eq!(search(300.0, 1000.0, 0.1, 5000.0), (Some(1000.0), vec![300.0, 600.0, 1000.0]));
    }

    proptest! {
        #[test]
        fn it_ends_within_its_precision_below_the_capacity(from in 1.0..100.0f64, to in 100.0..1e6f64, precision in 0.01..0.5f64, capacity in 0.5..2e6f64) {
            let (found, tried) = search(from, to, precision, capacity);
            prop_assert!(tried.len() < 64);
            match found {
                None => prop_assert!(capacity < from),
                Some(found) => {
                    prop_assert!(found <= capacity);
                    prop_assert!(found >= to.min(capacity) * (1.0 - precision) - 1e-6, "{found} of {capacity}");
                }
            }
        }
    }
}
