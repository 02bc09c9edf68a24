//! The HTTP Basic header of v2.0: `Basic <base64 of merchant:secret>`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};

/// Merchant and secret, as claimed by the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(crate) merchant: String,
    pub(crate) secret: String,
}

/// Reads the header; `None` if it is missing or unreadable.
pub(crate) fn basic(headers: &HeaderMap) -> Option<Credentials> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let mut merchant = String::from_utf8(STANDARD.decode(token.trim()).ok()?).ok()?;
    let colon = merchant.find(':')?;
    let secret = merchant.get(colon + 1..)?.to_owned();
    merchant.truncate(colon);
    Some(Credentials { merchant, secret })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<Credentials> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        basic(&headers)
    }

    #[test]
    fn a_secret_may_hold_colons() {
        let token = STANDARD.encode("100001:se:cret");
        let expected = Some(Credentials { merchant: "100001".into(), secret: "se:cret".into() });
        assert_eq!(read(&format!("Basic {token}")), expected);
        assert_eq!(read(&format!("basic {token}")), expected);
    }

    #[test]
    fn other_headers_hold_no_credentials() {
        for value in ["", "Basic", "Basic ***", "Bearer abc", "Basic bm9jb2xvbg=="] {
            assert_eq!(read(value), None, "{value}");
        }
    }
}
