//! The tokens that a case has obtained.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;

use crate::spec::contract::Token;

/// The tokens of a case, as marks: by the call that returns them and by identity.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    held: HashMap<(String, String), Held>,
}

#[derive(Debug)]
struct Held {
    mark: String,
    lasting: bool,
    /// When a new token is requested; never if the expiry is unknown.
    renewed_at: Option<Instant>,
}

impl Tokens {
    /// Drops tokens that do not outlive a change of the world, because time may have passed.
    pub(super) fn world_moved(&mut self) {
        self.held.retain(|_, held| held.lasting);
    }

    /// The mark of a token that is known and need not be renewed at this time.
    pub(super) fn get(&self, token: &Token, identity: &str, now: Instant) -> Option<String> {
        let held = self.held.get(&(token.operation.clone(), identity.to_owned()))?;
        held.renewed_at.is_none_or(|then| now < then).then(|| held.mark.clone())
    }

    /// Keeps a token, and how long it may be used.
    pub(super) fn keep(&mut self, token: &Token, identity: &str, mark: String, now: Instant, usable: Option<Duration>) {
        let renewed_at = usable.and_then(|usable| now.checked_add(usable));
        self.held.insert((token.operation.clone(), identity.to_owned()), Held { mark, lasting: token.lasting, renewed_at });
    }
}

/// How long a newly issued token may be used: nine tenths of its life, as a client does that never wants to be refused. None if
/// its expiry is not stated, is no point in time, or has passed: then the two clocks differ, and requesting a token before every
/// call would not help.
pub(super) fn usable(token: &Token, response: Option<&Value>, now: Timestamp) -> Option<Duration> {
    let expiry: Timestamp = response?.get(token.expiry.as_ref()?)?.as_str()?.parse().ok()?;
    let life = Duration::try_from(expiry.duration_since(now)).ok().filter(|life| !life.is_zero())?;
    Some(life / 10 * 9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn token() -> Token {
        Token { operation: "shop.login".into(), field: "token".into(), expiry: Some("expiry".into()), lasting: false }
    }

    #[test]
    fn a_token_is_renewed_before_it_expires() {
        let (mut tokens, now) = (Tokens::default(), Instant::now());
        tokens.keep(&token(), "main", "one".into(), now, Some(Duration::from_secs(90)));
        let held = |seconds| tokens.get(&token(), "main", now + Duration::from_secs(seconds));
        assert_eq!((held(0).as_deref(), held(89).as_deref(), held(90)), (Some("one"), Some("one"), None));
        assert_eq!(tokens.get(&token(), "other", now), None);
        tokens.keep(&token(), "main", "two".into(), now, None);
        assert_eq!(tokens.get(&token(), "main", now + Duration::from_secs(1_000_000)).as_deref(), Some("two"), "no expiry is known");
    }

    #[test]
    fn only_an_expiry_that_lies_ahead_says_how_long_it_is_used() {
        let now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        let of = |expiry: Value| usable(&token(), Some(&json!({ "expiry": expiry })), now).map(|usable| usable.as_secs());
        assert_eq!(of(json!("2026-03-01T10:10:00Z")), Some(540));
        assert_eq!(of(json!("2026-03-01T11:10:00+01:00")), Some(540));
        for unknown in [json!("2026-03-01T09:59:59Z"), json!("2026-03-01T10:10:00"), json!("soon"), json!(600), Value::Null] {
            assert_eq!(of(unknown.clone()), None, "{unknown}");
        }
        assert_eq!(usable(&Token { expiry: None, ..token() }, Some(&json!({ "expiry": "2026-03-01T10:10:00Z" })), now), None);
    }
}
