//! The two tokens of a device: the long-lived opaque one, and the claims of the short-lived JWT.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// A device, and the number of its token. Each activation gives a new token, and the last one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    /// `deviceId`.
    #[serde(rename = "sub")]
    pub(crate) device: i64,
    /// Counts activations.
    #[serde(rename = "gen")]
    pub(crate) generation: u32,
}

/// The claims of a JWT. Times are seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claims {
    /// The holder of the token.
    #[serde(flatten)]
    pub(crate) holder: Holder,
    pub(crate) iat: i64,
    pub(crate) exp: i64,
}

/// Makes and reads device tokens. They carry their holder under a signature, so superseded ones can be distinguished from forged ones
/// without keeping any.
pub(crate) struct DeviceTokens(hmac::Key);

const HOLDER: usize = 12;

impl DeviceTokens {
    /// Signs with this secret.
    pub(crate) fn new(secret: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// The token of a holder.
    pub(crate) fn write(&self, holder: Holder) -> String {
        let mut token = holder.device.to_le_bytes().to_vec();
        token.extend(holder.generation.to_le_bytes());
        let signature = hmac::sign(&self.0, &token);
        token.extend_from_slice(signature.as_ref());
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The holder of a token; `None` if it was not made here.
    pub(crate) fn read(&self, token: &str) -> Option<Holder> {
        let token = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (holder, signature) = token.split_at_checked(HOLDER)?;
        hmac::verify(&self.0, holder, signature).ok()?;
        let (device, generation) = holder.split_at_checked(8)?;
        Some(Holder { device: i64::from_le_bytes(device.try_into().ok()?), generation: u32::from_le_bytes(generation.try_into().ok()?) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_token_is_read_under_its_own_secret_only(device: i64, generation: u32) {
            let holder = Holder { device, generation };
            let token = DeviceTokens::new(b"secret").write(holder);
            prop_assert_eq!(DeviceTokens::new(b"secret").read(&token), Some(holder));
            prop_assert_eq!(DeviceTokens::new(b"other").read(&token), None);
        }

        #[test]
        fn any_text_is_read_without_harm(text: String) {
            prop_assert_eq!(DeviceTokens::new(b"secret").read(&text), None);
        }
    }
}
