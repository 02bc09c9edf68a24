//! Credentials that are wrong on purpose: another secret, the near misses that a careless comparison takes for the right one, and the
//! right one under the login of nobody.

use super::credential::{Credential, users, users_of};
use super::identity::MAIN;
use crate::spec::contract::Contracts;

/// Sends `main`'s identifier with a secret that is not its own.
pub const WRONG_SECRET: &str = "wrong-secret";

/// Sends `main`'s identifier with the secret of `other`.
pub(crate) const OTHERS_SECRET: &str = "others-secret";
/// Whose secret that is.
pub(crate) const OTHER: &str = "other";

/// Sends `main`'s identifier for one API with its secret for another.
const OTHER_API_SECRET: &str = "other-api-secret";

/// Sends `main`'s secret under a login that nobody has.
const WRONG_USER: &str = "wrong-user";
/// That login.
pub(super) const NOT_A_USER: &str = "not-a-user-0000";

/// The replacement of the secret for [`WRONG_SECRET`].
const NOT_THE_SECRET: &str = "not-the-secret-0000";

/// Makes a secret that is wrong from the right one.
type Spoil = fn(&str) -> String;

/// The identities that send `main`'s identifier with a wrong secret, and what each makes of the right one.
const WRONG: [(&str, Spoil); 6] = [
    (WRONG_SECRET, |_| NOT_THE_SECRET.to_owned()),
    ("cut-secret", |right| right.chars().take(right.chars().count().saturating_sub(1)).collect()),
    ("longer-secret", |right| format!("{right}0")),
    ("padded-secret", |right| format!("{right} ")),
    ("other-case-secret", in_other_case),
    ("empty-secret", |_| String::new()),
];

/// What stands between [`WRONG_SECRET`] and an identity other than `main`.
const OF: &str = " of ";

/// The identity that sends the identifier of this one with a secret that is not its own.
pub(crate) fn wrong_secret_of(identity: &str) -> String {
    format!("{WRONG_SECRET}{OF}{identity}")
}

/// Whom an identity impersonates by credentials that are wrong on purpose; none if it sends its own.
pub(crate) fn impersonated(identity: &str) -> Option<&str> {
    let is_main = [OTHER_API_SECRET, WRONG_USER].contains(&identity) || WRONG.iter().any(|(name, _)| *name == identity);
    is_main.then_some(MAIN).or_else(|| identity.strip_prefix(WRONG_SECRET)?.strip_prefix(OF))
}

/// What an identity sends in place of the right credentials.
pub(super) fn instead_of(right: &Credential, identity: &str, contracts: &Contracts) -> Option<Credential> {
    let mut wrong = right.clone();
    if identity == WRONG_USER {
        let users = users(contracts);
        wrong.iter_mut().filter(|(part, _)| users.contains(*part)).for_each(|(_, user)| NOT_A_USER.clone_into(user));
        return Some(wrong);
    }
    for (part, value) in wrong.iter_mut().filter(|(part, _)| contracts.secret_parts.contains(*part)) {
        *value = match identity {
            OTHER_API_SECRET => of_another_api(contracts, right, part),
            _ => spoiled(identity, value)?,
        };
    }
    Some(wrong)
}

/// The wrong secret that an identity sends in place of the right one.
fn spoiled(identity: &str, right: &str) -> Option<String> {
    let kind = identity.split(OF).next();
    WRONG.iter().find(|(name, _)| Some(*name) == kind).map(|(_, spoil)| spoil(right))
}

/// The secret of the same merchant for another API; another text where none differs in login and secret.
///
/// The secrets go in pairs, so that each of two APIs is tried with that of the other.
fn of_another_api(contracts: &Contracts, credential: &Credential, part: &str) -> String {
    let logins = |part: &str| users_of(contracts, part).iter().filter_map(|user| credential.get(user)).collect::<Vec<_>>();
    let (own_logins, own) = (logins(part), credential.get(part));
    let parts: Vec<&String> = contracts.secret_parts.iter().rev().filter(|part| credential.contains_key(*part)).collect();
    let partner = parts.iter().position(|other| *other == part).and_then(|place| parts.get(place ^ 1));
    let others = partner.into_iter().chain(&parts).filter(|other| !logins(other).iter().any(|login| own_logins.contains(login)));
    others
        .filter_map(|other| credential.get(*other))
        .find(|other| Some(*other) != own)
        .cloned()
        .unwrap_or_else(|| NOT_THE_SECRET.to_owned())
}

