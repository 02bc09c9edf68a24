//! Secrets that are not the merchant's: another text, and the near misses that a careless comparison takes for the right one.

/// Sends `main`'s identifier with a secret that is not its own.
pub const WRONG_SECRET: &str = "wrong-secret";

/// Sends `main`'s identifier with the secret of `other`.
pub(crate) const OTHERS_SECRET: &str = "others-secret";
/// Whose secret that is.
pub(crate) const OTHER: &str = "other";

/// The replacement of the secret for [`WRONG_SECRET`].
const NOT_THE_SECRET: &str = "not-the-secret-0000";

/// Makes a secret that is wrong from the right one.
type Spoil = fn(&str) -> String;

/// The identities that send `main`'s identifier with a wrong secret, and what each makes of the right one.
const WRONG: [(&str, Spoil); 5] = [
    (WRONG_SECRET, |_| NOT_THE_SECRET.to_owned()),
    ("cut-secret", |right| right.chars().take(right.chars().count().saturating_sub(1)).collect()),
    ("longer-secret", |right| format!("{right}0")),
    ("other-case-secret", in_other_case),
    ("empty-secret", |_| String::new()),
];

/// Whether calls of this identity send a secret that is wrong on purpose.
pub(crate) fn is_wrong(identity: &str) -> bool {
    WRONG.iter().any(|(name, _)| *name == identity)
}

/// The wrong secret that an identity sends in place of the right one.
pub(super) fn spoiled(identity: &str, right: &str) -> Option<String> {
    WRONG.iter().find(|(name, _)| *name == identity).map(|(_, spoil)| spoil(right))
}

/// The near misses of a secret, by identity: they reveal nearly all of it, and are as secret.
pub(super) fn near_misses(right: &str) -> impl Iterator<Item = (&'static str, String)> {
    WRONG.into_iter().filter(|(name, _)| *name != WRONG_SECRET).map(|(name, spoil)| (name, spoil(right)))
}

/// Every letter in the other case. A secret without letters is replaced by another text.
fn in_other_case(right: &str) -> String {
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    Some(right.chars().map(swap).collect::<String>()).filter(|other| other != right).unwrap_or_else(|| NOT_THE_SECRET.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wrong_secret_is_the_right_one() {
        for right in ["s3cr3t/Ž", "0123456789", "x", "ALL UPPER", "ž"] {
            for (name, _) in WRONG {
                assert_ne!(spoiled(name, right).as_deref(), Some(right), "{name}");
            }
        }
    }

    #[test]
    fn a_near_miss_differs_by_one_character_or_by_its_case() {
        let of = |name| spoiled(name, "aB3ž").unwrap();
        assert_eq!([of("cut-secret"), of("longer-secret"), of("other-case-secret")], ["aB3", "aB3ž0", "Ab3ž"]);
        assert_eq!(spoiled("main", "aB3"), None);
    }
}
