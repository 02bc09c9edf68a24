//! What is known once the payer has paid.

use super::Order;
use super::order::ThreeDsPreference;
use crate::base::wire_enum::wire_enum;
use crate::common::method::{Group, Method};

wire_enum! {
    /// The kind of card that a surcharge was, or was not, applied for.
    pub(crate) enum AppliedFeeType {
        EuUnregulated = "EU_UNREGULATED",
        NonEuBusiness = "NON_EU_BUSINESS",
        NonEuConsumer = "NON_EU_CONSUMER",
        /// No surcharge.
        EuConsumer = "EU_CONSUMER",
    }
}

/// The surcharge for unregulated cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AppliedFee {
    /// Minor units.
    pub(crate) amount: i32,
    /// The kind of card.
    pub(crate) kind: AppliedFeeType,
}

/// What applies of the merchant's preference for 3D Secure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreeDs {
    /// The preference was applied.
    Managed(ThreeDsPreference),
    /// A preference was sent, but the merchant's setting is off.
    NotAllowed,
}

impl ThreeDs {
    /// Decides what applies to a card payment: nothing when the setting is off and no preference was sent.
    pub(crate) fn resolve(preference: Option<ThreeDsPreference>, managed: bool) -> Option<Self> {
        match (preference, managed) {
            // Omitted, the setting of the portal applies; the emulator's portal says STANDARD.
            (preference, true) => Some(Self::Managed(preference.unwrap_or(ThreeDsPreference::Standard))),
            (Some(_), false) => Some(Self::NotAllowed),
            (None, false) => None,
        }
    }

    /// The name in a status record.
    pub(crate) const fn status_name(self) -> &'static str {
        match self {
            Self::Managed(preference) => preference.as_str(),
            Self::NotAllowed => "NOT_ALLOWED",
        }
    }

    /// The name in a notification, which has names of its own: AUTO, FAST, NOT_ALLOWED. FORCE has no counterpart
    /// there; AUTO is nearest, as 3D Secure is applied.
    pub(crate) const fn notification_name(self) -> &'static str {
        match self {
            Self::Managed(ThreeDsPreference::Standard | ThreeDsPreference::Force) => "AUTO",
            Self::Managed(ThreeDsPreference::Skip) => "FAST",
            Self::NotAllowed => "NOT_ALLOWED",
        }
    }

    /// Whether 3D Secure was applied in the end; only a skipped one is not.
    pub(crate) const fn applied(self) -> bool {
        !matches!(self, Self::Managed(ThreeDsPreference::Skip))
    }
}

/// The card of an initiation payment, shown so that the payer can recognise it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InitiationCard {
    /// First six and last four digits.
    pub(crate) number: String,
    /// Month and year, `MM/YY`.
    pub(crate) valid: String,
}

/// What the payer, the bank and the card scheme added to the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The method used.
    pub(crate) method: &'static Method,
    /// Name of the payer's account.
    pub(crate) payer_name: Option<Box<str>>,
    /// The payer's account number.
    pub(crate) payer_account: Option<Box<str>>,
    /// Surcharge, where surcharges are on.
    pub(crate) applied_fee: Option<AppliedFee>,
    /// 3D Secure, of card payments.
    pub(crate) three_ds: Option<ThreeDs>,
    /// The card, of initiation payments.
    pub(crate) card: Option<Box<InitiationCard>>,
}

impl InitiationCard {
    /// "For recurring initiation payments except Apple Pay and Google Pay."
    pub(crate) fn shown_for(order: &Order, method: &Method, variable_symbol: u32, year: i16) -> Option<Box<Self>> {
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
        assert_eq!(ThreeDs::resolve(Some(ThreeDsPreference::Skip), false), Some(ThreeDs::NotAllowed));
        assert_eq!(ThreeDs::resolve(None, false), None);
        assert_eq!(ThreeDs::resolve(None, true).map(ThreeDs::status_name), Some("STANDARD"));
    }

    #[test]
    fn notifications_have_names_of_their_own() {
        let name = |preference| ThreeDs::Managed(preference).notification_name();
        assert_eq!(ThreeDsPreference::ALL.iter().map(|p| name(*p)).collect::<Vec<_>>(), ["AUTO", "FAST", "AUTO"]);
    }
}
