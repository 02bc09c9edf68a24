//! Why a payment was cancelled.

use std::borrow::Cow;

/// `paymentRejectedReason`: one of the stable keys, or any other text, which clients treat as unspecified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rejection(Cow<'static, str>);

impl Rejection {
    /// The payment expired.
    pub(crate) const CUSTOMER_TIMEOUT: Self = Self(Cow::Borrowed("Customer timeout"));
    /// Through the cancel call.
    pub(crate) const BY_MERCHANT: Self = Self(Cow::Borrowed("Canceled by merchant"));
    /// The payer gave up.
    pub(crate) const BY_PAYER: Self = Self(Cow::Borrowed("Canceled by payer"));
    /// Without a known reason.
    pub(crate) const NOT_SPECIFIED: Self = Self(Cow::Borrowed("Not specified"));

    /// Any other reason.
    pub(crate) fn new(reason: String) -> Self {
        Self(Cow::Owned(reason))
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
