//! Countries: those that limit the methods offered, and those of an address.

use super::Currency;

/// The country of a payment: one of the accepted codes or `ALL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Country(&'static str);

const ACCEPTED: [&str; 29] = [
    "ALL", "AT", "BE", "CY", "CZ", "DE", "EE", "EL", "ES", "FI", "FR", "GB", "HR", "HU", "IE", "IT", "LT", "LU", "LV", "MT", "NL", "NO",
    "PL", "PT", "RO", "SI", "SK", "SE", "US",
];

impl Country {
    /// The value of an omitted `country`.
    pub(crate) const DEFAULT: Self = Self("CZ");
    /// No country in particular.
    pub(crate) const ALL: Self = Self("ALL");

    /// Reads an accepted code.
    pub(crate) fn parse(code: &str) -> Option<Self> {
        ACCEPTED.iter().find(|known| **known == code).map(|known| Self(known))
    }

    /// The code, two capitals or `ALL`.
    pub(crate) const fn code(self) -> &'static str {
        self.0
    }

    /// Whether the country limits the methods offered to its own.
    pub(crate) fn is_all(self) -> bool {
        self.0 == "ALL"
    }

    /// "It must match `curr` for the region (CZ+CZK, SK+EUR, PL+PLN). For other currencies use ALL or another accepted
    /// country code."
    ///
    /// We read this as: the three regional codes go with their own currency and with no other. The document doesn't forbid a
    /// regional currency paid from elsewhere (DE+EUR, ALL+CZK), so that is accepted. An omitted country is CZ: EUR
    /// without a country is CZ+EUR, and refused.
    pub(crate) fn goes_with(self, currency: Currency) -> bool {
        let regional = match self.0 {
            "CZ" => Currency::Czk,
            "SK" => Currency::Eur,
            "PL" => Currency::Pln,
            _ => return true,
        };
        currency == regional
    }
}

/// ISO 3166 alpha-2 codes, of addresses.
const ISO_3166: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG \
    GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ \
    LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR \
    NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ \
    TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/// Whether an address may name this country.
pub(crate) fn is_iso_3166(code: &str) -> bool {
    code.len() == 2 && ISO_3166.split_ascii_whitespace().any(|known| known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(country: &str, currency: &str) -> bool {
        Country::parse(country).unwrap().goes_with(Currency::parse(currency).unwrap())
    }

    #[test]
    fn the_regional_countries_go_with_their_own_currency_only() {
        for (country, own) in [("CZ", "CZK"), ("SK", "EUR"), ("PL", "PLN")] {
            for currency in Currency::ALL {
                assert_eq!(pair(country, currency.as_str()), currency.as_str() == own, "{country}+{}", currency.as_str());
            }
        }
    }

    #[test]
    fn other_countries_and_all_take_any_currency() {
        for country in ACCEPTED.iter().filter(|code| !["CZ", "SK", "PL"].contains(code)) {
            assert!(Currency::ALL.iter().all(|currency| pair(country, currency.as_str())), "{country}");
        }
    }

    #[test]
    fn addresses_name_countries_by_two_capitals() {
        assert!(is_iso_3166("CZ") && is_iso_3166("GR"));
        assert!(!is_iso_3166("EL") && !is_iso_3166("cz") && !is_iso_3166("C") && !is_iso_3166("AD AE"));
    }
}
