//! What a merchant ordered: a payment creation request that keeps every rule.

use jiff::SignedDuration;

use super::Currency;
use super::country::Country;
use super::method::Selection;
use crate::words::words;

words! {
    /// How the goods get to the payer.
    pub enum Delivery {
        Home = "HOME_DELIVERY",
        /// All pickup places and boxes.
        Pickup = "PICKUP",
        Electronic = "ELECTRONIC_DELIVERY",
    }
}

words! {
    /// What is bought.
    pub enum Category {
        PhysicalGoodsOnly = "PHYSICAL_GOODS_ONLY",
        /// Gift cards, vouchers, services.
        Other = "OTHER",
    }
}

words! {
    /// What the merchant would like of 3D Secure.
    pub enum ThreeDsPreference {
        Standard = "STANDARD",
        Skip = "SKIP",
        Force = "FORCE",
    }
}

/// A billing or delivery address; every part may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// City.
    pub city: Option<Box<str>>,
    /// Street.
    pub street: Option<Box<str>>,
    /// Postal code.
    pub postal_code: Option<Box<str>>,
    /// ISO 3166 alpha-2.
    pub country: Option<Box<str>>,
}

/// Where the payer is sent afterwards; may hold `${id}` and `${refId}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultUrls {
    /// After a paid payment.
    pub paid: Option<Box<str>>,
    /// After a cancelled one.
    pub cancelled: Option<Box<str>>,
    /// While the result is open.
    pub pending: Option<Box<str>>,
}

/// An accepted payment creation request. What few orders have is boxed, and no text has room to grow: payments are many and
/// kept long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// No money moves.
    pub test: bool,
    /// Limits the methods offered.
    pub country: Country,
    /// Minor units.
    pub price: i64,
    /// Currency of the price.
    pub currency: Currency,
    /// 1 to 16 characters.
    pub label: Box<str>,
    /// The merchant's own reference.
    pub ref_id: Box<str>,
    /// The methods offered to the payer.
    pub methods: Selection,
    /// Payer identifier in the e-shop; no documented field of creation, but real clients send it.
    pub payer_id: Option<Box<str>>,
    /// Account to pay out to.
    pub account: Option<Box<str>>,
    /// At least one of e-mail and phone is given.
    pub email: Option<Box<str>>,
    /// With a leading plus.
    pub phone: Option<Box<str>>,
    /// First and last name of the payer; missing in tolerant worlds only.
    pub full_name: Option<Box<str>>,
    /// Billing address.
    pub billing: Option<Box<Address>>,
    /// Delivery.
    pub delivery: Option<Delivery>,
    /// Delivery address, for home delivery only.
    pub home: Option<Box<Address>>,
    /// Category.
    pub category: Option<Category>,
    /// Product identifier.
    pub name: Option<Box<str>>,
    /// ISO 639-1.
    pub language: &'static str,
    /// Reserve the amount only.
    pub preauth: bool,
    /// Initiation of recurring payments.
    pub init_recurring: bool,
    /// Verification of a card.
    pub verification: bool,
    /// How long the payment waits for its payer.
    pub expiration: SignedDuration,
    /// Result URLs.
    pub urls: Option<Box<ResultUrls>>,
    /// Pass fees of unregulated cards to the payer.
    pub charge_unregulated_card_fees: bool,
    /// Only in v2.0; omitted, the setting of the portal applies.
    pub three_ds: Option<ThreeDsPreference>,
}
