//! Base 32 with the extended hexadecimal alphabet (RFC 4648, section 7), without padding.

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

/// Five bits a letter, the last ones filled up with zeros.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut buffer, mut bits) = (0_u32, 0);
    for byte in bytes {
        buffer = buffer << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(letter(buffer >> bits));
        }
    }
    if bits > 0 {
        text.push(letter(buffer << (5 - bits)));
    }
    text
}

fn letter(bits: u32) -> char {
    let at = usize::try_from(bits % 32).unwrap_or_default();
    ALPHABET.get(at).map_or('0', |letter| char::from(*letter))
}

#[cfg(test)]
pub(super) fn decode(text: &str) -> Vec<u8> {
    let (mut buffer, mut bits, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.chars() {
        buffer = buffer << 5 | letter.to_digit(32).unwrap();
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xFF).unwrap());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_test_vectors_of_the_standard() {
        for (text, encoded) in [("", ""), ("f", "CO"), ("fo", "CPNG"), ("foo", "CPNMU"), ("foob", "CPNMUOG"), ("foobar", "CPNMUOJ1E8")] {
            assert_eq!(encode(text.as_bytes()), encoded);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), bytes);
        }
    }
}
