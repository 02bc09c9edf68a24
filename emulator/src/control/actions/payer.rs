//! The payer on the payment page.

use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult, list};
use super::qr_payer;
use crate::common::Method;
use crate::control::error::ControlError;
use crate::control::lookup::read_trans_id;
use crate::gateway::core::payer::Payer;
use crate::gateway::core::receipt::{AppliedFee, AppliedFeeType};
use crate::gateway::core::{Effect, NOTHING, Payment, Reason, State, Violation};
use crate::qr::core::{QrPayment, Rejection};

/// How the payer pays; all but the payment is optional.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Pays {
    trans_id: String,
    method: Option<String>,
    payer_name: Option<String>,
    payer_acc: Option<String>,
    applied_fee: Option<i32>,
    applied_fee_type: Option<String>,
}

pub(super) async fn pays(context: ActionContext, with: Pays) -> ActionResult {
    if let Some(done) = qr_payer::decides(&context, &with.trans_id, QrPayment::pay) {
        return done;
    }
    let payer = Payer {
        method: with.method.as_deref().map(method).transpose()?,
        applied_fee: applied_fee(with.applied_fee, with.applied_fee_type.as_deref())?,
        name: with.payer_name,
        account: with.payer_acc,
    };
    change(&context, &with.trans_id, |payment, now| payment.pay(payer, now))
}

fn method(id: &str) -> Result<&'static Method, ControlError> {
    Method::find(id).ok_or_else(|| ControlError::bad(format!("there is no payment method `{id}`")))
}

fn applied_fee(amount: Option<i32>, kind: Option<&str>) -> Result<Option<AppliedFee>, ControlError> {
    match (amount, kind) {
        (None, None) => Ok(None),
        (amount, kind) => {
            let kind = AppliedFeeType::parse(kind.unwrap_or("EU_UNREGULATED")).ok_or_else(|| {
                ControlError::bad(format!("appliedFeeType is one of {}", list(AppliedFeeType::ALL, AppliedFeeType::as_str)))
            })?;
            let amount = amount.unwrap_or(0);
            if kind == AppliedFeeType::EuConsumer && amount != 0 {
                return Err(ControlError::bad(
                    "a card of EU_CONSUMER bears no surcharge: leave appliedFee out, or state another appliedFeeType",
                ));
            }
            Ok(Some(AppliedFee { amount, kind }))
        }
    }
}

/// Why the payment fails, in the words of `paymentErrorReason`; of a QR payment, in any words.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Fails {
    trans_id: String,
    reason: String,
}

pub(super) async fn fails(context: ActionContext, with: Fails) -> ActionResult {
    if let Some(done) = qr_payer::decides(&context, &with.trans_id, |payment| payment.reject(Rejection::new(with.reason.clone()))) {
        return done;
    }
    let reason =
        Reason::parse(&with.reason).ok_or_else(|| ControlError::bad(format!("reason is one of {}", list(Reason::ALL, Reason::as_str))))?;
    change(&context, &with.trans_id, |payment, _| payment.fail(reason))
}

/// The payment the payer gives up.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Cancels {
    trans_id: String,
}

pub(super) async fn cancels(context: ActionContext, with: Cancels) -> ActionResult {
    if let Some(done) = qr_payer::decides(&context, &with.trans_id, |payment| payment.reject(Rejection::BY_PAYER)) {
        return done;
    }
    change(&context, &with.trans_id, |payment, _| payment.fail(Reason::CustomerClick))
}

/// The cancelled payment that the payer tries to pay all the same.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PaysLate {
    trans_id: String,
}

/// No transition leads out of CANCELLED, so it changes nothing.
pub(super) async fn pays_late(context: ActionContext, with: PaysLate) -> ActionResult {
    if let Some(done) = qr_payer::pays_late(&context, &with.trans_id) {
        return done;
    }
    let done = context.world.read_payment(read_trans_id(&with.trans_id)?, |payment, _| {
        qr_payer::late_for(&with.trans_id, payment.state.as_str(), matches!(payment.state, State::Cancelled { .. }))
    });
    done.ok_or_else(|| ControlError::unknown_payment(&with.trans_id))?
}

fn change(
    context: &ActionContext,
    trans_id: &str,
    action: impl FnOnce(&mut Payment, jiff::Timestamp) -> Result<&'static [Effect], Violation>,
) -> ActionResult {
    let done = context.world.with_payment(read_trans_id(trans_id)?, |payment, now| match action(payment, now) {
        Ok(effects) => (Ok(payment.state.as_str()), effects),
        Err(violation) => (Err(conflict(payment, violation)), NOTHING),
    });
    let status = done.ok_or_else(|| ControlError::unknown_payment(trans_id))??;
    Ok(json!({ "transId": trans_id, "status": status }))
}

fn conflict(payment: &Payment, violation: Violation) -> ControlError {
    let (_, sentence) = violation.ruling();
    ControlError::conflict(format!("{sentence}: {} is {}", payment.id, payment.state.as_str()))
}

/// The address that is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadsMail {
    email: String,
}

/// The mail to a payer about refunds and cancellations.
pub(super) async fn reads_mail(context: ActionContext, with: ReadsMail) -> ActionResult {
    let emails = context.world.payer_mail(&with.email);
    let mail: Vec<_> = emails.iter().map(|email| json!({ "to": email.to, "kind": email.kind, "transId": email.trans_id })).collect();
    Ok(json!({ "count": mail.len(), "mail": mail }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_of_eu_consumer_bears_no_surcharge() {
        let amount = |amount, kind| applied_fee(amount, Some(kind)).ok().flatten().map(|fee| fee.amount);
        assert_eq!(amount(Some(150), "EU_UNREGULATED"), Some(150));
        assert_eq!([amount(None, "EU_CONSUMER"), amount(Some(0), "EU_CONSUMER")], [Some(0), Some(0)]);
        assert_eq!(amount(Some(150), "EU_CONSUMER"), None);
    }
}
