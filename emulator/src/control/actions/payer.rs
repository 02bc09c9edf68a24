//! The payer on the payment page.

use serde::Deserialize;
use serde_json::json;

use super::{At, ControlError, Outcome, list, qr_payer};
use crate::control::error::read_trans_id;
use crate::gateway::core::method::Method;
use crate::gateway::core::payer::Payer;
use crate::gateway::core::receipt::{AppliedFee, AppliedFeeType};
use crate::gateway::core::{Effect, Payment, Reason, Violation};
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

pub(super) async fn pays(at: At, with: Pays) -> Outcome {
    if let Some(done) = qr_payer::decides(&at, &with.trans_id, QrPayment::pay) {
        return done;
    }
    let payer = Payer {
        method: with.method.as_deref().map(method).transpose()?,
        applied_fee: applied_fee(with.applied_fee, with.applied_fee_type.as_deref())?,
        name: with.payer_name,
        account: with.payer_acc,
    };
    change(&at, &with.trans_id, |payment, now| payment.pay(payer, now))
}

fn method(id: &str) -> Result<&'static Method, ControlError> {
    Method::find(id).ok_or_else(|| ControlError::bad(format!("there is no payment method `{id}`")))
}

fn applied_fee(amount: Option<i32>, kind: Option<&str>) -> Result<Option<AppliedFee>, ControlError> {
    match (amount, kind) {
        (None, None) => Ok(None),
        (amount, kind) => {
            let kind = AppliedFeeType::parse(kind.unwrap_or("EU_UNREGULATED")).ok_or_else(|| {
                ControlError::bad(format!("appliedFeeType is one of {}", list(AppliedFeeType::ALL, AppliedFeeType::word)))
            })?;
            Ok(Some(AppliedFee { amount: amount.unwrap_or(0), kind }))
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

pub(super) async fn fails(at: At, with: Fails) -> Outcome {
    if let Some(done) = qr_payer::decides(&at, &with.trans_id, |payment| payment.reject(Rejection::told(with.reason.clone()))) {
        return done;
    }
    let reason =
        Reason::parse(&with.reason).ok_or_else(|| ControlError::bad(format!("reason is one of {}", list(Reason::ALL, Reason::word))))?;
    change(&at, &with.trans_id, |payment, _| payment.fail(reason))
}

/// The payment the payer gives up.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Cancels {
    trans_id: String,
}

pub(super) async fn cancels(at: At, with: Cancels) -> Outcome {
    if let Some(done) = qr_payer::decides(&at, &with.trans_id, |payment| payment.reject(Rejection::BY_PAYER)) {
        return done;
    }
    change(&at, &with.trans_id, |payment, _| payment.fail(Reason::CustomerClick))
}

fn change(at: &At, trans_id: &str, deed: impl FnOnce(&mut Payment, jiff::Timestamp) -> Result<&'static [Effect], Violation>) -> Outcome {
    let done = at.world.with_payment(read_trans_id(trans_id)?, |payment, now| match deed(payment, now) {
        Ok(effects) => (Ok(payment.state.word()), effects),
        Err(violation) => (Err(conflict(payment, violation)), <&[_]>::default()),
    });
    let status = done.ok_or_else(|| ControlError::unknown_payment(trans_id))??;
    Ok(json!({ "transId": trans_id, "status": status }))
}

fn conflict(payment: &Payment, violation: Violation) -> ControlError {
    let (_, sentence) = violation.ruling();
    ControlError::conflict(format!("{sentence}: {} is {}", payment.id, payment.state.word()))
}
