//! The operator of the service: single devices and their uploads.

use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{ActionContext, ActionResult};
use crate::control::error::ControlError;
use crate::control::lookup::on_device;
use crate::device::core::debug_logs::DebugLogs;
use crate::device::core::transaction::is_card_payment;

/// The device that the action is about.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OfDevice {
    device_id: i64,
}

/// Its tokens are refused from now on.
pub(super) async fn revokes(context: ActionContext, with: OfDevice) -> ActionResult {
    on_device(&context.world, with.device_id, |device| {
        device.revoked = true;
        Ok(json!({ "deviceId": with.device_id }))
    })
}

/// The number of calls to refuse as too many.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LimitsRate {
    device_id: i64,
    #[serde(default = "once")]
    times: u32,
}

fn once() -> u32 {
    1
}

pub(super) async fn limits_rate(context: ActionContext, with: LimitsRate) -> ActionResult {
    on_device(&context.world, with.device_id, |device| {
        device.limited = with.times;
        Ok(json!({ "deviceId": with.device_id, "times": with.times }))
    })
}

/// How many days of logs support wants.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RequestsLogs {
    device_id: i64,
    days: u32,
}

pub(super) async fn requests_logs(context: ActionContext, with: RequestsLogs) -> ActionResult {
    let request_id = context.world.devices().next_request();
    on_device(&context.world, with.device_id, |device| {
        device.debug_logs = Some(DebugLogs { request_id, days: with.days });
        Ok(json!({ "requestId": request_id }))
    })
}

/// An uploaded transaction, by the client's identity.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MatchesCodes {
    device_id: i64,
    id: Value,
}

pub(super) async fn matches_codes(context: ActionContext, with: MatchesCodes) -> ActionResult {
    let (now, code) = (context.world.now(), context.world.draw_code().to_string());
    on_device(&context.world, with.device_id, |device| {
        let id = &with.id;
        let record = device.transactions.find(id);
        let record = record.ok_or_else(|| ControlError::unknown(format!("the device uploaded no transaction {id}")))?;
        if !is_card_payment(&record.fields()) {
            // The job runs, and finds nothing to match.
            return Ok(json!({}));
        }
        if !device.payment_codes.add(id.clone(), code.clone(), now) {
            return Err(ControlError::conflict(format!("the transaction {id} has a code already")));
        }
        Ok(json!({ "id": id, "paymentCode": code, "paymentCodesAt": device.payment_codes.marker() }))
    })
}

pub(super) async fn reads_transactions(context: ActionContext, with: OfDevice) -> ActionResult {
    on_device(&context.world, with.device_id, |device| Ok(json!({ "transactions": device.transactions.list() })))
}

pub(super) async fn reads_closings(context: ActionContext, with: OfDevice) -> ActionResult {
    on_device(&context.world, with.device_id, |device| Ok(json!({ "closings": device.closings.list() })))
}

pub(super) async fn reads_logs(context: ActionContext, with: OfDevice) -> ActionResult {
    on_device(&context.world, with.device_id, |device| Ok(json!({ "logs": device.logs })))
}
