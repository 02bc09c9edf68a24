//! The list of methods that a payment could be made by.

use super::currency::read_amount;
use super::method::{Format, METHODS};
use super::{Currency, Language, Method, Violation};

/// What is asked for: its fields have the right types, and no rule is checked yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Offer<'a> {
    pub(crate) currency: Option<&'a str>,
    /// Minor units.
    pub(crate) amount: Option<i64>,
    /// Both methods for EUR, in any country.
    pub(crate) both_eur_qr: bool,
    pub(crate) lang: Option<&'a str>,
}

impl Offer<'_> {
    /// The methods a merchant established in this country can offer, and the language of their names.
    pub(crate) fn methods(&self, country: &str) -> Result<(Vec<&'static Method>, Language), Violation> {
        let currency = Currency::read(self.currency)?;
        let amount = read_amount(self.amount)?;
        let language = Language::read(self.lang)?;
        let offered = |method: &&Method| {
            method.format.currency() == currency && method.amounts.contains(&amount) && self.follows_country(method.format, country)
        };
        Ok((METHODS.iter().filter(offered).collect(), language))
    }

    /// "SK gives the SK QR method, otherwise the EU QR method."
    fn follows_country(&self, format: Format, country: &str) -> bool {
        match format {
            Format::Spayd => true,
            Format::PayBySquare => self.both_eur_qr || country == "SK",
            Format::Epc => self.both_eur_qr || country != "SK",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(offer: Offer<'_>, country: &str) -> Vec<&'static str> {
        offer.methods(country).unwrap().0.iter().map(|method| method.id).collect()
    }

    fn euros() -> Offer<'static> {
        Offer { currency: Some("EUR"), amount: Some(100), ..Offer::default() }
    }

    #[test]
    fn for_eur_the_offer_follows_the_establishment_country() {
        assert_eq!(ids(euros(), "SK"), ["BANK_SK_T_OTHER"]);
        assert_eq!(ids(euros(), "CZ"), ["BANK_EUR_T_OTHER"]);
        assert_eq!(ids(euros(), "DE"), ["BANK_EUR_T_OTHER"]);
    }

    #[test]
    fn both_eur_methods_on_request_regardless_of_the_country() {
        for country in ["SK", "CZ"] {
            assert_eq!(ids(Offer { both_eur_qr: true, ..euros() }, country), ["BANK_SK_T_OTHER", "BANK_EUR_T_OTHER"]);
        }
    }

    #[test]
    fn amounts_beyond_a_limit_leave_the_methods_that_carry_them() {
        let crowns = |amount| ids(Offer { currency: Some("CZK"), amount: Some(amount), both_eur_qr: true, lang: None }, "CZ");
        assert_eq!(crowns(1).len(), 6);
        assert_eq!(crowns(40_000_000).len(), 6);
        assert_eq!(crowns(40_000_001), ["BANK_CZ_T_OTHER"]);
        assert_eq!(crowns(999_999_999), ["BANK_CZ_T_OTHER"]);
        assert!(crowns(1_000_000_000).is_empty());
    }

    #[test]
    fn names_are_in_the_language_asked_for() {
        let name = |lang| {
            let (methods, language) = Offer { lang, ..euros() }.methods("CZ").unwrap();
            methods.first().unwrap().name(language)
        };
        assert_eq!([name(None), name(Some("sk")), name(Some("en"))], ["QR platba SEPA", "SEPA platba QR kódom", "SEPA payment by QR code"]);
    }

    #[test]
    fn what_is_asked_for_is_checked() {
        let refusal = |offer: Offer<'_>| offer.methods("CZ").map(|_| ()).unwrap_err();
        assert_eq!(refusal(Offer { currency: None, ..euros() }), Violation::Missing("currency"));
        assert_eq!(refusal(Offer { currency: Some("USD"), ..euros() }), Violation::UnknownCurrency);
        assert_eq!(refusal(Offer { amount: None, ..euros() }), Violation::Missing("amount"));
        assert_eq!(refusal(Offer { amount: Some(0), ..euros() }), Violation::AmountTooLow);
        assert_eq!(refusal(Offer { lang: Some("de"), ..euros() }), Violation::UnknownLanguage);
    }
}
