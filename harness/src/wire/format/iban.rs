//! Check digits of an IBAN (ISO 13616).

/// What is wrong with an account number that should be an IBAN, if anything.
pub(super) fn fault(iban: &str) -> Option<String> {
    let letters = iban.len() >= 15 && iban.len() <= 34 && iban.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    let country = iban.get(..2).is_some_and(|c| c.bytes().all(|b| b.is_ascii_uppercase()));
    if !letters || !country {
        return Some(format!("{iban:?} is no IBAN"));
    }
    // Moved to the end the first four characters, letters as two digits; the rest by 97 must be 1.
    let turned = iban.bytes().cycle().skip(4).take(iban.len());
    let rest = turned.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    (rest != 1).then(|| format!("{iban:?} has wrong check digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        for good in ["CZ6508000000192000145399", "SK3112000000198742637541", "DE89370400440532013000"] {
            assert_eq!(fault(good), None, "{good}");
        }
        for wrong in ["CZ6508000000192000145398", "CZ56 0800", "19-2000145399/0800", "cz6508000000192000145399"] {
            assert!(fault(wrong).is_some(), "{wrong}");
        }
    }
}
