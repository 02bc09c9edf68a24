//! The devices of a world and their uploads.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde_json::{Value, json};

use super::error::ControlError;
use super::http::{ControlResponse, Path, json_response};
use super::lookup::{find_world, on_device};
use crate::base::sync::lock;
use crate::device::core::{Connection, Device};
use crate::world::Worlds;

pub(super) async fn all(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let connections = find_world(&worlds, &name)?.devices().all();
    let devices: Vec<_> = connections.iter().filter_map(|connection| device_view(&lock(connection))).collect();
    json_response(StatusCode::OK, &json!({ "devices": devices }))
}

pub(super) async fn transactions(State(worlds): State<Arc<Worlds>>, Path((name, id)): Path<(String, String)>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let id = id.parse().map_err(|_| ControlError::bad("deviceId is an integer"))?;
    let transactions = on_device(&world, id, |device| Ok(device.transactions.list()))?;
    json_response(StatusCode::OK, &json!({ "transactions": transactions }))
}

/// A connection, activated or not.
pub(super) fn connection_view(connection: &Connection) -> Value {
    json!({
        "connectionId": connection.id(),
        "merchant": &*connection.merchant,
        "platform": connection.platform.as_str(),
        "serialNumber": connection.serial_number,
        "activationCode": connection.activation_code,
        "deviceId": connection.device.as_ref().map(|_| connection.device_id()),
        "configVersion": connection.config_version,
        "connectionState": connection.state.as_str(),
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
        "platform": connection.platform.as_str(),
        "activations": device.generation,
        "revoked": device.revoked,
        "appVersion": device.app_version,
        "transactions": device.transactions.len(),
        "closings": device.closings.len(),
        "logs": device.logs.len(),
    }))
}
