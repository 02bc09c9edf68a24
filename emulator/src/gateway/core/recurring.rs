//! A recurring payment: bound to an initiation payment, run in the background without the payer.

use super::label::is_short;
use super::{Order, Payment, State, Violation, WorldRules, tolerance};
use crate::common::{Currency, Merchant, Selection};

/// A recurring payment request: its fields have the right types, and no rule is checked yet.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs, reason = "the fields are those of the document, under its names")]
pub(crate) struct Recurring<'a> {
    pub(crate) test: bool,
    pub(crate) price: Option<i64>,
    pub(crate) curr: Option<&'a str>,
    pub(crate) label: Option<&'a str>,
    pub(crate) ref_id: Option<&'a str>,
    pub(crate) account: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) init_recurring_id: Option<&'a str>,
    /// Not sent: what the world adds.
    pub(crate) rules: WorldRules,
}

/// "Minimum 10 CZK inclusive, no maximum."
const LOWEST_IN_CZK: i64 = 10 * 100;

impl Recurring<'_> {
    /// Checks what can be checked without the initiation payment.
    pub(crate) fn check(&self, merchant: &Merchant) -> Result<(), Violation> {
        if !merchant.settings.recurring {
            return Err(Violation::RecurringDisabled);
        }
        let price = self.price.ok_or(Violation::Missing("price"))?;
        let currency = self.currency()?;
        if !merchant.takes_currency(currency.as_str()) {
            return Err(Violation::UnknownCurrency);
        }
        check_price(currency, price)?;
        let label = self.label.ok_or(Violation::LabelMissing)?;
        if !self.rules.tolerant && !is_short(label, self.rules.labels_in_utf16) {
            return Err(Violation::LabelTooLong);
        }
        self.ref_id.ok_or(Violation::Missing("refId"))?;
        if self.account.is_some_and(|account| !merchant.has_account(account)) {
            return Err(Violation::UnknownAccount);
        }
        self.init_recurring_id.ok_or(Violation::Missing("initRecurringId")).map(|_| ())
    }

    /// The order of the recurring payment: what the request leaves out is taken from the initiation payment.
    pub(crate) fn order(&self, initiation: &Payment) -> Result<Order, Violation> {
        let receipt = match &initiation.state {
            State::Paid { receipt, .. } if initiation.order.init_recurring => receipt,
            _ => return Err(Violation::InitiationNotFound),
        };
        let methods = Selection::such_that(|method| method.id == receipt.method.id).without(self.rules.closed);
        if methods.is_empty() {
            return Err(Violation::MethodsOut);
        }
        let owned = |text: Option<&str>| text.map(Box::from);
        Ok(Order {
            test: self.test,
            price: self.price.unwrap_or_default(),
            currency: self.currency()?,
            label: owned(self.label).unwrap_or_default(),
            ref_id: owned(self.ref_id).unwrap_or_default(),
            account: owned(self.account),
            name: owned(self.name),
            methods,
            preauth: false,
            init_recurring: false,
            verification: false,
            ..initiation.order.clone()
        })
    }

    fn currency(&self) -> Result<Currency, Violation> {
        tolerance::currency(self.curr.ok_or(Violation::Missing("curr"))?, self.rules.tolerant).ok_or(Violation::UnknownCurrency)
    }
}

/// The document gives a minimum in CZK only; in other currencies the one of creation holds.
fn check_price(currency: Currency, price: i64) -> Result<(), Violation> {
    let lowest = if currency == Currency::Czk { LOWEST_IN_CZK } else { *currency.bounds().start() };
    if !currency.is_whole(price) {
        return Err(Violation::PriceNotWhole);
    }
    if price >= lowest { Ok(()) } else { Err(Violation::RecurringPriceTooLow) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::{merchant, merchant_with, noon};
    use crate::gateway::core::Creation;
    use crate::gateway::core::examples::{creation, payment_of};
    use crate::gateway::core::payer::Payer;

    fn request() -> Recurring<'static> {
        Recurring {
            price: Some(1_000),
            curr: Some("CZK"),
            label: Some("Again"),
            ref_id: Some("2"),
            init_recurring_id: Some("AB12-CD34-EF56"),
            ..Recurring::default()
        }
    }

    #[test]
    fn ten_crowns_are_the_minimum_and_there_is_no_maximum() {
        let priced = |price| Recurring { price: Some(price), ..request() }.check(&merchant());
        assert_eq!(priced(999), Err(Violation::RecurringPriceTooLow));
        assert_eq!(priced(1_000), Ok(()));
        assert_eq!(priced(i64::from(i32::MAX)), Ok(()));
    }

    #[test]
    fn a_recurring_payment_needs_a_paid_initiation_payment() {
        let mut initiation = payment_of(&Creation { init_recurring: true, ..creation() });
        assert_eq!(request().order(&initiation), Err(Violation::InitiationNotFound));
        initiation.pay(Payer::default(), noon()).unwrap();
        let order = request().order(&initiation).unwrap();
        assert_eq!((order.price, &*order.label, order.email.as_deref()), (1_000, "Again", Some("jan@example.com")));
        let mut ordinary = payment_of(&creation());
        ordinary.pay(Payer::default(), noon()).unwrap();
        assert_eq!(request().order(&ordinary), Err(Violation::InitiationNotFound));
    }

    #[test]
    fn an_outage_of_the_method_that_paid_the_initiation_is_one_of_the_recurring_payment() {
        let mut initiation = payment_of(&Creation { init_recurring: true, ..creation() });
        initiation.pay(Payer::default(), noon()).unwrap();
        let State::Paid { receipt, .. } = &initiation.state else { unreachable!() };
        let paid_by = Selection::such_that(|method| method.id == receipt.method.id);
        let with_closed =
            |closed| Recurring { rules: WorldRules { closed, ..WorldRules::default() }, ..request() }.order(&initiation).err();
        assert_eq!([paid_by, Selection::ALL].map(with_closed), [Some(Violation::MethodsOut); 2]);
        assert_eq!(with_closed(Selection::ALL.without(paid_by)), None);
    }

    #[test]
    fn the_service_has_to_be_enabled() {
        assert_eq!(request().check(&merchant_with(|settings| settings.recurring = false)), Err(Violation::RecurringDisabled));
    }
}
