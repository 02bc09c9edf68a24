//! Encodings in which a response may repeat a secret.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::base::text::markup_escaped;

/// Shorter runs of Base64 occur in any text.
const SHORTEST_CORE: usize = 8;

/// The Base64 of a text at every alignment, without the characters that its neighbours influence.
pub(super) fn base64_cores(text: &str) -> Vec<String> {
    let mut cores = Vec::new();
    for offset in 0..3_usize {
        let padded: Vec<u8> = std::iter::repeat_n(0, offset).chain(text.bytes()).collect();
        // The first characters share bits with what precedes, the last one with what follows.
        let (skipped, whole) = (offset + usize::from(offset > 0), padded.len() * 8 / 6);
        for alphabet in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = alphabet.encode(&padded);
            cores.extend(encoded.get(skipped..whole).filter(|core| core.len() >= SHORTEST_CORE).map(str::to_owned));
        }
    }
    cores
}

/// A text as the hexadecimal digits of its bytes.
pub(super) fn hex(text: &str) -> [String; 2] {
    let lower: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    [lower.to_ascii_uppercase(), lower]
}

/// A text as HTML and XML write it.
pub(super) fn html_escapes(text: &str) -> [String; 2] {
    let named = markup_escaped(text);
    [named.replace('\'', "&#39;"), named.replace('\'', "&#x27;").replace('/', "&#x2f;")]
}
