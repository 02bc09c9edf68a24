//! Finds the object that a path or an action names, or responds that it does not exist.

use std::sync::Arc;

use super::error::ControlError;
use crate::base::sync::lock;
use crate::common::TransId;
use crate::device::core::Device;
use crate::world::{World, WorldError, Worlds};

/// Finds a world.
pub(super) fn find_world(worlds: &Worlds, name: &str) -> Result<Arc<World>, ControlError> {
    worlds.find(name).ok_or_else(|| WorldError::Unknown.into())
}

/// Reads a payment code as far as it can name a payment.
pub(super) fn read_trans_id(text: &str) -> Result<TransId, ControlError> {
    TransId::parse(text).ok_or_else(|| ControlError::unknown_payment(text))
}

/// Runs an action on an activated device.
pub(super) fn on_device<R>(world: &World, id: i64, action: impl FnOnce(&mut Device) -> Result<R, ControlError>) -> Result<R, ControlError> {
    let unknown = || ControlError::unknown(format!("there is no device {id} in this world; …/devices lists them"));
    let connection = world.devices().with_device(id).ok_or_else(unknown)?;
    let mut connection = lock(&connection);
    action(connection.device.as_mut().ok_or_else(unknown)?)
}
