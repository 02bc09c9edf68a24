//! The two-digit device codes inside document numbers.

use std::collections::BTreeSet;

/// The code of one connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum DocumentCode {
    /// Assigned at activation.
    #[default]
    Open,
    /// Not assigned, and not going to be: the register chooses one.
    Withheld,
    /// "Never changed."
    Assigned(String),
}

impl DocumentCode {
    /// The value in the configuration.
    pub(crate) fn shown(&self) -> Option<&str> {
        match self {
            Self::Assigned(code) => Some(code),
            Self::Open | Self::Withheld => None,
        }
    }
}

/// The codes given out within an organization.
#[derive(Debug, Default)]
pub(crate) struct DocumentCodes(BTreeSet<u8>);

impl DocumentCodes {
    /// "Assigned by the server as free within the organization": the lowest one, or none when all 99 are taken.
    pub(crate) fn assign(&mut self) -> DocumentCode {
        let Some(free) = (1..=99).find(|code| !self.0.contains(code)) else { return DocumentCode::Withheld };
        self.0.insert(free);
        DocumentCode::Assigned(format!("{free:02}"))
    }

    /// Gives out a code of the operator's choice; `None` if it isn't two digits, or is taken.
    pub(crate) fn choose(&mut self, code: &str) -> Option<DocumentCode> {
        let digits = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_digit());
        let number = code.parse().ok().filter(|_| digits)?;
        self.0.insert(number).then(|| DocumentCode::Assigned(code.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_codes_are_given_out_until_there_are_none() {
        let mut codes = DocumentCodes::default();
        assert_eq!(codes.choose("02").unwrap().shown(), Some("02"));
        assert_eq!(codes.assign().shown(), Some("01"));
        assert_eq!(codes.assign().shown(), Some("03"));
        let rest: Vec<_> = (4..=99).map(|_| codes.assign()).collect();
        assert_eq!(rest.last().unwrap().shown(), Some("99"));
        assert_eq!(codes.assign(), DocumentCode::Withheld);
    }

    #[test]
    fn a_chosen_code_is_two_free_digits() {
        let mut codes = DocumentCodes::default();
        for wrong in ["", "1", "001", "+1", "a1"] {
            assert_eq!(codes.choose(wrong), None, "{wrong}");
        }
        assert!(codes.choose("00").is_some());
        assert_eq!(codes.choose("00"), None);
    }
}
