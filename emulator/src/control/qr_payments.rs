//! QR payments, as seen from outside: also what only the merchant statement would show.

use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::{Value, json};

use super::routes::{Answer, json_answer};
use super::worlds::find;
use crate::app::AppState;
use crate::qr::core::{QrPayment, QrRefund};

pub(super) async fn all(State(state): State<AppState>, Path(name): Path<String>) -> Answer {
    let payments = find(&state, &name)?.list_qr(payment_view);
    json_answer(StatusCode::OK, &json!({ "payments": payments }))
}

fn payment_view(payment: &QrPayment) -> Value {
    let order = &payment.order;
    json!({
        "transId": payment.id.to_string(),
        "merchantId": order.mid,
        "terminalId": order.terminal,
        "status": payment.state.word(),
        "paymentRejectedReason": payment.rejected_reason(),
        "test": order.test,
        "amount": order.amount,
        "currency": order.currency.word(),
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
        "status": refund.status.word(),
        "refId": refund.ref_id,
        "amount": refund.amount,
    })
}