/// The near misses of a secret, by identity: they reveal nearly all of it, and are as secret. One that adds a blank alone is the right
/// one to a reader: in a text, a blank is often what follows.
pub(super) fn near_misses(right: &str) -> impl Iterator<Item = (&'static str, String)> {
    let misses = WRONG.into_iter().filter(|(name, _)| *name != WRONG_SECRET).map(|(name, spoil)| (name, spoil(right)));
    misses.map(move |(name, wrong)| if wrong.trim_end() == right { (MAIN, wrong) } else { (name, wrong) })
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
    fn main_is_impersonated_unless_another_identity_is_named() {
        assert_eq!(
            [impersonated(WRONG_SECRET), impersonated("cut-secret"), impersonated(OTHER_API_SECRET), impersonated(WRONG_USER)],
            [Some(MAIN); 4]
        );
        assert_eq!(impersonated(&wrong_secret_of("other")), Some("other"));
        assert_eq!([impersonated(MAIN), impersonated("other"), impersonated("wrong-secrets")], [None; 3]);
        assert_eq!(spoiled(&wrong_secret_of("other"), "right").as_deref(), Some(NOT_THE_SECRET));
    }

    #[test]
    fn a_wrong_user_has_the_right_secrets_and_the_login_of_nobody() {
        let parts = [("merchant", "1"), ("secret", "right"), ("qr-user", "qr-1"), ("qr-password", "qr"), ("mid", "M1")];
        let right: Credential = parts.iter().map(|(part, value)| ((*part).to_owned(), (*value).to_owned())).collect();
        let wrong = instead_of(&right, WRONG_USER, &Contracts::shipped()).unwrap();
        let of = |part: &str| wrong.get(part).map(String::as_str);
        assert_eq!([of("merchant"), of("qr-user")], [Some(NOT_A_USER); 2]);
        assert_eq!([of("secret"), of("qr-password"), of("mid")], [Some("right"), Some("qr"), Some("M1")]);
    }

    #[test]
    fn a_near_miss_differs_by_one_character_or_by_its_case() {
        let of = |name| spoiled(name, "aB3ž").unwrap();
        assert_eq!(of("padded-secret"), "aB3ž ");
        assert_eq!([of("cut-secret"), of("longer-secret"), of("other-case-secret")], ["aB3", "aB3ž0", "Ab3ž"]);
        assert_eq!(spoiled("main", "aB3"), None);
    }

    #[test]
    fn two_apis_are_tried_with_the_secrets_of_each_other() {
        let contracts = Contracts::shipped();
        let of = |parts: &[(&str, &str)], part: &str| {
            let credential = parts.iter().map(|(part, value)| ((*part).to_owned(), (*value).to_owned())).collect();
            of_another_api(&contracts, &credential, part)
        };
        let two = [("merchant", "1"), ("secret", "gateway"), ("terminal", "T1"), ("terminal-secret", "till")];
        assert_eq!([of(&two, "secret"), of(&two, "terminal-secret")], ["till", "gateway"]);
        let three = [two.as_slice(), &[("qr-user", "qr-1"), ("qr-password", "qr")]].concat();
        assert_eq!([of(&three, "secret"), of(&three, "terminal-secret"), of(&three, "qr-password")], ["till", "gateway", "till"]);
        let same_secret = [("merchant", "1"), ("secret", "both"), ("terminal", "T1"), ("terminal-secret", "both")];
        let same_login = [("merchant", "1"), ("secret", "gateway"), ("terminal", "1"), ("terminal-secret", "till")];
        for none in [&two[..2], &same_secret, &same_login] {
            assert_eq!(of(none, "secret"), NOT_THE_SECRET, "{none:?}");
        }
    }
}
