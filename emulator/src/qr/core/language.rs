//! The languages of method names.

use super::Violation;
use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// "Language of method names: cs, sk, en."
    pub(crate) enum Language {
        Czech = "cs",
        Slovak = "sk",
        English = "en",
    }
}

impl Language {
    /// "Default cs."
    pub(crate) fn read(word: Option<&str>) -> Result<Self, Violation> {
        word.map_or(Some(Self::Czech), Self::parse).ok_or(Violation::UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn czech_is_the_default_and_others_than_three_are_refused() {
        assert_eq!(Language::read(None), Ok(Language::Czech));
        assert_eq!(Language::read(Some("sk")), Ok(Language::Slovak));
        assert_eq!(Language::read(Some("de")), Err(Violation::UnknownLanguage));
    }
}
