//! The HTTP Bearer header (RFC 6750): `Bearer <token>`.

use http::{HeaderMap, header};

/// The token; `None` if the header is missing or of another scheme.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bearer_header_carries_a_token() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            token(&headers).map(str::to_owned)
        };
        assert_eq!(read("Bearer abc"), Some("abc".to_owned()));
        assert_eq!(read("bearer  abc "), Some("abc".to_owned()));
        for other in ["Basic abc", "Bearer", "abc", ""] {
            assert_eq!(read(other), None, "{other}");
        }
        assert_eq!(token(&HeaderMap::new()), None);
    }
}
