//! What is known once the payer has paid.

use super::Order;
use super::method::{Group, Method};
use super::order::ThreeDsPreference;
use crate::words::words;

words! {
    /// The kind of card that a surcharge was, or was not, applied for.
    pub enum AppliedFeeType {
        EuUnregulated = "EU_UNREGULATED",
        NonEuBusiness = "NON_EU_BUSINESS",
        NonEuConsumer = "NON_EU_CONSUMER",
        /// No surcharge.
        EuConsumer = "EU_CONSUMER",
    }
}

/// The surcharge for unregulated cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedFee {
    /// Minor units.
    pub amount: i32,
    /// The kind of card.
    pub kind: AppliedFeeType,
}

/// What came of the merchant's wish for 3D Secure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreeDs {
    /// The preference was applied.
    Managed(ThreeDsPreference),
    /// A preference was sent, but the merchant's setting is off.
    NotAllowed,
}

impl ThreeDs {
    /// What applies to a card payment; nothing when the setting is off and no preference was sent.
    pub fn of(preference: Option<ThreeDsPreference>, managed: bool) -> Option<Self> {
        match (preference, managed) {
            // Omitted, the setting of the portal applies; the emulator's portal says STANDARD.
            (wish, true) => Some(Self::Managed(wish.unwrap_or(ThreeDsPreference::Standard))),
            (Some(_), false) => Some(Self::NotAllowed),
            (None, false) => None,
        }
    }

    /// The word in a status record.
    pub const fn status_word(self) -> &'static str {
        match self {
            Self::Managed(preference) => preference.word(),
            Self::NotAllowed => "NOT_ALLOWED",
        }
    }

    /// The word in a notification, which has words of its own: AUTO, FAST, NOT_ALLOWED. FORCE has no counterpart
    /// there; AUTO is nearest, as 3D Secure is applied.
    pub const fn notification_word(self) -> &'static str {
        match self {
            Self::Managed(ThreeDsPreference::Standard | ThreeDsPreference::Force) => "AUTO",
            Self::Managed(ThreeDsPreference::Skip) => "FAST",
            Self::NotAllowed => "NOT_ALLOWED",
        }
    }

    /// Whether 3D Secure was applied in the end; only a skipped one is not.
    pub const fn applied(self) -> bool {
        !matches!(self, Self::Managed(ThreeDsPreference::Skip))
    }
}

/// The card of an initiation payment, told so that the payer can recognise it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// First six and last four digits.
    pub number: String,
    /// Month and year, `MM/YY`.
    pub valid: String,
}

/// What the payer, the bank and the card scheme added to the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The method used.
    pub method: &'static Method,
    /// Name of the payer's account.
    pub payer_name: Option<Box<str>>,
    /// The payer's account number.
    pub payer_account: Option<Box<str>>,
    /// Surcharge, where surcharges are on.
    pub applied_fee: Option<AppliedFee>,
    /// 3D Secure, of card payments.
    pub three_ds: Option<ThreeDs>,
    /// The card, of initiation payments.
    pub card: Option<Box<Card>>,
}

impl Card {
    /// "For recurring initiation payments except Apple Pay and Google Pay."
    pub fn shown_for(order: &Order, method: &Method, variable_symbol: u32, year: i16) -> Option<Box<Self>> {
        if !order.init_recurring || method.group != Group::Card {
            return None;
        }
        let last_four = variable_symbol % 10_000;
        Some(Box::new(Self { number: format!("516844******{last_four:04}"), valid: format!("12/{:02}", (year + 3) % 100) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_against_the_setting_is_not_allowed() {
        assert_eq!(ThreeDs::of(Some(ThreeDsPreference::Skip), false), Some(ThreeDs::NotAllowed));
        assert_eq!(ThreeDs::of(None, false), None);
        assert_eq!(ThreeDs::of(None, true).map(ThreeDs::status_word), Some("STANDARD"));
    }

    #[test]
    fn notifications_have_words_of_their_own() {
        let word = |preference| ThreeDs::Managed(preference).notification_word();
        assert_eq!(ThreeDsPreference::ALL.iter().map(|p| word(*p)).collect::<Vec<_>>(), ["AUTO", "FAST", "AUTO"]);
    }
}
