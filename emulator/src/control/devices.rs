//! Devices and what they uploaded, as seen from outside.

use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::{Value, json};

use super::actions::on_device;
use super::error::ControlError;
use super::routes::{Answer, json_answer};
use super::worlds::find;
use crate::app::AppState;
use crate::device::core::{Connection, Device};
use crate::sync::lock;

pub(super) async fn all(State(state): State<AppState>, Path(name): Path<String>) -> Answer {
    let connections = find(&state, &name)?.fleet().all();
    let devices: Vec<_> = connections.iter().filter_map(|connection| device_view(&lock(connection))).collect();
    json_answer(StatusCode::OK, &json!({ "devices": devices }))
}

pub(super) async fn transactions(State(state): State<AppState>, Path((name, id)): Path<(String, String)>) -> Answer {
    let world = find(&state, &name)?;
    let id = id.parse().map_err(|_| ControlError::bad("deviceId is an integer"))?;
    let transactions = on_device(&world, id, |device| Ok(device.transactions.list()))?;
    json_answer(StatusCode::OK, &json!({ "transactions": transactions }))
}

/// A connection, activated or not.
pub(super) fn connection_view(connection: &Connection) -> Value {
    json!({
        "connectionId": connection.id(),
        "merchant": &*connection.merchant,
        "platform": connection.platform.word(),
        "serialNumber": connection.serial_number,
        "activationCode": connection.activation_code,
        "deviceId": connection.device.as_ref().map(|_| connection.device_id()),
        "configVersion": connection.config_version,
        "connectionState": connection.state.word(),
        "registered": connection.registered,
        "ready": connection.ready,
        "blocked": connection.blocked,
        "deactivated": connection.deactivated,
    })
}

fn device_view(connection: &Connection) -> Option<Value> {
    let device: &Device = connection.device.as_ref()?;
    Some(json!({
        "deviceId": connection.device_id(),
        "connectionId": connection.id(),
        "merchant": &*connection.merchant,
        "platform": connection.platform.word(),
        "activations": device.generation,
        "revoked": device.revoked,
        "appVersion": device.app_version,
        "transactions": device.transactions.len(),
        "closings": device.closings.len(),
        "logs": device.logs.len(),
    }))
}
