//! Hides one value from outside. It may be of any length, so no automaton is built for it: one for a text of 100 kB takes
//! gigabytes.

/// Replaces every spelling by the mark; of two that begin at the same place, the longer one.
pub(super) fn hidden(text: &str, spellings: &[String], mark: &str) -> String {
    let mut standing: Vec<(usize, &str)> =
        spellings.iter().filter_map(|spelling| Some((text.find(spelling.as_str())?, spelling.as_str()))).collect();
    let (mut out, mut done) = (String::new(), 0);
    while let Some(&(start, spelling)) = standing.iter().min_by_key(|(start, spelling)| (*start, std::cmp::Reverse(spelling.len()))) {
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(mark);
        done = start + spelling.len();
        let rest = text.get(done..).unwrap_or_default();
        standing.retain_mut(|(start, spelling)| {
            let next = if *start >= done { Some(*start) } else { rest.find(*spelling).map(|place| done + place) };
            *start = next.unwrap_or_default();
            next.is_some()
        });
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use aho_corasick::{AhoCorasick, MatchKind};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_hides_what_an_automaton_hides(text in "[abž]{0,40}", spellings in prop::collection::vec("[abž]{1,4}", 0..5)) {
            let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spellings).unwrap();
            prop_assert_eq!(hidden(&text, &spellings, "***"), automaton.replace_all(&text, &vec!["***"; spellings.len()]));
        }
    }
}
