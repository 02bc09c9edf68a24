//! The actions of the payer on the payment page.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::payment::{AUTHORIZED, COMPLETED};
use super::receipt::{AppliedFee, AppliedFeeType, InitiationCard, Receipt, ThreeDs};
use super::{Effect, Payment, Reason, State, Violation};
use crate::common::method::{Group, Method};

/// How the payer pays; what is `None` gets a default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Payer {
    /// One of the methods offered; default: the first of them.
    pub(crate) method: Option<&'static Method>,
    /// Name of the account; default: the full name of the order.
    pub(crate) name: Option<String>,
    /// Number of the account.
    pub(crate) account: Option<String>,
    /// Surcharge of an unregulated card; default: none was due.
    pub(crate) applied_fee: Option<AppliedFee>,
}

impl Payment {
    /// The payer completes the payment: it is paid, or authorized if it was created with preauth=true.
    pub(crate) fn pay(&mut self, payer: Payer, now: Timestamp) -> Result<&'static [Effect], Violation> {
        self.check_pending()?;
        let receipt = self.receipt(payer, now)?;
        if self.order.preauth {
            self.state = State::Authorized { receipt };
            return Ok(AUTHORIZED);
        }
        self.state = State::Paid { receipt, taken: self.order.price, refunds: Vec::new() };
        Ok(COMPLETED)
    }

    /// The payer or the provider fails.
    pub(crate) fn fail(&mut self, reason: Reason) -> Result<&'static [Effect], Violation> {
        self.check_pending()?;
        self.state = State::Cancelled { reason };
        Ok(COMPLETED)
    }

    fn receipt(&self, payer: Payer, now: Timestamp) -> Result<Box<Receipt>, Violation> {
        let method = payer.method.or_else(|| self.order.methods.methods().next()).ok_or(Violation::MethodNone)?;
        if !self.order.methods.contains(method) {
            return Err(Violation::MethodNotAllowed);
        }
        let settings = &self.merchant.settings;
        let three_ds = if method.is_card() { ThreeDs::resolve(self.order.three_ds, settings.three_ds) } else { None };
        Ok(Box::new(Receipt {
            method,
            payer_name: payer.name.map(Box::from).or_else(|| self.order.full_name.clone()),
            payer_account: payer.account.map(Box::from),
            applied_fee: self.applied_fee(method, payer.applied_fee)?,
            three_ds,
            card: InitiationCard::shown_for(&self.order, method, self.variable_symbol, now.to_zoned(TimeZone::UTC).year()),
        }))
    }

    fn applied_fee(&self, method: &Method, asked: Option<AppliedFee>) -> Result<Option<AppliedFee>, Violation> {
        let surcharged = self.order.charge_unregulated_card_fees && matches!(method.group, Group::Card | Group::CardWallet);
        match asked {
            Some(_) if !surcharged => Err(Violation::FeesNotApproved),
            Some(fee) => Ok(Some(fee)),
            None => Ok(surcharged.then_some(AppliedFee { amount: 0, kind: AppliedFeeType::EuConsumer })),
        }
    }
}
