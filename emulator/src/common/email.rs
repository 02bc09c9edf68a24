//! The shape of an e-mail address.

/// Whether the text has a local part, an at sign and a domain; no document demands more.
pub(crate) fn is_email(text: &str) -> bool {
    let halves = text.split_once('@');
    halves.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@')) && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_local_part_and_a_domain() {
        assert!(is_email("jan@example.com"));
        for wrong in ["", "jan", "@example.com", "jan@", "a@b@c", "jan novak@example.com"] {
            assert!(!is_email(wrong), "{wrong}");
        }
    }
}
