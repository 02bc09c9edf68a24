//! QR methods. The document names four and says what the list covers: the methods of individual banks and the generic QR
//! transfer. The other banks, and all amount limits, are the emulator's own.

use std::ops::RangeInclusive;

use super::{Currency, Language};

/// What is in the QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// "SPAYD for CZ methods."
    Spayd,
    /// "PAY by square for BANK_SK_T_OTHER."
    PayBySquare,
    /// "EPC QR (SEPA) for BANK_EUR_T_OTHER."
    Epc,
}

impl Format {
    /// The currency it is paid in.
    pub(crate) const fn currency(self) -> Currency {
        match self {
            Self::Spayd => Currency::Czk,
            Self::PayBySquare | Self::Epc => Currency::Eur,
        }
    }
}

/// A row of the list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// Its identifier.
    pub(crate) id: &'static str,
    /// What is in its QR code.
    pub(crate) format: Format,
    /// The amounts it carries, in minor units.
    pub(crate) amounts: RangeInclusive<i64>,
    /// The name of its logo's files. "The file name does not follow the method id."
    pub(crate) logo: &'static str,
    /// "string or null, vector variant alongside `logo`": whether there is one.
    pub(crate) has_vector: bool,
    /// In Czech, Slovak and English.
    names: [&'static str; 3],
}

/// What fits into the amount of a SPAYD: 9 999 999.99.
const TRANSFER_CZK: RangeInclusive<i64> = 1..=999_999_999;
/// Instant payments within the Czech Republic: up to 400 000 CZK.
const INSTANT_CZK: RangeInclusive<i64> = 1..=400_000 * 100;
/// What fits into the amount of an EPC QR code: 999 999 999.99.
const TRANSFER_EUR: RangeInclusive<i64> = 1..=99_999_999_999;
/// Instant SEPA payments: up to 100 000 EUR.
const INSTANT_EUR: RangeInclusive<i64> = 1..=100_000 * 100;

const fn generic(id: &'static str, format: Format, amounts: RangeInclusive<i64>, logo: &'static str, names: [&'static str; 3]) -> Method {
    Method { id, format, amounts, logo, has_vector: true, names }
}

const fn bank(id: &'static str, logo: &'static str, has_vector: bool, name: &'static str) -> Method {
    Method { id, format: Format::Spayd, amounts: INSTANT_CZK, logo, has_vector, names: [name; 3] }
}

/// All methods, in the order they are listed.
pub(crate) static METHODS: [Method; 8] = [
    generic("BANK_CZ_T_OTHER", Format::Spayd, TRANSFER_CZK, "transfer", ["Platba QR kódem", "Platba QR kódom", "Payment by QR code"]),
    bank("BANK_CZ_T_PB", "bank-2010", true, "Poštovní banka"),
    bank("BANK_CZ_T_CS", "bank-0800", true, "Česká spořitelna"),
    bank("BANK_CZ_T_KB", "bank-0100", true, "Komerční banka"),
    bank("BANK_CZ_T_CSOB", "bank-0300", true, "ČSOB"),
    // Has no vector logo, so that clients see a null.
    bank("BANK_CZ_T_RB", "bank-5500", false, "Raiffeisenbank"),
    generic("BANK_SK_T_OTHER", Format::PayBySquare, INSTANT_EUR, "square", ["Slovenská QR platba", "QR platba", "Slovak QR payment"]),
    generic("BANK_EUR_T_OTHER", Format::Epc, TRANSFER_EUR, "sepa", ["QR platba SEPA", "SEPA platba QR kódom", "SEPA payment by QR code"]),
];

impl Method {
    /// Finds a method of this currency.
    pub(crate) fn find(id: &str, currency: Currency) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.id == id && method.format.currency() == currency)
    }

    /// Its name.
    pub(crate) const fn name(&self, language: Language) -> &'static str {
        let [czech, slovak, english] = self.names;
        match language {
            Language::Czech => czech,
            Language::Slovak => slovak,
            Language::English => english,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_the_document_names_is_there() {
        for (id, format) in [
            ("BANK_CZ_T_OTHER", Format::Spayd),
            ("BANK_CZ_T_PB", Format::Spayd),
            ("BANK_SK_T_OTHER", Format::PayBySquare),
            ("BANK_EUR_T_OTHER", Format::Epc),
        ] {
            assert_eq!(Method::find(id, format.currency()).unwrap().format, format);
        }
    }

    #[test]
    fn a_method_of_the_other_currency_is_not_found() {
        assert!(Method::find("BANK_CZ_T_OTHER", Currency::Eur).is_none());
        assert!(Method::find("BANK_EUR_T_OTHER", Currency::Czk).is_none());
    }

    #[test]
    fn no_logo_is_named_after_its_method_and_none_is_shared() {
        let mut logos: Vec<_> = METHODS.iter().map(|method| method.logo).collect();
        assert!(METHODS.iter().all(|method| !method.id.contains(method.logo)));
        logos.sort_unstable();
        logos.dedup();
        assert_eq!(logos.len(), METHODS.len());
    }
}
