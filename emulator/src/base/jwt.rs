//! JSON Web Tokens signed with HS256 (RFC 7515, RFC 7519): as much of them as the emulator issues and reads itself.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Signs claims, and accepts no signatures but its own.
pub(crate) struct Signer {
    key: hmac::Key,
    /// The first part of every token: the algorithm. No other header is read, so none can ask for another algorithm.
    header: String,
}

impl Signer {
    /// Signs with this secret.
    pub(crate) fn new(secret: &[u8]) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret), header: URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#) }
    }

    /// A token with these claims.
    pub(crate) fn sign(&self, claims: &impl Serialize) -> String {
        let claims = serde_json::to_vec(claims).unwrap_or_default();
        let mut token = format!("{}.{}", self.header, URL_SAFE_NO_PAD.encode(claims));
        let signature = hmac::sign(&self.key, token.as_bytes());
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        token
    }

    /// The claims of a token; `None` if it was not signed here. The caller checks whether it has expired.
    pub(crate) fn verify<C: DeserializeOwned>(&self, token: &str) -> Option<C> {
        let (signed, signature) = token.rsplit_once('.')?;
        let claims = signed.strip_prefix(self.header.as_str())?.strip_prefix('.')?;
        hmac::verify(&self.key, signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn signer() -> Signer {
        Signer::new(b"secret")
    }

    #[test]
    fn a_token_is_three_parts_as_any_library_reads_them() {
        // Made with an independent implementation: HS256 of header and claims under the key `secret`.
        assert_eq!(
            signer().sign(&json!({ "mid": "M1" })),
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJtaWQiOiJNMSJ9.WgZeAPmtNmaLdODTnjc5d7pN_rl3X02z67ow41JdHkw"
        );
    }

    #[test]
    fn claims_read_back_and_only_under_the_same_secret() {
        let claims = json!({ "mid": "M1", "exp": 7 });
        let token = signer().sign(&claims);
        assert_eq!(signer().verify(&token), Some(claims));
        assert_eq!(Signer::new(b"other").verify::<Value>(&token), None);
    }

    #[test]
    fn a_token_without_a_signature_is_forged() {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"mid":"M1"}"#);
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        for forged in [format!("{none}.{claims}."), format!("{}.{claims}.", signer().header), String::new(), "..".into()] {
            assert_eq!(signer().verify::<Value>(&forged), None, "{forged}");
        }
    }

    proptest! {
        #[test]
        fn a_changed_token_is_forged(at in 0..80_usize, letter in "[A-Za-z0-9_.-]") {
            let token = signer().sign(&json!({ "mid": "M1" }));
            let mut changed = token.clone();
            changed.replace_range(at..=at, &letter);
            // The last letter of a signature has two bits to spare.
            prop_assume!(changed != token && at + 1 < token.len());
            prop_assert_eq!(signer().verify::<Value>(&changed), None);
        }

        #[test]
        fn any_text_is_read_without_harm(text: String) {
            prop_assert_eq!(signer().verify::<Value>(&text), None);
        }
    }
}
