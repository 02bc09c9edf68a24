//! Texts as words of a POSIX shell.

/// A text in quotes, which a shell reads back as it is.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text as one word: as it is if a shell takes nothing in it for its own, else in quotes.
pub(crate) fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_read_otherwise_is_quoted() {
        for plain in ["shops/a.yaml", "C:/účty/our-shop_2.yaml", "a=b,c@d%2F"] {
            assert_eq!(word(plain), plain);
        }
        assert_eq!(
            ["", "our shop.yaml", "a;b", "~/a", "$HOME", "it's"].map(word),
            ["''", "'our shop.yaml'", "'a;b'", "'~/a'", "'$HOME'", r"'it'\''s'"]
        );
    }
}
