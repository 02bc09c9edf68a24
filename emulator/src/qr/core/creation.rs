//! Creation of a payment.

use jiff::{SignedDuration, Timestamp};

use super::currency::read_amount;
use super::order::Order;
use super::payment::State;
use super::time::after;
use super::{Currency, Method, QrPayment, Rejection, Violation};
use crate::base::iso8601;
use crate::common::{Identifiers, Merchant};

/// "String, up to 128 characters", and "any text up to 128 bytes".
const LONGEST_SYMBOL: usize = 128;

/// A creation request: its fields have the right types, and no rule is checked yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Creation<'a> {
    pub(crate) merchant_id: Option<&'a str>,
    pub(crate) terminal_id: Option<&'a str>,
    pub(crate) ref_id: Option<&'a str>,
    /// Minor units.
    pub(crate) amount: Option<i64>,
    pub(crate) currency: Option<&'a str>,
    pub(crate) method: Option<&'a str>,
    /// ISO 8601.
    pub(crate) created: Option<&'a str>,
    /// Entered by the operator.
    pub(crate) variable_symbol: Option<&'a str>,
    /// Whether the length of the symbol is counted in characters, not in bytes.
    pub(crate) symbol_in_characters: bool,
}

/// Checks that merchant and terminal are those of the token.
pub(crate) fn check_caller(merchant: &Merchant, merchant_id: Option<&str>, terminal_id: Option<&str>) -> Result<(), Violation> {
    let merchant_id = merchant_id.ok_or(Violation::Missing("merchantId"))?;
    let terminal_id = terminal_id.ok_or(Violation::Missing("terminalId"))?;
    let own = merchant_id == merchant.settings.mid && terminal_id == merchant.settings.qr_terminal;
    if own { Ok(()) } else { Err(Violation::ForeignMerchant) }
}

