//! The form of a JSON Web Token (RFC 7519), as far as it can be checked without a key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// The number of parts of a signed token and of an encrypted one.
const PARTS: [usize; 2] = [3, 5];

/// Whether a text has the form of a JSON Web Token: parts of Base64url, of which the first is a JSON object.
pub(crate) fn is_jwt(text: &str) -> bool {
    let parts: Vec<Option<Vec<u8>>> = text.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).ok()).collect();
    let header = parts.first().and_then(|first| serde_json::from_slice::<Map<String, Value>>(first.as_ref()?).ok());
    PARTS.contains(&parts.len()) && parts.iter().all(Option::is_some) && header.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{"alg":"none"}`, `{}`.
    const HEADER: &str = "eyJhbGciOiJub25lIn0";

    #[test]
    fn signed_unsigned_and_encrypted_tokens_are_tokens() {
        for token in [format!("{HEADER}.e30.c2ln"), format!("{HEADER}.e30."), format!("{HEADER}.a2V5.aXY.dGV4dA.dGFn")] {
            assert!(is_jwt(&token), "{token}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        let others = ["", "token", "a.b.c", "e30.e30", "W10.e30.c2ln", "Zm9v.e30.c2ln"].map(str::to_owned);
        for text in others.into_iter().chain([format!("{HEADER}.e30.c2ln="), format!("{HEADER}.e30.c2ln."), format!("{HEADER}.{{}}.c2ln")])
        {
            assert!(!is_jwt(&text), "{text}");
        }
    }
}
