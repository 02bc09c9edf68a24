//! Texts in which `*` matches anything.

/// A text in which `*` matches any characters, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wildcard {
    text: String,
}

impl Wildcard {
    /// A pattern from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the pattern matches the whole text.
    pub fn matches(&self, text: &str) -> bool {
        let mut parts = self.text.split('*');
        let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
        let middle: Vec<&str> = parts.collect();
        let Some((last, middle)) = middle.split_last() else { return rest.is_empty() };
        for part in middle {
            // The first match will do, because a `*` follows.
            match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(last)
    }

    /// Whether the pattern matches a part of a text: without a `*` it is enough that the text contains it.
    pub fn matches_part(&self, text: &str) -> bool {
        if self.text.contains('*') { self.matches(text) } else { text.contains(self.text.as_str()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_and_all_else_for_itself() {
        for (pattern, text, meant) in [
            ("response body /price", "response body /price", true),
            ("response body /price", "response body /prices", false),
            ("response body /rows/*/price", "response body /rows/12/price", true),
            ("response body /rows/*/price", "response body /rows/12/fee", false),
            ("*price", "response body /price", true),
            ("answer*", "answer", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("aa*aa", "aaa", false),
            ("*", "", true),
            ("", "x", false),
        ] {
            assert_eq!(Wildcard::new(pattern).matches(text), meant, "{pattern} {text}");
        }
    }

    #[test]
    fn without_a_star_a_part_is_enough_where_a_part_is_asked_for() {
        assert!(Wildcard::new("refund").matches_part("gateway / a-paid-payment-is-refunded / v1.0"));
        assert!(!Wildcard::new("refund*").matches_part("gateway / a-paid-payment-is-refunded / v1.0"));
    }

    proptest::proptest! {
        #[test]
        fn a_text_is_meant_by_itself_with_any_part_of_it_starred(text in "[a-c*ř]{0,12}", from in 0usize..12, to in 0usize..12) {
            let characters: Vec<char> = text.replace('*', "-").chars().collect();
            let (from, to) = (from.min(characters.len()), to.min(characters.len()));
            let kept = |range: std::ops::Range<usize>| characters[range].iter().collect::<String>();
            let pattern = format!("{}*{}", kept(0..from.min(to)), kept(from.max(to)..characters.len()));
            proptest::prop_assert!(Wildcard::new(pattern).matches(&kept(0..characters.len())));
        }
    }
}
