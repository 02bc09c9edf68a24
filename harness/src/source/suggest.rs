//! The nearest valid name for a name that isn't one.

/// A name that is so many times as long as another one is not that one misspelt.
const TIMES: usize = 4;

/// The candidate most like `name`, if any is like enough to be what was meant.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .into_iter()
        // What is so much longer is no slip, and to compare takes as long as both are.
        .filter(|candidate| name.len() <= TIMES * candidate.len().max(4))
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_its_name() {
        assert_eq!(nearest("gateway.v2.statsu", ["gateway.v2.status", "gateway.v2.create"]), Some("gateway.v2.status"));
        assert_eq!(nearest("expects", ["expect", "except"]), Some("expect"));
    }

    #[test]
    fn what_is_like_nothing_gets_no_advice() {
        assert_eq!(nearest("zzz", ["expect", "keep"]), None);
        assert_eq!(nearest(&format!("expect{}", "!".repeat(60_000)), ["expect", "keep"]), None);
    }
}
