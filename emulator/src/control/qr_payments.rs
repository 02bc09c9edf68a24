//! The QR payments of a world, with fields that otherwise only the merchant statement shows.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::http::{ControlResponse, Path, world_response};
use super::lookup::find_world;
use super::views::MOST_LISTED;
use crate::qr::core::{QrPayment, QrRefund};
use crate::world::Worlds;

pub(super) async fn all(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let (payments, older) = world.newest_qr_payments(MOST_LISTED, payment_view);
    world_response(&world, &json!({ "payments": payments, "older": older }))
}

pub(super) fn payment_view(payment: &QrPayment) -> Value {
    let order = &payment.order;
    json!({
        "transId": payment.id.to_string(),
        "merchantId": order.mid,
        "terminalId": order.terminal,
        "status": payment.state.as_str(),
        "paymentRejectedReason": payment.rejected_reason(),
        "test": order.test,
        "amount": order.amount,
        "currency": order.currency.as_str(),
        "method": payment.method.id,
        "refId": order.ref_id,
        "created": order.created,
        "symbol": payment.symbol,
        "clientId": order.client_id(),
        "variableSymbol": order.symbol_column(),
        "expiration": payment.expires,
        "note": payment.note,
        "refunds": payment.refunds().iter().map(refund_view).collect::<Vec<_>>(),
    })
}

fn refund_view(refund: &QrRefund) -> Value {
    json!({
        "transRefundId": refund.id.to_string(),
        "status": refund.status.as_str(),
        "refId": refund.ref_id,
        "amount": refund.amount,
    })
}
