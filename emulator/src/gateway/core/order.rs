//! What a merchant ordered: a payment creation request that keeps every rule.

use jiff::SignedDuration;

use crate::base::wire_enum::wire_enum;
use crate::common::{Country, Currency, Selection};

wire_enum! {
    /// How the goods get to the payer.
    pub(crate) enum Delivery {
        Home = "HOME_DELIVERY",
        /// All pickup places and boxes.
        Pickup = "PICKUP",
        Electronic = "ELECTRONIC_DELIVERY",
    }
}

wire_enum! {
    /// What is bought.
    pub(crate) enum Category {
        PhysicalGoodsOnly = "PHYSICAL_GOODS_ONLY",
        /// Gift cards, vouchers, services.
        Other = "OTHER",
    }
}

wire_enum! {
    /// The merchant's preference for 3D Secure.
    pub(crate) enum ThreeDsPreference {
        Standard = "STANDARD",
        Skip = "SKIP",
        Force = "FORCE",
    }
}

/// A billing or delivery address; every part may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Address {
    /// City.
    pub(crate) city: Option<Box<str>>,
    /// Street.
    pub(crate) street: Option<Box<str>>,
    /// Postal code.
    pub(crate) postal_code: Option<Box<str>>,
    /// ISO 3166 alpha-2.
    pub(crate) country: Option<Box<str>>,
}

/// Where the payer is sent afterwards; may hold `${id}` and `${refId}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResultUrls {
    /// After a paid payment.
    pub(crate) paid: Option<Box<str>>,
    /// After a cancelled one.
    pub(crate) cancelled: Option<Box<str>>,
    /// While the result is open.
    pub(crate) pending: Option<Box<str>>,
}

/// An accepted payment creation request. Rare parts are boxed, and texts have no spare capacity, because many payments are
/// kept for long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    /// No money moves.
    pub(crate) test: bool,
    /// Limits the methods offered.
    pub(crate) country: Country,
    /// Minor units.
    pub(crate) price: i64,
    /// Currency of the price.
    pub(crate) currency: Currency,
    /// 1 to 16 characters.
    pub(crate) label: Box<str>,
    /// The merchant's own reference.
    pub(crate) ref_id: Box<str>,
    /// The methods offered to the payer.
    pub(crate) methods: Selection,
    /// Payer identifier in the e-shop; no documented field of creation, but real clients send it.
    pub(crate) payer_id: Option<Box<str>>,
    /// Account to pay out to.
    pub(crate) account: Option<Box<str>>,
    /// At least one of e-mail and phone is given.
    pub(crate) email: Option<Box<str>>,
    /// With a leading plus.
    pub(crate) phone: Option<Box<str>>,
    /// First and last name of the payer; missing in tolerant worlds only.
    pub(crate) full_name: Option<Box<str>>,
    /// Billing address.
    pub(crate) billing: Option<Box<Address>>,
    /// Delivery.
    pub(crate) delivery: Option<Delivery>,
    /// Delivery address, for home delivery only.
    pub(crate) home: Option<Box<Address>>,
    /// Category.
    pub(crate) category: Option<Category>,
    /// Product identifier.
    pub(crate) name: Option<Box<str>>,
    /// ISO 639-1.
    pub(crate) language: &'static str,
    /// Reserve the amount only.
    pub(crate) preauth: bool,
    /// Initiation of recurring payments.
    pub(crate) init_recurring: bool,
    /// Verification of a card.
    pub(crate) verification: bool,
    /// How long the payment waits for its payer.
    pub(crate) expiration: SignedDuration,
    /// Result URLs.
    pub(crate) urls: Option<Box<ResultUrls>>,
    /// Pass fees of unregulated cards to the payer.
    pub(crate) charge_unregulated_card_fees: bool,
    /// Only in v2.0; omitted, the setting of the portal applies.
    pub(crate) three_ds: Option<ThreeDsPreference>,
}
