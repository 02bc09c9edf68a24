//! Requests to a terminal, and what they order if they keep every rule.

use super::{Currency, Violation};
use crate::common::email::is_email;

/// A payment request: its fields have the right types, and no rule is checked yet. Fields sent empty are `None`.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs, reason = "the fields are those of the document, under its names")]
pub(crate) struct PaymentRequest<'a> {
    pub(crate) price: Option<i64>,
    pub(crate) tip: Option<i64>,
    pub(crate) curr: Option<&'a str>,
    pub(crate) ref_id: Option<&'a str>,
}

/// An accepted payment request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PaymentOrder {
    /// Minor units, the tip included.
    pub(crate) price: i64,
    /// Minor units, lower than the price.
    pub(crate) tip: Option<i64>,
    /// Currency of both.
    pub(crate) currency: Currency,
    /// The merchant's own reference, or nothing.
    pub(crate) ref_id: Box<str>,
}

impl PaymentRequest<'_> {
    /// Checks every rule.
    pub(crate) fn order(&self) -> Result<PaymentOrder, Violation> {
        let (price, currency) = checked_price(self.price, self.curr)?;
        match self.tip {
            Some(tip) if tip < 0 => return Err(Violation::TipMalformed),
            Some(tip) if tip >= price => return Err(Violation::TipNotLower),
            Some(_) | None => {}
        }
        Ok(PaymentOrder { price, tip: self.tip, currency, ref_id: self.ref_id.unwrap_or_default().into() })
    }
}

/// A refund request: its fields have the right types, and no rule is checked yet. Its e-mail, where the payer is notified, is no part of
/// the order: who creates the refund sends the mail.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs, reason = "the fields are those of the document, under its names")]
pub(crate) struct RefundRequest<'a> {
    pub(crate) price: Option<i64>,
    pub(crate) curr: Option<&'a str>,
    pub(crate) ref_id: Option<&'a str>,
    pub(crate) email: Option<&'a str>,
}

/// An accepted refund request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefundOrder {
    /// Minor units.
    pub(crate) price: i64,
    /// Its currency.
    pub(crate) currency: Currency,
    /// The merchant's own reference, or nothing.
    pub(crate) ref_id: Box<str>,
}

impl RefundRequest<'_> {
    /// Checks every rule.
    pub(crate) fn order(&self) -> Result<RefundOrder, Violation> {
        let (price, currency) = checked_price(self.price, self.curr)?;
        check_email(self.email)?;
        Ok(RefundOrder { price, currency, ref_id: self.ref_id.unwrap_or_default().into() })
    }
}

fn checked_price(price: Option<i64>, curr: Option<&str>) -> Result<(i64, Currency), Violation> {
    let price = price.ok_or(Violation::Missing("price"))?;
    let currency = Currency::parse(curr.ok_or(Violation::Missing("curr"))?).ok_or(Violation::UnknownCurrency)?;
    if currency.allows(price) { Ok((price, currency)) } else { Err(Violation::PriceOutOfBounds(currency)) }
}

/// Checks an optional e-mail.
pub(crate) fn check_email(email: Option<&str>) -> Result<(), Violation> {
    if email.is_none_or(is_email) { Ok(()) } else { Err(Violation::Malformed("email")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> PaymentRequest<'static> {
        PaymentRequest { price: Some(10_000), curr: Some("CZK"), ..PaymentRequest::default() }
    }

    #[test]
    fn a_tip_is_lower_than_the_price() {
        let tipped = |tip| PaymentRequest { tip: Some(tip), ..request() }.order().map(|order| order.tip);
        assert_eq!((tipped(0), tipped(9_999)), (Ok(Some(0)), Ok(Some(9_999))));
        assert_eq!((tipped(10_000), tipped(10_001)), (Err(Violation::TipNotLower), Err(Violation::TipNotLower)));
        assert_eq!(tipped(-1), Err(Violation::TipMalformed));
    }

    #[test]
    fn price_and_currency_are_required() {
        assert_eq!(PaymentRequest { price: None, ..request() }.order(), Err(Violation::Missing("price")));
        assert_eq!(PaymentRequest { curr: None, ..request() }.order(), Err(Violation::Missing("curr")));
        for unknown in ["USD", "czk", "CZ"] {
            assert_eq!(PaymentRequest { curr: Some(unknown), ..request() }.order(), Err(Violation::UnknownCurrency), "{unknown}");
        }
    }

    #[test]
    fn a_missing_reference_is_an_empty_one() {
        assert_eq!(&*request().order().unwrap().ref_id, "");
    }

    #[test]
    fn an_email_has_two_halves() {
        let refund = |email| RefundRequest { price: Some(100), curr: Some("CZK"), email, ref_id: None }.order();
        assert!(refund(None).is_ok() && refund(Some("jan@example.com")).is_ok());
        for wrong in ["jan", "@example.com", "jan@", "a@b@c", "jan novak@example.com"] {
            assert_eq!(refund(Some(wrong)), Err(Violation::Malformed("email")), "{wrong}");
        }
    }
}
