//! User names and passwords in URLs, which are not to be shown.

use url::Url;

/// A text as it may be shown: in a URL, and in what was meant as one, the user name and the password are masked.
pub(crate) fn masked(text: &str) -> String {
    let without_login = |url: Url| url.has_host() && url.username().is_empty() && url.password().is_none();
    match text.rsplit_once('@') {
        Some((before, after)) if before.contains(':') && !Url::parse(text).is_ok_and(without_login) => {
            let scheme = before.find("://").and_then(|at| before.get(..at + 3)).unwrap_or_default();
            format!("{scheme}***@{after}")
        }
        Some(_) | None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_masked_even_in_what_is_no_url() {
        for text in ["http://u:p@h/x", "http://u:p@[h/x", "http://u:p/p@h/x", "http://u:p@p@h/x", "u:p@h/x"] {
            let shown = masked(text);
            assert!(shown.contains("***@") && !shown.contains("u:") && shown.contains('h'), "{text}: {shown}");
        }
        for text in ["http://h/a@b", "info@shop.example", "http://h:80", "127.0.0.1:0"] {
            assert_eq!(masked(text), text);
        }
    }
}