impl Creation<'_> {
    /// Creates a payment, which waits for its money as long as `waits`.
    pub(crate) fn apply(
        &self,
        merchant: &Merchant,
        waits: SignedDuration,
        ids: Identifiers,
        now: Timestamp,
    ) -> Result<QrPayment, Violation> {
        check_caller(merchant, self.merchant_id, self.terminal_id)?;
        let amount = read_amount(self.amount)?;
        let currency = Currency::read(self.currency)?;
        let method = Method::find(self.method.ok_or(Violation::Missing("method"))?, currency).ok_or(Violation::UnknownMethod)?;
        if !merchant.takes_currency(currency.as_str()) {
            return Err(Violation::UnknownCurrency);
        }
        if !merchant.offers_by_qr(method.id) {
            return Err(Violation::UnknownMethod);
        }
        if !method.amounts.contains(&amount) {
            return Err(Violation::AmountUnsupported);
        }
        self.check_texts()?;
        let order = self.order(merchant, amount, currency);
        Ok(QrPayment {
            id: ids.id,
            sequence: ids.sequence,
            symbol: ids.variable_symbol,
            order,
            method,
            created: now,
            expires: after(now, waits),
            extended: false,
            note: None,
            state: merchant
                .settings
                .qr_rejects
                .clone()
                .map_or(State::Pending, |reason| State::Cancelled { reason: Rejection::new(reason) }),
        })
    }

    fn check_texts(&self) -> Result<(), Violation> {
        let symbol = self.variable_symbol.unwrap_or_default();
        let length = if self.symbol_in_characters { symbol.chars().count() } else { symbol.len() };
        if length > LONGEST_SYMBOL {
            return Err(Violation::VariableSymbolTooLong);
        }
        if symbol.contains('\0') {
            return Err(Violation::VariableSymbolWithNul);
        }
        if self.created.is_some_and(|created| !iso8601::is_date_time(created)) {
            return Err(Violation::CreatedMalformed);
        }
        Ok(())
    }

    fn order(&self, merchant: &Merchant, amount: i64, currency: Currency) -> Order {
        Order {
            merchant: merchant.id().to_owned(),
            mid: merchant.settings.mid.clone(),
            terminal: merchant.settings.qr_terminal.clone(),
            test: merchant.settings.qr_test,
            ref_id: self.ref_id.map(str::to_owned),
            amount,
            currency,
            created: self.created.map(str::to_owned),
            variable_symbol: self.variable_symbol.map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::{merchant_with, noon};
    use crate::qr::core::examples::{creation, ids, merchant, payment_of, seconds};

    fn refusal(request: Creation<'_>) -> Violation {
        request.apply(&merchant(true), seconds(900), ids(), noon()).unwrap_err()
    }

    #[test]
    fn a_payment_is_pending_with_what_was_ordered() {
        let payment = payment_of(&creation(), true);
        assert_eq!(payment.state, State::Pending);
        assert_eq!((payment.order.amount, payment.order.currency, payment.method.id), (10_000, Currency::Czk, "BANK_CZ_T_OTHER"));
        assert_eq!((payment.order.ref_id.as_deref(), payment.order.client_id()), (Some("2026001"), Some("2026001")));
    }

    #[test]
    fn a_payment_that_is_rejected_at_once_has_a_reason_and_nothing_to_draw() {
        let merchant = merchant_with(|settings| settings.qr_rejects = Some("Fraud suspected".to_owned()));
        let payment = creation().apply(&merchant, seconds(900), ids(), noon()).unwrap();
        assert_eq!((payment.rejected_reason(), payment.payment_data()), (Some("Fraud suspected"), None));
    }

    #[test]
    fn required_fields_are_required() {
        for (name, request) in [
            ("merchantId", Creation { merchant_id: None, ..creation() }),
            ("terminalId", Creation { terminal_id: None, ..creation() }),
            ("amount", Creation { amount: None, ..creation() }),
            ("currency", Creation { currency: None, ..creation() }),
            ("method", Creation { method: None, ..creation() }),
        ] {
            assert_eq!(refusal(request), Violation::Missing(name));
        }
    }

    #[test]
    fn merchant_and_terminal_are_those_of_the_token() {
        assert_eq!(refusal(Creation { merchant_id: Some("M2"), ..creation() }), Violation::ForeignMerchant);
        assert_eq!(refusal(Creation { terminal_id: Some("Q2"), ..creation() }), Violation::ForeignMerchant);
    }

    #[test]
    fn the_method_is_offered_in_the_currency_and_carries_the_amount() {
        assert_eq!(refusal(Creation { method: Some("NOPE"), ..creation() }), Violation::UnknownMethod);
        assert_eq!(refusal(Creation { method: Some("BANK_SK_T_OTHER"), ..creation() }), Violation::UnknownMethod);
        let by_bank = |amount| Creation { method: Some("BANK_CZ_T_PB"), amount: Some(amount), ..creation() };
        assert_eq!(payment_of(&by_bank(40_000_000), true).method.id, "BANK_CZ_T_PB");
        assert_eq!(refusal(by_bank(40_000_001)), Violation::AmountUnsupported);
    }

    #[test]
    fn a_variable_symbol_has_up_to_128_bytes_without_nul() {
        let with = |symbol| Creation { variable_symbol: Some(symbol), ..creation() };
        let (longest, bytes) = ("x".repeat(128), "š".repeat(64));
        for fits in [longest.as_str(), bytes.as_str(), "any text, ěšč"] {
            assert_eq!(payment_of(&with(fits), true).order.variable_symbol.as_deref(), Some(fits));
        }
        let (longer, more_bytes) = ("x".repeat(129), "š".repeat(65));
        assert_eq!(refusal(with(&longer)), Violation::VariableSymbolTooLong);
        assert_eq!(refusal(with(&more_bytes)), Violation::VariableSymbolTooLong);
        assert_eq!(refusal(with("1\u{0}2")), Violation::VariableSymbolWithNul);
        let in_characters = |symbol| Creation { symbol_in_characters: true, ..with(symbol) };
        assert!(payment_of(&in_characters(&more_bytes), true).order.variable_symbol.is_some());
        assert_eq!(refusal(in_characters(&longer)), Violation::VariableSymbolTooLong);
    }

    #[test]
    fn the_operators_symbol_stands_on_the_statement_and_up_to_ten_digits_in_their_column() {
        let order = |symbol| payment_of(&Creation { variable_symbol: Some(symbol), ..creation() }, true).order;
        assert_eq!(order("1234567890").client_id(), Some("1234567890"));
        assert_eq!(order("1234567890").symbol_column(), Some("1234567890"));
        assert_eq!(order("12345678901").symbol_column(), None);
        assert_eq!(order("12a").symbol_column(), None);
        assert_eq!(order("12a").ref_id.as_deref(), Some("2026001"), "the reference is kept");
    }

    #[test]
    fn created_is_a_time() {
        assert_eq!(refusal(Creation { created: Some("yesterday"), ..creation() }), Violation::CreatedMalformed);
        assert!(payment_of(&Creation { created: Some("2026-01-15T12:00:00+01:00"), ..creation() }, true).order.created.is_some());
    }
}
