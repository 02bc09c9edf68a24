//! Suggests the nearest valid name for an unknown one.

/// A name this many times as long as a valid one is not a misspelling of it.
const MAX_LENGTH_RATIO: usize = 4;

/// The candidate most similar to `name`, if one is similar enough.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .into_iter()
        // Comparing takes time in proportion to both lengths.
        .filter(|candidate| name.len() <= MAX_LENGTH_RATIO * candidate.len().max(4))
        // A short word that a long name happens to begin with is no spelling of it.
        .filter(|candidate| 2 * candidate.len() > name.len())
        // The wrong case alone is the smallest mistake, even in every letter.
        .map(|candidate| (if name.eq_ignore_ascii_case(candidate) { 1.0 } else { strsim::jaro_winkler(name, candidate) }, candidate))
        .filter(|(similarity, _)| *similarity >= 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_candidate() {
        assert_eq!(nearest("gateway.v2.statsu", ["gateway.v2.status", "gateway.v2.create"]), Some("gateway.v2.status"));
        assert_eq!(nearest("expects", ["expect", "except"]), Some("expect"));
        assert_eq!(nearest("cz", ["SK", "CZ"]), Some("CZ"));
    }

    #[test]
    fn a_name_without_a_similar_candidate_gets_no_advice() {
        assert_eq!(nearest("zzz", ["expect", "keep"]), None);
        assert_eq!(nearest("nosuch", ["no"]), None);
        assert_eq!(nearest(&format!("expect{}", "!".repeat(60_000)), ["expect", "keep"]), None);
    }
}
