//! The bodies of responses. A reference that was not sent is left out of its echo; only the change of method documents a
//! null.

use jiff::Timestamp;
use serde::Serialize;

use crate::common::TransId;
use crate::qr::core::{QrPayment, QrRefund, Violation};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Created {
    trans_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_rejected_reason: Option<String>,
}

impl Created {
    pub(super) fn new(payment: &QrPayment) -> Self {
        Self {
            trans_id: payment.id.to_string(),
            ref_id: payment.order.ref_id.clone(),
            status: payment.state.as_str(),
            payment_data: payment.payment_data(),
            payment_rejected_reason: payment.rejected_reason().map(str::to_owned),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusView {
    trans_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_rejected_reason: Option<String>,
    refunds: Vec<RefundItem>,
}

/// "Data known at creation only."
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RefundItem {
    trans_refund_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    amount: i64,
}

impl StatusView {
    pub(super) fn new(payment: &QrPayment) -> Self {
        Self {
            trans_id: payment.id.to_string(),
            ref_id: payment.order.ref_id.clone(),
            status: payment.state.as_str(),
            payment_rejected_reason: payment.rejected_reason().map(str::to_owned),
            refunds: payment.refunds().iter().map(RefundItem::new).collect(),
        }
    }
}

impl RefundItem {
    fn new(refund: &QrRefund) -> Self {
        Self { trans_refund_id: refund.id.to_string(), ref_id: refund.ref_id.clone(), amount: refund.amount }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cancelled {
    trans_id: String,
    status: &'static str,
}

impl Cancelled {
    pub(super) fn new(payment: &QrPayment) -> Self {
        Self { trans_id: payment.id.to_string(), status: payment.state.as_str() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changed {
    trans_id: String,
    /// "string or null"
    ref_id: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_data: Option<String>,
    expiration: Timestamp,
}

impl Changed {
    pub(super) fn new(payment: &QrPayment) -> Self {
        Self {
            trans_id: payment.id.to_string(),
            ref_id: payment.order.ref_id.clone(),
            status: payment.state.as_str(),
            payment_data: payment.payment_data(),
            expiration: payment.expires,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Extended {
    trans_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    status: &'static str,
    expiration: Timestamp,
}

impl Extended {
    pub(super) fn new(payment: &QrPayment) -> Self {
        Self {
            trans_id: payment.id.to_string(),
            ref_id: payment.order.ref_id.clone(),
            status: payment.state.as_str(),
            expiration: payment.expires,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefundView {
    trans_refund_id: String,
    status: &'static str,
    trans_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
}

impl RefundView {
    /// The refund of this code.
    pub(super) fn find(payment: &QrPayment, id: Option<TransId>) -> Result<Self, Violation> {
        let refund = payment.refunds().iter().find(|refund| Some(refund.id) == id).ok_or(Violation::RefundNotFound)?;
        Ok(Self {
            trans_refund_id: refund.id.to_string(),
            status: refund.status.as_str(),
            trans_id: payment.id.to_string(),
            ref_id: refund.ref_id.clone(),
        })
    }
}
