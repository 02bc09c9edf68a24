//! The rules of an IBAN (ISO 13616): its characters, its length by country, its check digits.

/// The length of an IBAN by country, from SWIFT's registry. A country that is not listed is held to the general bounds.
const LENGTHS: [(u8, &str); 18] = [
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FK FO GL NL SD"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU MN XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ OM SO TL"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "LY PT ST"),
    (26, "IS TR"),
    (27, "BI DJ FR GR IT MC MR SM"),
    (28, "AL AZ BY CY DO GT HN HU LB NI PL SV"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU YE"),
    (31, "MT SC"),
    (32, "LC"),
    (33, "RU"),
];

/// What is wrong with an account number that should be an IBAN, if anything.
pub(super) fn fault(iban: &str) -> Option<String> {
    let letters = iban.len() >= 15 && iban.len() <= 34 && iban.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    let country = iban.get(..2).filter(|country| country.bytes().all(|b| b.is_ascii_uppercase()));
    let checks = iban.get(2..4).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let (true, true, Some(country)) = (letters, checks, country) else { return Some(format!("{iban:?} is no IBAN")) };
    if let Some(length) = length_in(country).filter(|length| *length != iban.len()) {
        return Some(format!("{iban:?} has {} characters, an IBAN of {country} has {length}", iban.len()));
    }
    if matches!(country, "CZ" | "SK") && iban.bytes().skip(4).any(|b| !b.is_ascii_digit()) {
        return Some(format!("{iban:?} has letters, an IBAN of {country} has digits alone after its country"));
    }
    (!is_right(iban)).then(|| format!("{iban:?} has wrong check digits"))
}

/// What is wrong with the reference of a payee (ISO 11649, `RF18…`), which has the check digits of an IBAN; other references have none.
pub(super) fn wrong_reference(reference: &str) -> Option<String> {
    let body = reference.strip_prefix("RF")?;
    let good = (3..=23).contains(&body.len()) && body.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) && is_right(reference);
    (!good).then(|| format!("{reference:?} is no reference with right check digits"))
}

/// With the first four characters moved to the end and letters as two digits, the remainder by 97 must be 1.
fn is_right(text: &str) -> bool {
    let turned = text.bytes().cycle().skip(4).take(text.len());
    let rest = turned.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}

fn length_in(country: &str) -> Option<usize> {
    LENGTHS.iter().find(|(_, countries)| countries.split(' ').any(|own| own == country)).map(|(length, _)| usize::from(*length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        for good in ["CZ6508000000192000145399", "SK3112000000198742637541", "DE89370400440532013000", "NO9386011117947"] {
            assert_eq!(fault(good), None, "{good}");
        }
        for wrong in ["CZ6508000000192000145398", "CZ56 0800", "19-2000145399/0800", "cz6508000000192000145399", "CZXX08000000192000145399"]
        {
            assert!(fault(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn each_country_has_its_length() {
        assert_eq!(
            fault("DE893704004405320130000"),
            Some("\"DE893704004405320130000\" has 23 characters, an IBAN of DE has 22".to_owned())
        );
        assert!(fault("CZ650800000019200014539").is_some_and(|message| message.contains("an IBAN of CZ has 24")));
        assert!(fault("CZ65080000001920001453AB").is_some_and(|message| message.contains("digits alone")));
    }

    #[test]
    fn no_country_has_two_lengths() {
        let mut all: Vec<&str> = LENGTHS.iter().flat_map(|(_, countries)| countries.split(' ')).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
