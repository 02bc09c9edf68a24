//! Base64, as RFC 4648 writes it.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use crate::exchange::BodyFault;

/// The bytes that a text stands for. Line breaks, which some encoders put in, are allowed.
pub(super) fn decode(text: &[u8]) -> Result<Vec<u8>, BodyFault> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    STANDARD.decode(&text).map_err(|error| BodyFault::new(String::new(), format!("not Base64: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_be_broken_and_the_rest_is_strict() {
        assert_eq!(decode(b"YWJj\r\nZA==").unwrap(), b"abcd");
        for wrong in ["YWJj*", "YWJ", "YWJjZA"] {
            assert!(decode(wrong.as_bytes()).unwrap_err().message.starts_with("not Base64"), "{wrong}");
        }
    }
}
