//! Identifiers of payments in another shape: translated in responses, and back in requests. "Both are opaque strings."

use bytes::Bytes;

use crate::common::freedoms::{Behaviour, Freedoms};

/// Added to each identifier in a world with long ones.
const TAIL: &str = "-of-this-service-and-rather-long";

/// The shape of identifiers outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentifierSpelling {
    /// `ab12-cd34-ef56`.
    Small,
    /// With a tail.
    Long,
}

impl IdentifierSpelling {
    /// The shape that is chosen, if it is another than inside.
    pub(crate) fn chosen_in(freedoms: &Freedoms) -> Option<Self> {
        if freedoms.include(Behaviour::IdentifiersSmall) {
            return Some(Self::Small);
        }
        freedoms.include(Behaviour::IdentifiersLong).then_some(Self::Long)
    }

    /// Translates a text that leaves the world.
    pub(crate) fn outward(self, text: &[u8]) -> Bytes {
        match self {
            Self::Small => translate(text, u8::is_ascii_uppercase, |id, out| out.extend(id.to_ascii_lowercase())),
            Self::Long => translate(text, u8::is_ascii_uppercase, |id, out| {
                out.extend(id);
                out.extend(TAIL.as_bytes());
            }),
        }
    }

    /// Translates a text that enters the world.
    pub(crate) fn inward(self, text: &[u8]) -> Bytes {
        match self {
            Self::Small => translate(text, u8::is_ascii_lowercase, |id, out| out.extend(id.to_ascii_uppercase())),
            Self::Long => match std::str::from_utf8(text) {
                Ok(text) => text.replace(TAIL, "").into(),
                Err(_) => Bytes::copy_from_slice(text),
            },
        }
    }

    /// Translates a text that enters the world.
    pub(crate) fn inward_text(self, text: &str) -> String {
        String::from_utf8_lossy(&self.inward(text.as_bytes())).into_owned()
    }
}

/// Copies a text, with each identifier in it written anew. Escapes of a form or a URL are no part of one.
fn translate(text: &[u8], is_letter: fn(&u8) -> bool, write: impl Fn(&[u8], &mut Vec<u8>)) -> Bytes {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(first) = rest.first() {
        let length = match first {
            b'%' => rest.len().min(3),
            _ => rest.iter().take_while(|byte| is_word(**byte)).count(),
        };
        let (word, behind) = rest.split_at(length.max(1).min(rest.len()));
        if is_identifier(word, is_letter) {
            write(word, &mut out)
        } else {
            out.extend(word)
        }
        rest = behind;
    }
    out.into()
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Twelve letters and digits in groups of four, those of terminals in groups of three (payments) and six (refunds); some are letters.
fn is_identifier(word: &[u8], is_letter: fn(&u8) -> bool) -> bool {
    let size = match word.len() {
        13 => 6,
        14 => 4,
        15 => 3,
        _ => return false,
    };
    let groups = || word.split(|byte| *byte == b'-');
    let is_group = |group: &[u8]| group.len() == size && group.iter().all(|byte| byte.is_ascii_digit() || is_letter(byte));
    // A path like `change-method` and a secret like `secret-100001` have two groups of six as well. The few refunds without a group of
    // both letters and digits keep their shape, outward and inward.
    let is_mixed = |group: &[u8]| group.iter().any(is_letter) && group.iter().any(u8::is_ascii_digit);
    groups().all(is_group) && word.iter().any(is_letter) && (size != 6 || groups().any(is_mixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: &str = "a=AB12-CD34-EF56&r=http%3A%2F%2Fx%2FAB12-CD34-EF56&t=ABC-123-DEF-456&f=ABC123-DEF456\
        &d=2026-0102-0304&n=XAB12-CD34-EF56&s=secret-100001&p=change-method";

    #[test]
    fn identifiers_go_out_in_another_shape_and_come_back() {
        for shape in [IdentifierSpelling::Small, IdentifierSpelling::Long] {
            let outside = shape.outward(INSIDE.as_bytes());
            assert_ne!(outside, INSIDE.as_bytes());
            assert_eq!(shape.inward_text(std::str::from_utf8(&outside).unwrap()), INSIDE);
        }
    }

    #[test]
    fn what_is_no_identifier_stays() {
        let outside = IdentifierSpelling::Small.outward(INSIDE.as_bytes());
        let outside = std::str::from_utf8(&outside).unwrap();
        assert!(outside.contains("a=ab12-cd34-ef56&r=http%3A%2F%2Fx%2Fab12-cd34-ef56&t=abc-123-def-456&f=abc123-def456&"));
        assert!(outside.ends_with("&d=2026-0102-0304&n=XAB12-CD34-EF56&s=secret-100001&p=change-method"));
    }
}
