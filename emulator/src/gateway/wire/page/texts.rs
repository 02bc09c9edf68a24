//! What the pages say, in every documented language: one file for each under `pages/texts/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::common::Method;
use crate::gateway::core::language;

/// A language and its texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageLanguage {
    /// ISO 639-1.
    pub(super) code: &'static str,
    pub(super) texts: &'static Texts,
}

/// The texts of one language. `pay` has the place `{amount}`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are their English texts, more or less")]
pub(super) struct Texts {
    title: String,
    amount: String,
    merchant: String,
    description: String,
    reference: String,
    test: String,
    preauth: String,
    choose: String,
    pub(super) cards: String,
    pub(super) banks: String,
    pub(super) later: String,
    pub(super) parts: String,
    pub(super) loans: String,
    pub(super) wallets: String,
    pay: String,
    cancel: String,
    time_left: String,
    pub(super) day: String,
    pub(super) hour: String,
    pub(super) minute: String,
    pub(super) paid: String,
    pub(super) authorized: String,
    pub(super) cancelled: String,
    pub(super) expired: String,
    back: String,
    pub(super) not_found: String,
    pub(super) not_found_detail: String,
    pub(super) refused: String,
    /// Names of methods that are no brands, by their English name.
    names: BTreeMap<String, String>,
}

impl Texts {
    /// The name of a method.
    pub(super) fn name_of<'t>(&'t self, method: &'t Method) -> &'t str {
        self.names.get(method.name).map_or(method.name, String::as_str)
    }
}

/// For browsers that ask for none of the documented languages.
const FALLBACK: &str = "en";

impl PageLanguage {
    /// The language of an order. A test checks that all documented ones are here.
    pub(super) fn from_code(code: &'static str) -> Self {
        static NOTHING: LazyLock<Texts> = LazyLock::new(Texts::default);
        match ALL.get(code) {
            Some(texts) => Self { code, texts },
            None => Self { code: FALLBACK, texts: ALL.get(FALLBACK).unwrap_or(&NOTHING) },
        }
    }

    /// The first language of an `Accept-Language` header that is a documented one.
    pub(super) fn accepted(header: &str) -> Self {
        let primary = |wish: &str| wish.trim().split(['-', ';']).next().unwrap_or_default().to_ascii_lowercase();
        let ours = header.split(',').find_map(|wish| match primary(wish).as_str() {
            "nb" | "nn" => Some("no"),
            code => language::parse(code),
        });
        Self::from_code(ours.unwrap_or(FALLBACK))
    }
}

macro_rules! files {
    ($($code:literal)+) => { [$(($code, include_str!(concat!("../../../../pages/texts/", $code, ".json")))),+] };
}

const FILES: [(&str, &str); 26] = files![
    "bg" "cs" "da" "de" "el" "en" "es" "et" "fi" "fr" "hr" "hu" "it" "lt" "lv" "nl" "no" "pl" "pt" "ro" "ru" "sl" "sk" "sv" "uk" "vi"
];

static ALL: LazyLock<BTreeMap<&str, Texts>> = LazyLock::new(|| {
    let read = |(code, file)| Some((code, serde_json::from_str(file).ok()?));
    FILES.into_iter().filter_map(read).collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::method::METHODS;

    #[test]
    fn every_documented_language_has_all_texts() {
        for (code, file) in FILES {
            assert_eq!(language::parse(code), Some(code));
            let texts: Texts = serde_json::from_str(file).unwrap_or_else(|error| panic!("{code}: {error}"));
            assert_eq!(texts.pay.matches("{amount}").count(), 1, "{code}");
            assert!(!file.contains("\"\""), "{code}: an empty text");
        }
        assert!(ALL.len() == 26 && PageLanguage::from_code("vi").code == "vi");
    }

    #[test]
    fn translated_names_are_those_of_methods() {
        for (code, texts) in ALL.iter() {
            assert!(texts.names.keys().all(|name| METHODS.iter().any(|method| method.name == name)), "{code}");
        }
        let other = Method::find("BANK_CZ_OTHER").unwrap();
        assert_eq!(
            (PageLanguage::from_code("cs").texts.name_of(other), PageLanguage::from_code("en").texts.name_of(other)),
            ("Jiná banka", "Another bank")
        );
    }

    #[test]
    fn a_browser_gets_the_first_of_its_languages_that_there_is() {
        for (header, code) in [("", "en"), ("de-AT,de;q=0.9", "de"), ("ja, sk;q=0.8, cs", "sk"), ("nb-NO", "no"), ("*", "en")] {
            assert_eq!(PageLanguage::accepted(header).code, code, "{header}");
        }
    }
}
