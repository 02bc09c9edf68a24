//! One row of a transfer: a payment that is paid out, or a refund that is set off.

use jiff::Timestamp;

use crate::common::{CardType, Currency, Fees, Movement, TransId};
use crate::gateway::core as gateway;
use crate::gateway::core::State;
use crate::qr::core as qr;
use crate::terminal::core as terminal;

/// The `typ` of a row. 3 (monthly fee), 4 (other) and 5 (sum) are known of real transfers too; the emulator makes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Money that came.
    Payment = 1,
    /// Money that went back.
    Refund = 2,
}

/// A payment once it is paid out; amounts in minor units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its kind.
    pub(crate) kind: Kind,
    /// When the transaction was created.
    pub(crate) created: Timestamp,
    /// When it was paid.
    pub(crate) paid: Timestamp,
    /// The payment, whose twelve digits without dashes are the `ID Service`.
    pub(crate) id: TransId,
    /// How it was paid.
    pub(crate) method: &'static str,
    /// The `name` given at creation.
    pub(crate) product: Option<Box<str>>,
    /// The `label` given at creation.
    pub(crate) label: Box<str>,
    /// The payer's e-mail, or nothing.
    pub(crate) email: Box<str>,
    /// Of the payment, ten digits at most.
    pub(crate) variable_symbol: u64,
    /// The `refId` given at creation.
    pub(crate) ref_id: Box<str>,
    /// Its currency.
    pub(crate) currency: Currency,
    /// The paid amount; negative if it was returned.
    pub(crate) confirmed: i64,
    /// Its fees.
    pub(crate) fees: Fees,
    /// The card, if one was used.
    pub(crate) card: Option<CardType>,
}

/// The method of payments on a terminal; the documents name none.
const TERMINAL: &str = "CARD_TERMINAL";
/// A terminal payment has no label of its own.
const TERMINAL_LABEL: &str = "Terminal";
/// Neither has a QR payment.
const QR_LABEL: &str = "QR";

impl Row {
    /// The amount sent to the merchant's account.
    pub(crate) const fn transferred(&self) -> i64 {
        self.confirmed - self.fees.total()
    }

    /// A movement of a gateway payment; `None` if it has none of this number.
    pub(crate) fn from_gateway(payment: &gateway::Payment, movement: Movement) -> Option<Self> {
        let State::Paid { receipt, taken, refunds } = &payment.state else { return None };
        let symbol = u64::from(payment.variable_symbol);
        let card = receipt.method.is_card().then(|| CardType::for_symbol(symbol));
        let order = &payment.order;
        let row = Self {
            kind: Kind::Payment,
            created: payment.created,
            paid: movement.at,
            id: payment.id,
            method: receipt.method.id,
            product: order.name.clone(),
            label: order.label.chars().take(16).collect::<String>().into(),
            email: order.email.as_deref().unwrap_or_default().into(),
            variable_symbol: symbol,
            ref_id: order.ref_id.clone(),
            currency: order.currency,
            confirmed: *taken,
            fees: Fees::for_amount(*taken, card, payment.merchant.settings.fee.as_deref()),
            card,
        };
        let Some(earlier) = movement.number.checked_sub(1) else { return Some(row) };
        let refund = refunds.get(earlier)?;
        Some(row.undone(refund.amount, refund.at, &refund.ref_id))
    }

    /// A movement of a terminal payment. A payment that was reversed before the bank came to it is not paid out, and so
    /// its reversal isn't set off.
    pub(crate) fn from_terminal_payment(payment: &mut terminal::Payment, movement: Movement, fee: Option<&str>) -> Option<Self> {
        let (id, symbol, created) = (payment.id.trans_id(), payment.variable_symbol, payment.created);
        let terminal::payment::State::Paid(charge) = &mut payment.state else { return None };
        let card = CardType::from_number(&charge.card.number, symbol);
        let order = &payment.order;
        let row = Self {
            confirmed: order.price,
            fees: Fees::for_amount(order.price, Some(card), fee),
            ..Self::on_terminal(id, symbol, created, charge.at, &order.ref_id, order.currency, card)
        };
        match movement.number.checked_sub(1) {
            None if charge.reversed => None,
            None => {
                charge.transferred = true;
                Some(row)
            }
            Some(earlier) => {
                let returned = charge.returns.get(earlier).filter(|_| charge.transferred)?;
                Some(row.undone(returned.amount, returned.at, &order.ref_id))
            }
        }
    }

    /// A movement of a terminal refund, likewise.
    pub(crate) fn from_terminal_refund(refund: &mut terminal::Refund, movement: Movement) -> Option<Self> {
        let (id, symbol, created) = (refund.id.trans_id(), refund.variable_symbol, refund.created);
        let terminal::refund::State::Paid(payout) = &mut refund.state else { return None };
        let card = CardType::from_number(&payout.card.number, symbol);
        let order = &refund.order;
        let row = Self::on_terminal(id, symbol, created, payout.at, &order.ref_id, order.currency, card);
        match (movement.number, payout.reversed) {
            (0, None) => {
                payout.transferred = true;
                Some(row.undone(order.price, payout.at, &order.ref_id))
            }
            (1, Some(at)) if payout.transferred => Some(Self { kind: Kind::Refund, confirmed: order.price, paid: at, ..row }),
            _ => None,
        }
    }

    /// A movement of a QR payment.
    pub(crate) fn from_qr(payment: &qr::QrPayment, movement: Movement, fee: Option<&str>) -> Option<Self> {
        let qr::State::Paid { refunds } = &payment.state else { return None };
        let order = &payment.order;
        let own = order.symbol_column().and_then(|symbol| symbol.parse().ok());
        let row = Self {
            kind: Kind::Payment,
            created: payment.created,
            paid: movement.at,
            id: payment.id,
            method: payment.method.id,
            product: None,
            label: QR_LABEL.into(),
            email: Box::default(),
            variable_symbol: own.unwrap_or_else(|| u64::from(payment.symbol)),
            ref_id: order.client_id().unwrap_or_default().into(),
            currency: order.currency.into(),
            confirmed: order.amount,
            fees: Fees::for_amount(order.amount, None, fee),
            card: None,
        };
        let Some(earlier) = movement.number.checked_sub(1) else { return Some(row) };
        let refund = refunds.get(earlier)?;
        Some(row.undone(refund.amount, movement.at, refund.ref_id.as_deref().unwrap_or_default()))
    }

    fn on_terminal(
        id: TransId,
        variable_symbol: u64,
        created: Timestamp,
        paid: Timestamp,
        ref_id: &str,
        currency: terminal::Currency,
        card: CardType,
    ) -> Self {
        Self {
            kind: Kind::Payment,
            created,
            paid,
            id,
            method: TERMINAL,
            product: None,
            label: TERMINAL_LABEL.into(),
            email: Box::default(),
            variable_symbol,
            ref_id: ref_id.into(),
            currency: currency.into(),
            confirmed: 0,
            fees: Fees::default(),
            card: Some(card),
        }
    }

    /// The row of money that went back: it costs nothing.
    fn undone(self, amount: i64, at: Timestamp, ref_id: &str) -> Self {
        Self { kind: Kind::Refund, created: at, paid: at, ref_id: ref_id.into(), confirmed: -amount, fees: Fees::default(), ..self }
    }
}

#[cfg(test)]
mod tests;
