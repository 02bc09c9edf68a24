//! The operator of the service: single devices, and what they uploaded.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{At, ControlError, Outcome};
use crate::device::core::Device;
use crate::device::core::debug_logs::DebugLogs;
use crate::device::core::transaction::is_card_payment;
use crate::sync::lock;
use crate::world::World;

/// A device something is done with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Concerns {
    device_id: i64,
}

/// Does something with an activated device.
pub(in crate::control) fn on_device<R>(
    world: &World,
    id: i64,
    deed: impl FnOnce(&mut Device) -> Result<R, ControlError>,
) -> Result<R, ControlError> {
    let unknown = || ControlError::unknown(format!("there is no device {id} in this world; …/devices lists them"));
    let connection = world.fleet().with_device(id).ok_or_else(unknown)?;
    let mut connection = lock(&connection);
    deed(connection.device.as_mut().ok_or_else(unknown)?)
}

/// Its tokens are worth nothing any more, at once.
pub(super) async fn revokes(at: At, with: Concerns) -> Outcome {
    on_device(&at.world, with.device_id, |device| {
        device.revoked = true;
        Ok(json!({ "deviceId": with.device_id }))
    })
}

/// How many of the next calls are one too many.
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

pub(super) async fn limits_rate(at: At, with: LimitsRate) -> Outcome {
    on_device(&at.world, with.device_id, |device| {
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

pub(super) async fn requests_logs(at: At, with: RequestsLogs) -> Outcome {
    let request_id = at.world.fleet().next_request();
    on_device(&at.world, with.device_id, |device| {
        device.debug_logs = Some(DebugLogs { request_id, days: with.days });
        Ok(json!({ "requestId": request_id }))
    })
}

/// An uploaded card transaction, by the client's identity.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MatchesCodes {
    device_id: i64,
    id: Value,
}

pub(super) async fn matches_codes(at: At, with: MatchesCodes) -> Outcome {
    let (now, code) = (at.world.now(), at.world.mint_code().to_string());
    on_device(&at.world, with.device_id, |device| {
        let id = &with.id;
        let record = device.transactions.find(id);
        let record = record.ok_or_else(|| ControlError::unknown(format!("the device uploaded no transaction {id}")))?;
        if !is_card_payment(&record.fields()) {
            return Err(ControlError::conflict(format!("the transaction {id} is not a card payment: it gets no code")));
        }
        if !device.payment_codes.matched(id.clone(), code.clone(), now) {
            return Err(ControlError::conflict(format!("the transaction {id} has a code already")));
        }
        Ok(json!({ "id": id, "paymentCode": code, "paymentCodesAt": device.payment_codes.marker() }))
    })
}

pub(super) async fn reads_transactions(at: At, with: Concerns) -> Outcome {
    on_device(&at.world, with.device_id, |device| Ok(json!({ "transactions": device.transactions.list() })))
}

pub(super) async fn reads_closings(at: At, with: Concerns) -> Outcome {
    on_device(&at.world, with.device_id, |device| Ok(json!({ "closings": device.closings.list() })))
}

pub(super) async fn reads_logs(at: At, with: Concerns) -> Outcome {
    on_device(&at.world, with.device_id, |device| Ok(json!({ "logs": device.logs })))
}
