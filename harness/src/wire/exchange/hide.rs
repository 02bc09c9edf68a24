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

/// Replaces what follows a field's name in a text that can't be read as fields: up to the next quote, separator or tag.
pub(crate) fn hide_named(text: &str, name: &str, mark: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(name) {
        let value = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ':' | '=' | '>'));
        let end = value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '&' | '<' | ',' | '}')).unwrap_or(value.len());
        out.extend([before, name, after.strip_suffix(value).unwrap_or_default(), if end > 0 { mark } else { "" }]);
        rest = value.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use aho_corasick::{AhoCorasick, MatchKind};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_named_value_is_hidden_however_it_is_written() {
        let cases = [
            ("\u{feff}{\"token\": \"e30.e30.x\", \"a\": 1", "\u{feff}{\"token\": \"***\", \"a\": 1"),
            ("token=e30.e30.x&a=1", "token=***&a=1"),
            ("{token:e30.e30.x}", "{token:***}"),
            ("{\\\"token\\\":\\\"e30\\\"}", "{\\\"token\\\":\\\"***\\\"}"),
            ("<token>e30.e30.x</token><token></token>", "<token>***</token><token></token>"),
            ("the token", "the token"),
        ];
        for (text, expected) in cases {
            assert_eq!(hide_named(text, "token", "***"), expected);
        }
    }

    proptest! {
        #[test]
        fn what_follows_no_name_stays(text in "[a-z\":{}ž]{0,40}") {
            prop_assert_eq!(hide_named(&text, "TOKEN", "***"), text);
        }

        #[test]
        fn it_hides_what_an_automaton_hides(text in "[abž]{0,40}", spellings in prop::collection::vec("[abž]{1,4}", 0..5)) {
            let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spellings).unwrap();
            prop_assert_eq!(hidden(&text, &spellings, "***"), automaton.replace_all(&text, &vec!["***"; spellings.len()]));
        }
    }
}
