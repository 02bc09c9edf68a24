//! Tokens as a forger sends them: they say what an issued one says, and nothing proves that the target issued them.
//!
//! A template knows the mark of a token only, never the token: a filter writes behind the mark what is to be made of it, and the
//! runner makes it.

/// Makes a forged token from an issued one.
type Forge = fn(&str) -> String;

/// `{"alg":"none","typ":"JWT"}`.
const NO_ALGORITHM: &str = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";

/// What the filters write behind a mark. No token has a colon in it.
const UNSIGNED: &str = ":unsigned";
const ALG_NONE: &str = ":alg-none";

const FORGERIES: [(&str, Forge); 2] = [
    (UNSIGNED, |token| format!("{}.{}.", part(token, 0), part(token, 1))),
    (ALG_NONE, |token| format!("{NO_ALGORITHM}.{}.", part(token, 1))),
];

/// The filter `unsigned`: the token without its signature.
pub(super) fn unsigned(token: String) -> String {
    token + UNSIGNED
}

/// The filter `alg_none`: the claims of the token under a header that asks for no signature, and without one.
pub(super) fn alg_none(token: String) -> String {
    token + ALG_NONE
}

/// The forged token that a filter asks for behind a mark.
pub(crate) fn forged(token: &str, behind_mark: &str) -> Option<String> {
    FORGERIES.iter().find(|(word, _)| *word == behind_mark).map(|(_, forge)| forge(token))
}

fn part(token: &str, place: usize) -> &str {
    token.split('.').nth(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_token_keeps_the_claims_and_has_no_signature() {
        let forge = |filter: fn(String) -> String, token| forged(token, &filter(String::new()));
        assert_eq!(forge(unsigned, "head.claims.proof").as_deref(), Some("head.claims."));
        assert_eq!(forge(alg_none, "head.claims.proof"), Some(format!("{NO_ALGORITHM}.claims.")));
        assert_eq!(forge(unsigned, "opaque").as_deref(), Some("opaque.."));
        assert_eq!(forged("head.claims.proof", "AAAA"), None);
    }
}
