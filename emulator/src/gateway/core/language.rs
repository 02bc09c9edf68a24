//! Languages of the instructions to the payer, ISO 639-1.

const ALLOWED: [&str; 26] = [
    "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "it", "lt", "lv", "nl", "no", "pl", "pt", "ro", "ru", "sl",
    "sk", "sv", "uk", "vi",
];

/// The default of `lang`.
pub(crate) const DEFAULT: &str = "cs";

/// Reads an allowed language.
pub(crate) fn parse(code: &str) -> Option<&'static str> {
    ALLOWED.into_iter().find(|known| *known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_listed_languages_are_allowed() {
        assert_eq!(parse("uk"), Some("uk"));
        assert_eq!(parse("ja"), None);
        assert_eq!(parse("CS"), None);
    }
}
